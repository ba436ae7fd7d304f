package node

import (
	"errors"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/group"
	"github.com/voxelpopuli/voxelpopuli/internal/hall"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
)

// later does something once the handler that runs has ended: events come while
// a part may be in the middle of something.
func (h *hosted) later(do func()) { h.w.n.push(upcall{do: do}) }

// OnLead implements group.Events: the part may run here.
func (h *hosted) OnLead() {
	h.later(func() {
		if h.gone {
			return
		}
		h.leading, h.quiet, h.shape.next, h.rivals.next = true, h.w.n.env.Now(), 0, 0
		h.w.leased = 0
		if h.part.Hall && h.w.n.hall == nil {
			h.w.n.startHall()
		}
		h.greetFormer()
		h.lookHere()
		h.release()
	})
}

// OnFollow implements group.Events: the part, if it runs, has lost its say.
func (h *hosted) OnFollow(why error) {
	h.later(func() {
		if !h.leading {
			return
		}
		h.leading = false
		h.drop()
		r := h.w.routes[h.part]
		if r != nil && r.leader == h.w.cfg.Self {
			r.leader = machine.Peer{}
		}
		if errors.Is(why, group.ErrAsleep) {
			return // who needs it wakes it
		}
		if r != nil && r.leader == (machine.Peer{}) && len(r.sessions) > 0 {
			h.w.lose(r)
		}
		h.tellUsers()
	})
}

// drop ends the part that runs here.
func (h *hosted) drop() {
	n := h.w.n
	if h.part.Hall {
		if n.hall != nil {
			n.hall.gone = true
			n.hall = nil
		}
		return
	}
	if p := n.regions[h.part.Region]; p != nil {
		n.letGo(p)
	}
}

// OnChange implements group.Events: leader, members or their health.
func (h *hosted) OnChange() {
	h.later(func() {
		h.w.leased = 0 // other members, another majority
		if h.gone || h.leader() == (machine.Peer{}) {
			return
		}
		h.lookHere()
		h.release()
	})
}

// OnResult implements group.Events: the end of something that the part has
// asked for. A part that has lost its say is let go of, and need not hear what
// has become of its last writes: they may have been done.
func (h *hosted) OnResult(tag uint64, result any, err error) {
	h.later(func() {
		if errors.Is(err, group.ErrNotLeader) || errors.Is(err, group.ErrUnknown) {
			h.w.n.forgetJob(tag)
			return
		}
		h.w.n.done(tag, result, err)
	})
}

// OnGone implements group.Events: this node is not a member any more.
func (h *hosted) OnGone(why error) {
	h.OnFollow(why)
	h.later(func() {
		if errors.Is(why, group.ErrNonsense) {
			h.lostItsWay(why)
			return
		}
		h.gone = true
		switch {
		case errors.Is(why, group.ErrRemoved):
			h.rep.Erase(false)
		case errors.Is(why, group.ErrSuperseded):
			h.w.note("Another group of " + h.part.String() + " goes on, recovered without this node or begun before its own: what this node had is put aside.")
			h.gaveWay()
		default:
			h.w.damaged[h.part] = true
			h.w.note(h.part.String() + " cannot be hosted here: " + why.Error())
		}
		h.p.gone = true
		delete(h.w.hosts, h.part)
		if r := h.w.routes[h.part]; r != nil {
			r.members = slices.DeleteFunc(slices.Clone(r.members), func(p machine.Peer) bool { return p == h.w.cfg.Self })
		}
		h.release()
	})
}

// lostItsWay is when a member has said what makes no sense. The disk is as it
// was, and is read again, not at once: the member may go on so.
func (h *hosted) lostItsWay(why error) {
	h.p.gone = true // timers and jobs of that replica come to nobody
	if h.reread == 0 {
		h.w.note(h.part.String() + ": " + why.Error() + ". What is on the disk is read again.")
	}
	h.reread = h.w.n.env.Now().Add(rereadAfter)
}

// tellUsers tells the nodes that have used this replica where to go now.
func (h *hosted) tellUsers() {
	h.former = sortedPeers(h.users)
	for _, to := range h.former {
		h.w.tellWhere(to, h.part)
	}
	clear(h.users)
}

// greetFormer tells the sessions of nodes that have used the part when it was led
// here before that it begins anew. Who has not heard that it had ended would
// believe that all is as it was.
func (h *hosted) greetFormer() {
	var m machine.Message = &hall.NewHost{}
	if !h.part.Hall {
		m = &region.NewHost{Region: h.part.Region}
	}
	for _, to := range h.former {
		if f := h.w.far[to.ID]; f != nil && f.state == linkUp && len(f.sessions) > 0 {
			h.w.n.env.Send(f.peer, &ToSessions{id.Sorted(f.sessions), m})
		}
	}
	h.former = nil
}
