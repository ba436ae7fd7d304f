package node

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Two groups of one shard can arise if nodes do not hear of each other for
// minutes, and each side makes or recovers one. When they can see each other
// again the lesser gives way (group.Gen): its shard stops, what it had is put
// aside, and its record leads to the other.

// searchOtherGroupsEvery is how often a leader looks for another group of its shard.
const searchOtherGroupsEvery = 30 * time.Second

// otherGroups is a leader's search for other groups of its shard, and the one that
// this replica gives way to.
type otherGroups struct {
	next         machine.Time
	asked        machine.Time    // when it last asked
	claims       map[id.ID]claim // of nodes that say that they host a greater group
	seen         uint64          // version of the record that others have published
	greater      group.Gen
	greaterHosts []machine.Peer // its hosts
	// lesser is one who leads a lesser group, and is to be told.
	lesser machine.Peer
	// named are the hosts that the directory's record has named.
	named []machine.Peer
}

// searchOtherGroups asks the directory, the nodes that its record names, and
// the nodes near the key. It is for a replica that leads, or has had no leader
// for a while.
func (h *replica) searchOtherGroups(now machine.Time) {
	w, v := h.w, &h.otherGroups
	if now < v.next || !w.dir.joined || w.closing {
		return
	}
	v.next, v.asked = now.Add(searchOtherGroupsEvery), now
	w.dir.look(h.shard, func(r kademlia.Result) {
		s := w.groupStatus(h.shard)
		if h.gone || s == nil {
			return
		}
		s.Reply = true
		ask := w.nearestNodes(h.shard)
		if h.otherGroups.lesser != (machine.Peer{}) {
			ask = append(ask, h.otherGroups.lesser)
		}
		if r.Record != nil {
			hosts, err := records.DecodeHosts(r.Record.Payload)
			switch {
			case err != nil:
			case sameNodes(hosts.Members, h.members()):
				if r.Record.Version > h.version() { // a member has renewed it while the group slept
					v.seen = r.Record.Version
				}
			default:
				ask, v.named = append(ask, hosts.Members...), hosts.Members
				if h.leading {
					h.raiseVersion(r.Record.Version)
				}
			}
		}
		kademlia.SortNearest(w.dir.key(h.shard), ask)
		for _, p := range slices.CompactFunc(ask, func(a, b machine.Peer) bool { return a.ID == b.ID }) {
			if p.ID != w.cfg.Self.ID {
				w.sendDatagram(p, s)
			}
		}
	})
}

// raiseVersion publishes the record of this group anew if the directory has another of
// a version that would be preferred.
func (h *replica) raiseVersion(version uint64) {
	if version >= h.otherGroups.seen && version >= h.version() {
		h.otherGroups.seen = version
		h.record.members = nil
	}
}

// version is that of the shard's record.
func (h *replica) version() uint64 {
	return max(h.record.term<<20|h.record.version, h.otherGroups.seen+1)
}

// compareGroups compares the group here with what another node says of the shard's.
func (h *replica) compareGroups(f *remoteNode, m *GroupStatus) {
	st := h.raft.Status()
	switch c := st.Gen.Compare(m.Gen); {
	case !m.Member || !m.Led || !st.Member || c == 0:
		return
	case c > 0:
		h.otherGroups.lesser = f.peer
		h.wakeGroup() // the greater must be awake to say so
		return
	case h.otherGroups.greater.Compare(m.Gen) >= 0:
		return
	}
	if h.claimed(f, m); h.proven(m.Gen) {
		h.otherGroups.greater, h.otherGroups.greaterHosts = m.Gen, m.Members
		return
	}
	h.verify()
}

// yieldToGreater ends this replica for the sake of the greater group, when its disk is
// ready for it.
func (h *replica) yieldToGreater() bool {
	if h.otherGroups.greater == (group.Gen{}) {
		return false
	}
	h.raft.YieldTo(h.otherGroups.greater)
	return true
}

// afterYield leaves a record that leads to the greater group, and forgets who led
// the lesser.
func (h *replica) afterYield() {
	w := h.w
	if h.otherGroups.greater.Compare(w.yieldedTo[h.shard]) > 0 {
		w.yieldedTo[h.shard] = h.otherGroups.greater
	}
	if led := h.otherGroups.greaterHosts; len(led) > 0 && len(led) < records.MaxHosts && len(h.record.members) > 0 && w.dir.joined {
		sign := slices.Clone(led)
		if !among(sign, w.cfg.Self.ID) {
			sign = append(sign, w.cfg.Self) // who signs must be in it; nobody is named twice
		}
		w.dir.kad.Publish(0, w.dir.sign(h.shard, sign, termOf(h.otherGroups.greater, 0), h.version()+1))
	}
	w.dir.kad.Withdraw(kademlia.Chunk, w.dir.key(h.shard))
	if r := w.routes[h.shard]; r != nil {
		r.members, r.term, r.leader = h.otherGroups.greaterHosts, 0, machine.Peer{}
		w.forgetLeader(r)
	}
}
