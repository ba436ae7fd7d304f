package node

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

const (
	hostQueryTimeout = 1500 * time.Millisecond
	maxHostSearches  = 256
	majorityWait     = 300 * time.Millisecond // a majority need not wait longer for the rest
)

// groupCreation is how a shard gets its first hosts (dissertation, algorithm 3:
// GENERATE). The first node in the order of hosts (hostpolicy.Order; in an open world that
// nearest to the shard's key) coordinates: it asks the first ones whether they would host
// it, and names those that would. Two nodes may both
// believe to be the first; only one group is created, because the first of those named
// creates the shard's record in the directory, which succeeds once.
type groupCreation struct {
	part.Part
	links       *peers.Links
	dir         *directory.Directory
	seen        *peers.Sightings
	hosting     *hosting
	stored      *storedShards
	offers      *offers
	routes      foundHosts
	convicted   *accountability.Convictions // host nothing
	restoration interface {
		begin(p shards.Shard, rival records.Hosts, members []machine.Peer, done func())
	} // of a shard whose hosts may be gone

	searches map[shards.Shard]*hostSearch // shards that this node looks for hosts of
	creating map[shards.Shard]bool        // shards whose record this node creates
	claims   map[hostClaim]machine.Time   // that a shard has hosts: since when
}

// hostClaim is a node's word that a shard has hosts.
type hostClaim struct {
	shard shards.Shard
	by    id.ID
}

const (
	// followClaim is for how long a node is believed that a shard has hosts, while nobody
	// finds a leader there; claimKnown for how long it is known that it has said so.
	followClaim   = 10 * time.Second
	claimKnown    = 5 * time.Minute
	maxHostClaims = 1024
)

// foundHosts hears what hosts were found for a shard (routes).
type foundHosts interface {
	HostsFound(p shards.Shard, hosts []machine.Peer) // one of them leads it
	SetHosts(p shards.Shard, hosts []machine.Peer)   // one of them will create the group
	NoRoom(shards.Shard)
}

func newGroupCreation(c part.Part, l *peers.Links, dir *directory.Directory, seen *peers.Sightings) *groupCreation {
	return &groupCreation{
		Part: c, links: l, dir: dir, seen: seen, searches: map[shards.Shard]*hostSearch{}, creating: map[shards.Shard]bool{}, claims: map[hostClaim]machine.Time{},
	}
}

// hostSearch is a search for the hosts of a shard that this node coordinates.
type hostSearch struct {
	shard   shards.Shard
	silent  []machine.Peer // hosts of the directory's record that do not answer
	asked   []machine.Peer // in the order of hosts
	answers map[id.ID]*HostReply
	asking  machine.Time // 0: the nearest nodes are still looked for
}

// Coordinate begins to find hosts for a shard that has none, or whose hosts are silent; nil:
// this node finds out which are.
func (c *groupCreation) Coordinate(p shards.Shard, silent []machine.Peer) {
	if c.hosting.Hosts(p) || c.searches[p] != nil || len(c.searches) >= maxHostSearches || c.IsLeaving() {
		return
	}
	mk := &hostSearch{shard: p, silent: silent, answers: map[id.ID]*HostReply{}}
	c.searches[p] = mk
	look := func() {
		// Who keeps the record is near the key and knows who else is. A lookup would wait for
		// the silent hosts.
		if _, keeps := c.dir.HostsKept(p); keeps {
			c.askNearest(mk, c.dir.Nearest(p, kademlia.DefaultK))
			return
		}
		c.dir.Lookup(c.dir.KeyOf(p), func(r kademlia.Result) { c.askNearest(mk, r.Closest) })
	}
	if silent != nil {
		look()
		return
	}
	c.dir.Find(p, func(r kademlia.Result) {
		mk.silent = c.silentHosts(r.Record)
		look()
	})
}

// heardLately is for how long a host that has no link to this node counts as there.
const heardLately = 2 * time.Second

// silentHosts are the hosts that a record names and this node does not hear. Whoever asks
// for hosts may not say so: it could keep honest nodes from being asked.
func (c *groupCreation) silentHosts(r *kademlia.Record) (silent []machine.Peer) {
	if r == nil {
		return nil
	}
	h, err := records.DecodeHosts(r.Payload)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(h.Members, func(p machine.Peer) bool {
		return p.ID == c.Cfg.Self.ID || c.links.Linked(p) || c.Env.Now().Sub(c.seen.Last(p.ID)) < heardLately
	})
}

// askNearest asks the first nodes in the order of hosts, of those that one invitation
// admitted the first before others. Those that were there a while ago are asked too and count for the majority, even if the directory has given them
// up: a partitioned node must not begin a world of its own. Hosts that are known to be
// silent are no part of that majority: they are often the nearest. Whether they are gone
// is found out next (restoration).
func (c *groupCreation) askNearest(mk *hostSearch, closest []machine.Peer) {
	all := append(c.seen.Recent(), closest...)
	all = slices.DeleteFunc(append(all, c.Cfg.Self), func(p machine.Peer) bool { return peers.Among(mk.silent, p.ID) })
	all = c.dir.InOrder(mk.shard, all)
	all = hostpolicy.Apart(all, func(p machine.Peer) id.ID { return c.offers.invited(p.ID) })
	mk.asked = all[:min(len(all), hostpolicy.Nearby)]
	mk.asking = c.Env.Now()
	for _, p := range mk.asked {
		if p != c.Cfg.Self {
			c.links.SendDatagram(p, &HostQuery{mk.shard})
		} else if a := c.hostReply(mk.shard); a != nil {
			mk.answers[p.ID] = a
		}
	}
	c.finishHostSearch(mk)
}

// hostReply says whether this node would host a shard; nil: it has a replica that is
// still being read, and must not speak as if it had none.
func (c *groupCreation) hostReply(p shards.Shard) *HostReply {
	out := &HostReply{Shard: p, Room: c.hosting.hasRoomHere() && !c.hosting.isDamaged(p), Stored: c.stored.has(p), Led: c.ledCount()}
	if g := c.hosting.GroupOf(p); g != nil {
		if !g.Raft.Status().Member {
			return nil
		}
		out.Members = g.Members()
	}
	return out
}

// onHostQuery answers.
func (c *groupCreation) onHostQuery(f *peers.Remote, m *HostQuery) {
	if a := c.hostReply(m.Shard); a != nil {
		c.links.SendDatagram(f.Peer, a)
	}
}

// onHostReply takes a node's answer.
func (c *groupCreation) onHostReply(f *peers.Remote, m *HostReply) {
	if len(m.Members) > records.MaxHosts {
		c.Counts.Dropped++
		return
	}
	c.offers.record(f, m)
	mk := c.searches[m.Shard]
	if mk != nil && peers.Among(mk.asked, f.Peer.ID) {
		mk.answers[f.Peer.ID] = m
		c.finishHostSearch(mk)
	}
}

// finishHostSearch ends a search that has its answers, or none in time.
func (c *groupCreation) finishHostSearch(mk *hostSearch) {
	waited := c.Env.Now().Sub(mk.asking)
	for _, p := range mk.asked {
		if a := mk.answers[p.ID]; a != nil && len(a.Members) > 0 && c.follows(mk.shard, p.ID) { // it has hosts already
			delete(c.searches, mk.shard)
			c.routes.HostsFound(mk.shard, a.Members)
			return
		}
	}
	switch said := len(mk.answers); {
	case said == len(mk.asked) || 2*said > len(mk.asked) && waited >= majorityWait:
		delete(c.searches, mk.shard)
		c.chooseHosts(mk)
	case waited >= hostQueryTimeout:
		delete(c.searches, mk.shard) // nodes that need the shard ask again
	}
}

// follows reports whether a node's word is followed that a shard has hosts. If that is not
// true, or they cannot lead, whoever needs the shard asks for hosts again.
func (c *groupCreation) follows(p shards.Shard, by id.ID) bool {
	now, k := c.Env.Now(), hostClaim{p, by}
	since, known := c.claims[k]
	if !known {
		if since = now; len(c.claims) < maxHostClaims {
			c.claims[k] = now
		}
	}
	return now.Sub(since) < followClaim
}

// chooseHosts chooses the hosts (hostpolicy.FirstHosts), and lets the first of them
// create the group.
func (c *groupCreation) chooseHosts(mk *hostSearch) {
	var answers []hostpolicy.Offer
	for _, p := range mk.asked {
		if a := mk.answers[p.ID]; a != nil && !c.convicted.Has(p.ID) {
			answers = append(answers, hostpolicy.Offer{Peer: p, Room: a.Room, Stored: a.Stored, Led: a.Led, Invitation: c.offers.invited(p.ID)})
		}
	}
	hosts := hostpolicy.FirstHosts(answers, c.Cfg.Replicas)
	if len(hosts) == 0 {
		c.routes.NoRoom(mk.shard)
		return
	}
	c.routes.SetHosts(mk.shard, hosts)
	m := &CreateGroup{mk.shard, hosts}
	if hosts[0] == c.Cfg.Self {
		c.onCreateGroup(m)
	} else {
		c.links.SendDatagram(hosts[0], m)
	}
}

// ledCount is how many shards are led here, or will be in a moment: those run here,
// or have just begun or ended to.
func (c *groupCreation) ledCount() uint32 { return uint32(len(c.creating) + c.hosting.leading()) }

// isSearching reports whether this node looks for hosts of a shard.
func (c *groupCreation) isSearching(p shards.Shard) bool { return c.searches[p] != nil }

// onCreateGroup makes a group of which this node is the first member, once the
// directory has its record: there can be one only.
func (c *groupCreation) onCreateGroup(m *CreateGroup) {
	if c.hosting.Hosts(m.Shard) || !m.Shard.InWorld() || len(m.Members) == 0 || len(m.Members) > records.MaxHosts ||
		m.Members[0].ID != c.Cfg.Self.ID || !c.hosting.hasRoomHere() && !c.stored.has(m.Shard) || c.hosting.isDamaged(m.Shard) ||
		c.creating[m.Shard] || len(c.creating) >= maxHostSearches || c.IsLeaving() {
		return
	}
	c.creating[m.Shard] = true
	if rival, kept := c.dir.HostsKept(m.Shard); kept && len(rival.Members) > 0 { // nobody could create another record
		c.replace(m, rival)
		return
	}
	c.dir.Create(m.Shard, m.Members, func(won bool, rival records.Hosts) {
		switch {
		case c.hosting.Hosts(m.Shard) || c.IsLeaving():
		case won:
			c.stored.remove(m.Shard)
			c.hosting.createGroup(m.Shard, group.Origin{}, m.Members)
		case len(rival.Members) > 0:
			c.replace(m, rival)
			return
		}
		delete(c.creating, m.Shard)
	})
}

// replace gives a shard new hosts if those of its record are gone.
func (c *groupCreation) replace(m *CreateGroup, rival records.Hosts) {
	c.routes.SetHosts(m.Shard, rival.Members)
	c.restoration.begin(m.Shard, rival, m.Members, func() { delete(c.creating, m.Shard) })
}

// beat ends what takes too long.
func (c *groupCreation) beat() {
	now := c.Env.Now()
	for k, since := range c.claims { // the order does not matter
		if now.Sub(since) >= claimKnown {
			delete(c.claims, k)
		}
	}
	for _, p := range shards.Sorted(c.searches) {
		if mk := c.searches[p]; mk.asking != 0 {
			c.finishHostSearch(mk)
		}
	}
}
