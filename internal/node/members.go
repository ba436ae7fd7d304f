package node

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/group"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// Membership follows nearness: the group of a part are the live nodes nearest
// to its key that have room. The leader looks after it, one change at a time.

const (
	reshapeEvery = time.Second
	// replaceAfter is how long a member may be silent until another takes its
	// place, if there is one; reduceAfter how long until the group does without.
	replaceAfter = 10 * time.Second
	reduceAfter  = 5 * time.Minute
	// settled is how long a node must have been known before it takes the place
	// of a member that is farther away: nodes that come and go move nothing.
	settled = 20 * time.Second
	// invitation is how long a node's word that it has room is believed.
	invitation = 15 * time.Second
	// yieldAfter is how long a part must have been quiet until its leadership
	// moves to the nearest member.
	yieldAfter = 2 * time.Second
	// tooMany is how many more parts must be led by a node than by another for a
	// quiet part to go from the one to the other, though that is farther away.
	tooMany = 2
)

// shape is what a leader knows of its group's members.
type shape struct {
	next   machine.Time
	silent map[id.ID]machine.Time // members, since when
}

// reshape brings the group nearer to what it should be.
func (h *hosted) reshape(now machine.Time) {
	if now < h.shape.next {
		return
	}
	h.shape.next = now.Add(reshapeEvery)
	if h.w.closing {
		h.handOver()
		return
	}
	st := h.rep.Status()
	h.watchMembers(&st, now)
	if h.changing(&st) {
		return
	}
	wanted := h.inOrder(h.wanted(&st, now), now)
	if len(wanted) > 0 && !(sameMembers(wanted, st.Wanted) && (len(wanted) != 2 || wanted[0] == st.Wanted[0])) {
		_ = h.rep.SetMembers(wanted) // if it cannot now: asked again
		return
	}
	if h.runs() {
		return
	}
	h.askRuns(&st)
	if first := h.lightest(&st); now.Sub(h.quiet) >= yieldAfter && first.ID != h.w.cfg.Self.ID {
		h.rep.Transfer(first.ID)
	}
}

// askRuns asks the members how much they have to do.
func (h *hosted) askRuns(st *group.Status) {
	for _, m := range st.Members {
		f := h.w.far[m.Peer.ID]
		if m.Voter && f != nil {
			h.askAgain(f, f.peer)
		}
	}
}

// askAgain asks a node how it is, at an address, if it has not said so lately.
func (h *hosted) askAgain(f *farNode, at machine.Peer) {
	if h.w.n.env.Now().Sub(f.invited) > invitation/2 {
		h.w.tell(at, &Invite{h.part})
	}
}

// lightest is the member that should lead a part which is quiet: the nearest, if
// it does not have as much to do as this one, or one that has clearly less to do.
// A part never comes back for the reason that it went.
func (h *hosted) lightest(st *group.Status) machine.Peer {
	best := h.w.cfg.Self
	for i, p := range h.fit(st) {
		if gain := int(h.w.runsAt(best)) - int(h.w.runsAt(p)); gain >= tooMany || i == 0 && gain > 0 {
			best = p
		}
	}
	return best
}

// runsAt is how many parts a node leads, as it has said last.
func (w *network) runsAt(p machine.Peer) uint32 {
	if p.ID == w.cfg.Self.ID {
		return w.runs()
	}
	if f := w.far[p.ID]; f != nil {
		return f.runs
	}
	return 0
}

// watchMembers notes who has been silent since when.
func (h *hosted) watchMembers(st *group.Status, now machine.Time) {
	if h.shape.silent == nil {
		h.shape.silent = map[id.ID]machine.Time{}
	}
	for _, m := range st.Members {
		f := h.w.far[m.Peer.ID]
		if !m.Dead && !m.Lost {
			delete(h.shape.silent, m.Peer.ID)
		} else if _, known := h.shape.silent[m.Peer.ID]; !known {
			h.shape.silent[m.Peer.ID] = now
		}
		if f != nil && f.left {
			h.shape.silent[m.Peer.ID] = now.Add(-replaceAfter)
		}
	}
}

// changing reports whether the group is still on its way to what was wanted
// last: but for those who are silent.
func (h *hosted) changing(st *group.Status) bool {
	for _, p := range st.Wanted {
		i := slices.IndexFunc(st.Members, func(m group.MemberStatus) bool { return m.Peer.ID == p.ID })
		if i < 0 && h.w.canHost(p) || i >= 0 && !st.Members[i].Voter && !st.Members[i].Spare && !st.Members[i].Dead {
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
	f := w.far[p.ID]
	return f != nil && f.room && !f.left && w.n.env.Now().Sub(f.invited) < invitation
}

// wanted chooses the members: those that are there, without who is gone for
// long or too many, with the nearest in the places that are free.
func (h *hosted) wanted(st *group.Status, now machine.Time) []machine.Peer {
	w := h.w
	key := w.dir.key(h.part)
	var out []machine.Peer
	for _, p := range st.Wanted {
		if since, silent := h.shape.silent[p.ID]; !silent || now.Sub(since) < reduceAfter {
			out = append(out, p)
		}
	}
	if len(st.Wanted) == 0 {
		out = h.members()
	}
	for i, p := range out {
		out[i] = w.moved(p)
	}
	spare := h.spares(out, key)
	for i, p := range out { // who is silent is replaced by who is there
		if since, silent := h.shape.silent[p.ID]; silent && now.Sub(since) >= replaceAfter && len(spare) > 0 {
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
		f := w.far[p.ID]
		if f != nil && now.Sub(f.met) >= settled && kademlia.Closer(key, p.ID, last.ID) {
			out[len(out)-1] = p
			break
		}
	}
	return out
}

// spares are nodes near the key that are not members and have room, nearest
// first. Nearer ones of which that is not known are asked.
func (h *hosted) spares(members []machine.Peer, key id.ID) (out []machine.Peer) {
	w := h.w
	near := w.dir.kad.Table().Closest(key, 2*w.cfg.Replicas+2, w.n.env.Now(), nil)
	for _, p := range near {
		if slices.ContainsFunc(members, func(m machine.Peer) bool { return m.ID == p.ID }) {
			continue
		}
		f := w.meet(p)
		h.askAgain(f, p)
		if w.canHost(p) {
			out = append(out, f.peer)
		}
	}
	return out
}

// fit are the members that could lead, nearest first.
func (h *hosted) fit(st *group.Status) (near []machine.Peer) {
	for _, m := range st.Members {
		if m.Voter && !m.Dead && !m.Lost && m.Behind == 0 {
			near = append(near, m.Peer)
		}
	}
	kademlia.SortNearest(h.w.dir.key(h.part), near)
	return near
}

// nearestOther is the member that should lead if this one cannot; zero: none is
// fit, the group may choose.
func (h *hosted) nearestOther(st *group.Status) machine.Peer {
	others := *st
	others.Members = slices.DeleteFunc(slices.Clone(st.Members), func(m group.MemberStatus) bool { return m.Peer.ID == h.w.cfg.Self.ID })
	if near := h.fit(&others); len(near) > 0 {
		return near[0]
	}
	return machine.Peer{}
}

// moved is a member at its newest address: that of the link to it.
func (w *network) moved(p machine.Peer) machine.Peer {
	if f := w.far[p.ID]; p.ID == w.cfg.Self.ID || f != nil && f.state == linkUp {
		return w.newest(p)
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
