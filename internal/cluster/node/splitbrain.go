package node

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// searchOtherGroupsEvery is how often a leader looks for another group of its shard.
const searchOtherGroupsEvery = 30 * time.Second

// otherGroups is a replica's search for other groups of its shard, and the one that it
// gives way to.
//
// Two groups of one shard can arise if nodes do not hear of each other for minutes, and
// each side creates or recovers one. When they can see each other again the lesser gives
// way (group.Gen): its shard stops, what it had is put aside, and its record leads to
// the other.
type otherGroups struct {
	part.Part
	group      *shardgroup.Group
	record     *shardRecord
	convicted  *accountability.Convictions // their claims do not count
	leaderless leaderless
	links      *peers.Links
	dir        *directory.Directory
	seen       *peers.Sightings
	routes     otherRoutes
	copies     *copies.Store

	next         machine.Time
	asked        machine.Time    // when it last asked
	claims       map[id.ID]claim // of nodes that say that they host a greater group
	greater      group.Gen
	greaterHosts []machine.Peer // its hosts
	closeBy      machine.Time   // when this replica gives way whatever the others do
	// lesser is one who leads a lesser group, and is to be told.
	lesser machine.Peer
	// named are the hosts that the directory's record has named.
	named []machine.Peer
}

// leaderless knows how long the group has had no leader (quorumLoss).
type leaderless interface {
	leaderlessFor(now machine.Time) time.Duration
}

// otherRoutes is what is known of the shard's hosts from elsewhere (routes).
type otherRoutes interface {
	// Trusts reports whether a node may say where a shard is led.
	Trusts(shards.Shard, machine.Peer) bool
	// Yielded is when the group here has given way to another one.
	Yielded(p shards.Shard, hosts []machine.Peer)
}

// restart searches at once: the replica has become the leader.
func (o *otherGroups) restart() { o.next = 0 }

// search asks the directory, the nodes that its record names, and the nodes near the
// key. It is for a replica that leads, or has had no leader for a while.
func (o *otherGroups) search(now machine.Time) {
	if now < o.next || !o.dir.HasJoined() || o.IsLeaving() {
		return
	}
	o.next, o.asked = now.Add(searchOtherGroupsEvery), now
	o.dir.Find(o.group.Shard, func(r kademlia.Result) {
		if o.group.Gone {
			return
		}
		if s := o.group.Status(); s != nil {
			s.Reply = true
			o.ask(o.suspects(r.Record), s)
		}
	})
}

// suspects are the nodes that may host another group, as far as the directory tells.
func (o *otherGroups) suspects(found *kademlia.Record) []machine.Peer {
	n := hostpolicy.Nearby
	if len(o.claims) > 0 { // whoever else may claim it is asked too
		n = hostpolicy.Claimants
	}
	out := o.dir.NearestNodes(o.group.Shard, n)
	if st := o.group.Raft.Status(); st.Restored != 0 { // its hosts may be back, and sleep
		out = append(out, st.Former...)
	}
	if o.lesser != (machine.Peer{}) {
		out = append(out, o.lesser)
	}
	if found == nil {
		return out
	}
	hosts, err := records.DecodeHosts(found.Payload)
	switch {
	case err != nil:
	case sameNodes(hosts.Members, o.group.Members()):
		o.record.seeMembers(found.Version)
	default:
		out, o.named = append(out, hosts.Members...), hosts.Members
		if o.group.Leading {
			o.record.outdo(found.Version)
		}
	}
	return out
}

// ask sends what is known of the group here to nodes, in the order of hosts.
func (o *otherGroups) ask(nodes []machine.Peer, s *shardgroup.GroupStatus) {
	for _, p := range o.dir.InOrder(o.group.Shard, nodes) {
		if p.ID != o.Cfg.Self.ID {
			o.links.SendDatagram(p, s)
		}
	}
}

// compare compares the group here with what another node says of the shard's. It reports
// that a greater one is claimed, which is not proven.
func (o *otherGroups) compare(f *peers.Remote, m *shardgroup.GroupStatus) (claimed bool) {
	st := o.group.Raft.Status()
	switch c := st.Gen.Compare(m.Gen); {
	case !m.Member || !m.Led || !st.Member || c == 0:
		return false
	case c > 0:
		o.lesser = f.Peer
		return false
	case !o.isNews(m.Gen):
		return false
	}
	if o.noteClaim(f, m.Gen); o.proven(m.Gen) {
		o.greater, o.greaterHosts, o.closeBy = m.Gen, m.Members, o.Env.Now().Add(closeWithin)
		return false
	}
	return true
}

// isNews reports whether a generation is greater than the one that this replica gives
// way to.
func (o *otherGroups) isNews(gen group.Gen) bool { return o.greater.Compare(gen) < 0 }

// yield ends this replica for the sake of the greater group, when its disk is ready for
// it and no other member can go on; false: there is no greater group.
func (o *otherGroups) yield() bool {
	if o.greater == (group.Gen{}) {
		return false
	}
	if o.isClosed() {
		o.group.Raft.YieldTo(o.greater)
	}
	return true
}

// closeWithin is how long a group may take to give way.
const closeWithin = 20 * time.Second

// isClosed reports whether this replica has all that its group has acknowledged and ever
// will. Who leads must be the last: others would elect a leader when it is gone, which
// would acknowledge more beside the greater group. What is built in a group that began
// with a copy is merged by the member that has the copy, so that one must lead.
func (o *otherGroups) isClosed() bool {
	st := o.group.Raft.Status()
	switch {
	case isAsleepUnrestored(&st) || o.Env.Now() >= o.closeBy || len(st.Members) == 0:
		return true
	case !o.group.Leading:
		return st.Leader == (machine.Peer{})
	case st.Restored == 0 || o.copies.HasOrigin(o.group.Shard):
		if len(st.Members) > 1 {
			_ = o.group.Raft.SetMembers([]machine.Peer{o.Cfg.Self}) // if it cannot now: asked again
			return false
		}
		return true
	}
	first := st.Members[0] // the group began there
	if first.Peer.ID == o.Cfg.Self.ID || !first.Voter || first.Dead || first.LogLost {
		return true
	}
	o.group.Raft.Transfer(first.Peer.ID)
	return false
}

// afterYield leaves a record that leads to the greater group, and forgets who led the
// lesser.
func (o *otherGroups) afterYield() {
	o.record.leave(o.greaterHosts, shardgroup.TermOf(o.greater, 0))
	o.routes.Yielded(o.group.Shard, o.greaterHosts)
}
