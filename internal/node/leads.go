package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/group"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// leader is who leads the group, as far as this replica knows.
func (h *hosted) leader() machine.Peer {
	if h.leading {
		return h.w.cfg.Self
	}
	if p := h.rep.Leader(); p != h.w.cfg.Self {
		return p
	}
	return machine.Peer{}
}

// members are the voters of the group, and the other one of two.
func (h *hosted) members() []machine.Peer { return h.rep.Holders(nil) }

// term orders what is said about the part's leader: by generation, then term.
func (h *hosted) term() uint64 { return termOf(h.rep.Term()) }

func termOf(g group.Gen, term uint64) uint64 { return g.Number<<36 | term&(1<<36-1) }

// generationOf is the generation's number in a term.
func generationOf(term uint64) uint64 { return term >> 36 }

// knows reports whether the replica here knows better who leads than others did
// in a term. One that was left behind does not: its group has gone on without it
// while it could not hear that, and those that it remembers may be no members
// any more either.
func (h *hosted) knows(term uint64) bool {
	return h != nil && (h.leading || h.leader() != machine.Peer{} && h.term() >= term)
}

// rouse wakes a group that sleeps, or has no leader, because somebody needs it.
func (h *hosted) rouse() {
	if h.rep.Sleeps() || h.rep.Leader() == (machine.Peer{}) {
		h.rep.Wake()
	}
	h.lookHere()
}

// lookHere tells the route what the replica here knows of the leader.
func (h *hosted) lookHere() {
	r := h.w.routes[h.part]
	if leader := h.leader(); r != nil && h.knows(r.term) && h.w.reachable(leader) {
		h.w.found(r, leader, h.members(), h.term())
	}
}

// checkLeases ends what this node leads no longer; it reports whether there was
// such a part. A replica notices by itself, but not before it is its turn: after
// a machine was suspended, what came meanwhile may come first, and must not be
// answered from a past that the world has left behind.
func (w *network) checkLeases() (ended bool) {
	now := w.n.env.Now()
	if now < w.leased {
		return false
	}
	w.leased = now.Add(beat)
	for _, p := range sortedParts(w.hosts) {
		h := w.hosts[p]
		if !h.leading {
			continue
		}
		if until := h.rep.LeadsUntil(); until > now {
			w.leased = min(w.leased, until)
			continue
		}
		ended = true
		h.rep.CheckLease()
	}
	return ended
}
