package node

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// Leaving in good order: what this node leads goes to other members of the
// groups, and what it is the only member of to other nodes, if there are any.

// maxMoving is how many groups that are only on the disk are brought to another
// node at a time.
const maxMoving = 64

// leave begins to hand over.
func (w *network) leave() {
	w.closing = true
	w.memory.save()
	for _, f := range w.order {
		if f.state == linkUp {
			w.n.env.Send(f.peer, &Invite{theHall})
		}
	}
	w.leaveMore()
}

// leaveMore goes on with it: also groups that sleep must wake if this node is
// their only member.
func (w *network) leaveMore() {
	moving := 0
	for _, p := range sortedParts(w.hosts) {
		h := w.hosts[p]
		if h.sole() {
			moving++
			if !h.leading && (w.hasRoom() || h.canLeave()) {
				h.rep.Wake()
			}
		}
	}
	for _, p := range sortedParts(w.dormant) {
		if moving >= maxMoving || !w.hasRoom() {
			return
		}
		moving++
		w.open(p)
	}
}

// hasRoom reports whether another node would take something.
func (w *network) hasRoom() bool {
	for _, f := range w.order {
		if f.state == linkUp && w.canHost(f.peer) {
			return true
		}
	}
	return false
}

// sole reports whether this node has the only vote in the group, or may have.
func (h *hosted) sole() bool {
	voters := h.voters()
	return len(voters) == 0 || len(voters) == 1 && voters[0].ID == h.w.cfg.Self.ID
}

// oneOfTwo reports whether this node has one of two votes: the other member cannot
// elect a leader without it. That is so for a moment while a lone voter hands over,
// until the other, which leads by then, has removed it.
func (h *hosted) oneOfTwo() bool {
	voters := h.voters()
	return len(voters) == 2 && slices.ContainsFunc(voters, func(p machine.Peer) bool { return p.ID == h.w.cfg.Self.ID })
}

// voters are the members with a vote.
func (h *hosted) voters() []machine.Peer { return h.rep.Voters(nil) }

// handOver lets another node lead the part.
func (h *hosted) handOver() {
	if !h.leading {
		return
	}
	st := h.rep.Status()
	if !h.sole() && len(st.Wanted) != 2 {
		h.rep.Transfer(h.nearestOther(&st).ID)
		return
	}
	for _, m := range st.Members {
		if m.Peer.ID != h.w.cfg.Self.ID && !m.Dead && !m.Lost { // it has the part already
			_ = h.rep.SetMembers([]machine.Peer{m.Peer})
			return
		}
	}
	if spare := h.spares([]machine.Peer{h.w.cfg.Self}, h.w.dir.key(h.part)); len(spare) > 0 && len(st.Members) == 1 {
		_ = h.rep.SetMembers(spare[:1]) // who hands the lead over when it has caught up
	}
}

// handsOver reports whether there is still something that another node could
// take.
func (w *network) handsOver() bool {
	if len(w.dormant) > 0 && w.hasRoom() {
		return true
	}
	for _, p := range sortedParts(w.hosts) {
		h := w.hosts[p]
		if h.sole() && (w.hasRoom() || h.canLeave()) || (h.leading || h.oneOfTwo()) && h.canLeave() {
			return true
		}
	}
	return false
}

// canLeave reports whether another member could lead the part.
func (h *hosted) canLeave() bool {
	for _, m := range h.rep.Status().Members {
		if m.Peer.ID != h.w.cfg.Self.ID && !m.Lost && (!m.Dead || h.w.linked(m.Peer)) {
			return true
		}
	}
	return false
}

// linked reports whether there is a link to a node that goes on. The members of a group
// that hibernates hear nothing of each other, however well they are.
func (w *network) linked(p machine.Peer) bool {
	f := w.far[p.ID]
	return f != nil && f.state == linkUp && !f.left
}

// sayLeaving tells the nodes that this one has links to.
func (w *network) sayLeaving() {
	w.flush()
	w.layer.stop()
	for _, f := range w.order {
		if f.state == linkUp {
			w.n.env.Send(f.peer, &Leaving{})
		}
	}
}
