package node

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// How a shard gets its first hosts (dissertation, algorithm 3: GENERATE). The
// node nearest to the shard's key coordinates: it asks the nodes nearest to the
// key whether they would host it, and names those who would. That only one group
// comes of it although two may believe to be the nearest is the directory's
// matter: the first of those who are named creates the shard's record.

const (
	nearby           = 5 // nodes that are asked
	hostQueryTimeout = 1500 * time.Millisecond
	maxHostSearches  = 256
	majorityWait     = 300 * time.Millisecond // a majority need not wait longer for the rest
)

// hostSearch is a search for the hosts of a shard that this node coordinates.
type hostSearch struct {
	shard   Shard
	asked   []machine.Peer // nearest first
	answers map[id.ID]*HostReply
	asking  machine.Time // 0: the nearest nodes are still looked for
}

// coordinate begins to find hosts for a shard that has none.
func (w *network) coordinate(p Shard) {
	if w.replica(p) != nil || w.hostSearches[p] != nil || len(w.hostSearches) >= maxHostSearches || w.closing {
		return
	}
	mk := &hostSearch{shard: p, answers: map[id.ID]*HostReply{}}
	w.hostSearches[p] = mk
	w.dir.lookup(w.dir.key(p), func(r kademlia.Result) { w.askNearest(mk, r.Closest) })
}

// askNearest asks the nodes nearest to the key. Those that were there a while ago
// are asked too and count for the majority, even if the directory has given them
// up: a node that has been cut off from the others must not begin a world of its
// own.
func (w *network) askNearest(mk *hostSearch, closest []machine.Peer) {
	all := append(w.recentNodes(), closest...)
	all = append(all, w.cfg.Self)
	kademlia.SortNearest(w.dir.key(mk.shard), all)
	all = slices.CompactFunc(all, func(a, b machine.Peer) bool { return a.ID == b.ID })
	mk.asked = all[:min(len(all), nearby)]
	mk.asking = w.n.env.Now()
	for _, p := range mk.asked {
		if p != w.cfg.Self {
			w.sendDatagram(p, &HostQuery{mk.shard})
		} else if a := w.hostReply(mk.shard); a != nil {
			mk.answers[p.ID] = a
		}
	}
	w.finishHostSearch(mk)
}

// recentNodes are the nodes that were there a while ago.
func (w *network) recentNodes() (out []machine.Peer) {
	for _, who := range id.Sorted(w.store.seen) {
		if s := w.store.seen[who]; w.n.env.Now().Sub(s.at) < rememberFor {
			out = append(out, s.peer)
		}
	}
	return out
}

// hostReply says whether this node would host a shard; nil: it has a replica that is
// still being read, and must not speak as if it had none.
func (w *network) hostReply(p Shard) *HostReply {
	out := &HostReply{Shard: p, Room: w.hasRoomHere() && !w.damaged[p], Stored: w.stored[p], Led: w.ledCount()}
	if h := w.replica(p); h != nil {
		if !h.raft.Status().Member {
			return nil
		}
		out.Members = h.members()
	}
	return out
}

// onHostQuery answers.
func (w *network) onHostQuery(f *remoteNode, m *HostQuery) {
	if a := w.hostReply(m.Shard); a != nil {
		w.sendDatagram(f.peer, a)
	}
}

// onHostReply takes a node's answer.
func (w *network) onHostReply(f *remoteNode, m *HostReply) {
	if len(m.Members) > records.MaxHosts {
		w.n.counts.Dropped++
		return
	}
	f.invited, f.room, f.led = f.heard, m.Room && !m.Stored, m.Led
	mk := w.hostSearches[m.Shard]
	if mk != nil && among(mk.asked, f.peer.ID) {
		mk.answers[f.peer.ID] = m
		w.finishHostSearch(mk)
	}
}

// finishHostSearch ends a search that has its answers, or none in time.
func (w *network) finishHostSearch(mk *hostSearch) {
	waited := w.n.env.Now().Sub(mk.asking)
	for _, p := range mk.asked {
		if a := mk.answers[p.ID]; a != nil && len(a.Members) > 0 { // it has hosts already
			delete(w.hostSearches, mk.shard)
			r := w.route(mk.shard)
			r.members = a.Members
			w.searchLeader(r)
			return
		}
	}
	switch said := len(mk.answers); {
	case said == len(mk.asked) || 2*said > len(mk.asked) && waited >= majorityWait:
		delete(w.hostSearches, mk.shard)
		w.chooseHosts(mk)
	case waited >= hostQueryTimeout:
		delete(w.hostSearches, mk.shard) // nodes that need the shard ask again
	}
}

// chooseHosts chooses the hosts: nodes that have the shard already, then the
// nearest with room.
func (w *network) chooseHosts(mk *hostSearch) {
	var hosts []machine.Peer
	for _, want := range []func(*HostReply) bool{
		func(a *HostReply) bool { return a.Stored },
		func(a *HostReply) bool { return a.Room && !a.Stored },
	} {
		for _, p := range mk.asked {
			if a := mk.answers[p.ID]; a != nil && want(a) {
				hosts = append(hosts, p)
			}
		}
	}
	if len(hosts) == 0 {
		w.route(mk.shard).noRoom = w.n.env.Now()
		return
	}
	hosts = hosts[:odd(min(len(hosts), w.cfg.Replicas))]
	mk.leastLoadedFirst(hosts)
	w.route(mk.shard).members = hosts
	m := &CreateGroup{mk.shard, hosts}
	if hosts[0] == w.cfg.Self {
		w.onCreateGroup(m)
	} else {
		w.sendDatagram(hosts[0], m)
	}
}

// leastLoadedFirst puts the host first that leads the fewest shards; of several
// the nearest. The first will lead. A node that has the shard already stays
// first.
func (mk *hostSearch) leastLoadedFirst(hosts []machine.Peer) {
	if len(hosts) == 0 || mk.answers[hosts[0].ID].Stored {
		return
	}
	best := 0
	for i, p := range hosts {
		if mk.answers[p.ID].Led < mk.answers[hosts[best].ID].Led {
			best = i
		}
	}
	hosts[0], hosts[best] = hosts[best], hosts[0]
}

// ledCount is how many shards are led here, or will be in a moment: those run here,
// or have just begun or ended to.
func (w *network) ledCount() uint32 {
	n := len(w.creating)
	for _, h := range w.replicas {
		if h.leading {
			n++
		}
	}
	return uint32(n)
}

// odd is the largest odd number up to n: a group of two is lost with either of
// its members.
func odd(n int) int { return n - 1 + n&1 }

// onCreateGroup makes a group of which this node is the first member, once the
// directory has its record: there can be one only.
func (w *network) onCreateGroup(m *CreateGroup) {
	if w.replica(m.Shard) != nil || !m.Shard.inWorld() || len(m.Members) == 0 || len(m.Members) > records.MaxHosts ||
		m.Members[0].ID != w.cfg.Self.ID || !w.hasRoomHere() && !w.stored[m.Shard] || w.damaged[m.Shard] ||
		w.creating[m.Shard] || len(w.creating) >= maxHostSearches || w.closing {
		return
	}
	w.creating[m.Shard] = true
	w.dir.create(m.Shard, m.Members, func(won bool, rival records.Hosts) {
		delete(w.creating, m.Shard)
		gone := w.allGone(rival.Members)
		switch {
		case w.replica(m.Shard) != nil || w.closing:
		case won:
			delete(w.stored, m.Shard)
			w.createGroup(m.Shard, 0, m.Members)
		case gone:
			w.note(fmt.Sprintf("All %d hosts of %s have been gone for more than %v: it begins anew, as the world was made. "+
				"If they come back they put aside what they have.", len(rival.Members), m.Shard, w.cfg.GoneAfter))
			w.createGroup(m.Shard, max(1, generationOf(rival.Term)), m.Members)
		case len(rival.Members) > 0:
			w.route(m.Shard).members = rival.Members
		}
	})
}

// onGenerate finds hosts for a shard that another node needs.
func (w *network) onGenerate(f *remoteNode, m *Generate) {
	if !m.Shard.inWorld() || !w.dir.joined {
		return
	}
	w.coordinate(m.Shard)
	w.sendLeaderReply(f.peer, m.Shard)
}

// hostSearchBeat ends what takes too long.
func (w *network) hostSearchBeat() {
	for _, p := range sortedShards(w.hostSearches) {
		if mk := w.hostSearches[p]; mk.asking != 0 {
			w.finishHostSearch(mk)
		}
	}
}
