package node

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Membership follows distance: the members of a shard's group are the live
// nodes nearest to its key that have room. The leader maintains it, one change
// at a time.

const (
	updateMembersEvery = time.Second
	// replaceAfter is how long a member may be silent before another node
	// replaces it, if there is one; reduceAfter, before the group continues
	// without.
	replaceAfter = 10 * time.Second
	reduceAfter  = 5 * time.Minute
	// minKnownFor is how long a node must have been known before it replaces a
	// member that is farther away, so that short-lived nodes cause no changes.
	minKnownFor = 20 * time.Second
	// offerLifetime is how long a node's statement that it has room counts.
	offerLifetime = 15 * time.Second
	// transferAfterIdle is how long a shard must have been idle before
	// leadership moves to the nearest member.
	transferAfterIdle = 2 * time.Second
	// balanceMargin: leadership of an idle shard moves to a farther member if
	// that leads so many fewer shards.
	balanceMargin = 2
)

// membership is what a leader knows of its group's members.
type membership struct {
	next   machine.Time
	silent map[id.ID]machine.Time // members, since when
}

// updateMembers makes one step towards the members that the group should have.
func (h *replica) updateMembers(now machine.Time) {
	if now < h.membership.next {
		return
	}
	h.membership.next = now.Add(updateMembersEvery)
	if h.w.closing {
		h.transferLeadership()
		return
	}
	st := h.raft.Status()
	h.watchMembers(&st, now)
	if h.changePending(&st) {
		return
	}
	wanted := h.voterFirst(h.wanted(&st, now), now)
	if len(wanted) > 0 && !(sameMembers(wanted, st.Wanted) && (len(wanted) != 2 || wanted[0] == st.Wanted[0])) {
		_ = h.raft.SetMembers(wanted) // if it cannot now: asked again
		return
	}
	if h.isRunning() {
		return
	}
	h.askLedCounts(&st)
	if first := h.preferredLeader(&st); now.Sub(h.idleSince) >= transferAfterIdle && first.ID != h.w.cfg.Self.ID {
		h.raft.Transfer(first.ID)
	}
}

// askLedCounts asks the members how many shards they lead.
func (h *replica) askLedCounts(st *group.Status) {
	for _, m := range st.Members {
		f := h.w.remotes[m.Peer.ID]
		if m.Voter && f != nil {
			h.askLedCount(f, f.peer)
		}
	}
}

// askLedCount asks a node at an address, unless it has answered lately.
func (h *replica) askLedCount(f *remoteNode, at machine.Peer) {
	if h.w.n.env.Now().Sub(f.invited) > offerLifetime/2 {
		h.w.sendDatagram(at, &HostQuery{h.shard})
	}
}

// preferredLeader is the member that should lead an idle shard: the nearest, if
// it leads fewer shards than this node, or one that leads clearly fewer. A
// shard never moves back for the reason that it moved.
func (h *replica) preferredLeader(st *group.Status) machine.Peer {
	best := h.w.cfg.Self
	for i, p := range h.eligibleLeaders(st) {
		if gain := int(h.w.ledCountOf(best)) - int(h.w.ledCountOf(p)); gain >= balanceMargin || i == 0 && gain > 0 {
			best = p
		}
	}
	return best
}

// ledCountOf is how many shards a node leads, by its last answer.
func (w *network) ledCountOf(p machine.Peer) uint32 {
	if p.ID == w.cfg.Self.ID {
		return w.ledCount()
	}
	if f := w.remotes[p.ID]; f != nil {
		return f.led
	}
	return 0
}

// watchMembers notes who has been silent since when.
func (h *replica) watchMembers(st *group.Status, now machine.Time) {
	if h.membership.silent == nil {
		h.membership.silent = map[id.ID]machine.Time{}
	}
	for _, m := range st.Members {
		f := h.w.remotes[m.Peer.ID]
		if !m.Dead && !m.LogLost {
			delete(h.membership.silent, m.Peer.ID)
		} else if _, known := h.membership.silent[m.Peer.ID]; !known {
			h.membership.silent[m.Peer.ID] = now
		}
		if f != nil && f.left {
			h.membership.silent[m.Peer.ID] = now.Add(-replaceAfter)
		}
	}
}

// changePending reports whether the group has not reached the wanted members
// yet, silent ones aside.
func (h *replica) changePending(st *group.Status) bool {
	for _, p := range st.Wanted {
		i := slices.IndexFunc(st.Members, func(m group.MemberStatus) bool { return m.Peer.ID == p.ID })
		if i < 0 && h.w.canHost(p) || i >= 0 && !st.Members[i].Voter && !st.Members[i].Standby && !st.Members[i].Dead {
			return true
		}
	}
	return false
}

// canHost reports whether a node has said lately that it has room.
func (w *network) canHost(p machine.Peer) bool {
	if p.ID == w.cfg.Self.ID {
		return true
	}
	f := w.remotes[p.ID]
	return f != nil && f.room && !f.left && w.n.env.Now().Sub(f.invited) < offerLifetime
}

// wanted chooses the members: the present ones without those that are gone for
// long or too many, and the nearest candidates in free places.
func (h *replica) wanted(st *group.Status, now machine.Time) []machine.Peer {
	w := h.w
	key := w.dir.key(h.shard)
	var out []machine.Peer
	for _, p := range st.Wanted {
		if since, silent := h.membership.silent[p.ID]; !silent || now.Sub(since) < reduceAfter {
			out = append(out, p)
		}
	}
	if len(st.Wanted) == 0 {
		out = h.members()
	}
	for i, p := range out {
		out[i] = w.currentAddress(p)
	}
	spare := h.candidates(out, key)
	for i, p := range out { // a silent member is replaced by one that answers
		if since, silent := h.membership.silent[p.ID]; silent && now.Sub(since) >= replaceAfter && len(spare) > 0 {
			out[i] = spare[0]
			return out
		}
	}
	size := min(w.cfg.Replicas, len(out)+len(spare))
	if size > 2 {
		size = odd(size)
	}
	kademlia.SortNearest(key, out)
	switch {
	case size > len(out):
		return append(out, spare[:size-len(out)]...)
	case size < len(out):
		return out[:size]
	}
	last := out[len(out)-1]
	for _, p := range spare {
		f := w.remotes[p.ID]
		if f != nil && now.Sub(f.knownSince) >= minKnownFor && kademlia.Closer(key, p.ID, last.ID) {
			out[len(out)-1] = p
			break
		}
	}
	return out
}

// candidates are nodes near the key that are no members and have room, nearest
// first. Nearer nodes whose room is unknown are asked.
func (h *replica) candidates(members []machine.Peer, key id.ID) (out []machine.Peer) {
	w := h.w
	near := w.dir.kad.Table().Closest(key, 2*w.cfg.Replicas+2, w.n.env.Now(), nil)
	for _, p := range near {
		if among(members, p.ID) {
			continue
		}
		f := w.reported(p)
		h.askLedCount(f, p)
		if w.canHost(p) {
			out = append(out, f.peer)
		}
	}
	return out
}

// eligibleLeaders are the members that could lead, nearest first.
func (h *replica) eligibleLeaders(st *group.Status) (near []machine.Peer) {
	for _, m := range st.Members {
		if m.Voter && !m.Dead && !m.LogLost && m.Behind == 0 {
			near = append(near, m.Peer)
		}
	}
	kademlia.SortNearest(h.w.dir.key(h.shard), near)
	return near
}

// preferredSuccessor is the member that should lead if this one cannot; zero: none is
// fit, the group may choose.
func (h *replica) preferredSuccessor(st *group.Status) machine.Peer {
	others := *st
	others.Members = slices.DeleteFunc(slices.Clone(st.Members), func(m group.MemberStatus) bool { return m.Peer.ID == h.w.cfg.Self.ID })
	if near := h.eligibleLeaders(&others); len(near) > 0 {
		return near[0]
	}
	return machine.Peer{}
}

// currentAddress is a member at its newest address: that of the link to it.
func (w *network) currentAddress(p machine.Peer) machine.Peer {
	if f := w.remotes[p.ID]; p.ID == w.cfg.Self.ID || f != nil && f.state == linkUp {
		return w.newestAddress(p)
	}
	return p
}

// sameMembers compares nodes with their addresses, sameNodes by their ids only.
func sameMembers(a, b []machine.Peer) bool {
	return sameNodes(a, b) && !slices.ContainsFunc(a, func(p machine.Peer) bool { return !slices.Contains(b, p) })
}

func sameNodes(a, b []machine.Peer) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(p machine.Peer) bool {
		return !among(b, p.ID)
	})
}
