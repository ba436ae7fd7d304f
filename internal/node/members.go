package node

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/group"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// Membership follows nearness: the group of a shard are the live nodes nearest
// to its key that have room. The leader looks after it, one change at a time.

const (
	updateMembersEvery = time.Second
	// replaceAfter is how long a member may be silent until another takes its
	// place, if there is one; reduceAfter how long until the group does without.
	replaceAfter = 10 * time.Second
	reduceAfter  = 5 * time.Minute
	// minKnownFor is how long a node must have been known before it takes the place
	// of a member that is farther away: nodes that come and go move nothing.
	minKnownFor = 20 * time.Second
	// offerLifetime is how long a node's word that it has room is believed.
	offerLifetime = 15 * time.Second
	// transferAfterIdle is how long a shard must have been quiet until its leadership
	// moves to the nearest member.
	transferAfterIdle = 2 * time.Second
	// balanceMargin is how many more shards must be led by a node than by another for a
	// quiet shard to go from the one to the other, though that is farther away.
	balanceMargin = 2
)

// membership is what a leader knows of its group's members.
type membership struct {
	next   machine.Time
	silent map[id.ID]machine.Time // members, since when
}

// updateMembers brings the group nearer to what it should be.
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

// askLedCounts asks the members how much they have to do.
func (h *replica) askLedCounts(st *group.Status) {
	for _, m := range st.Members {
		f := h.w.remotes[m.Peer.ID]
		if m.Voter && f != nil {
			h.askLedCount(f, f.peer)
		}
	}
}

// askLedCount asks a node how it is, at an address, if it has not said so lately.
func (h *replica) askLedCount(f *remoteNode, at machine.Peer) {
	if h.w.n.env.Now().Sub(f.invited) > offerLifetime/2 {
		h.w.sendDatagram(at, &HostQuery{h.shard})
	}
}

// preferredLeader is the member that should lead a shard which is quiet: the nearest, if
// it does not have as much to do as this one, or one that has clearly less to do.
// A shard never comes back for the reason that it went.
func (h *replica) preferredLeader(st *group.Status) machine.Peer {
	best := h.w.cfg.Self
	for i, p := range h.eligibleLeaders(st) {
		if gain := int(h.w.ledCountOf(best)) - int(h.w.ledCountOf(p)); gain >= balanceMargin || i == 0 && gain > 0 {
			best = p
		}
	}
	return best
}

// ledCountOf is how many shards a node leads, as it has said last.
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

// changePending reports whether the group is still on its way to what was wanted
// last: but for those who are silent.
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

// wanted chooses the members: those that are there, without who is gone for
// long or too many, with the nearest in the places that are free.
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
	for i, p := range out { // who is silent is replaced by who is there
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

// candidates are nodes near the key that are not members and have room, nearest
// first. Nearer ones of which that is not known are asked.
func (h *replica) candidates(members []machine.Peer, key id.ID) (out []machine.Peer) {
	w := h.w
	near := w.dir.kad.Table().Closest(key, 2*w.cfg.Replicas+2, w.n.env.Now(), nil)
	for _, p := range near {
		if slices.ContainsFunc(members, func(m machine.Peer) bool { return m.ID == p.ID }) {
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

// sameMembers compares nodes and their addresses, sameNodes only who they are.
func sameMembers(a, b []machine.Peer) bool {
	return sameNodes(a, b) && !slices.ContainsFunc(a, func(p machine.Peer) bool { return !slices.Contains(b, p) })
}

func sameNodes(a, b []machine.Peer) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(p machine.Peer) bool {
		return !slices.ContainsFunc(b, func(q machine.Peer) bool { return q.ID == p.ID })
	})
}
