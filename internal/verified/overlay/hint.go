package overlay

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// RtHint tells a neighbour of a node that may be the best for an entry of its
// routing table. It is ours.
//
// Passive filling (thesis 4.5.6) alone leaves one entry in ten with a node that
// is not the nearest: those who need a node that has joined are those whose
// targets lie in its cell, and only the ones on the way of its requests see it.
// But targets mirror places: whoever needs the node stands at one of the node's
// own targets, or next to it. So the node nearest to a target, where a request
// ends, tells its neighbours. Attackers live on entries that nobody corrects
// (6.3.4), and lose them with this.
type RtHint struct{ Node *Contact }

// Size makes messages known to simulations.
func (*RtHint) Size() int { return 1 + sizeContact }

// The requests of a node for one entry come over several paths, within seconds:
// one of them is passed on to the neighbours.
const (
	hintsKept = 64
	hintAgain = time.Minute
)

// recentHints is who was hinted at of late.
type recentHints struct {
	who   [hintsKept]id.ID
	until [hintsKept]machine.Time
	at    int
}

// has reports whether a node was hinted at, and remembers it.
func (h *recentHints) has(who id.ID, now machine.Time) bool {
	for i := range h.who {
		if h.until[i] > now && h.who[i] == who {
			return true
		}
	}
	h.who[h.at], h.until[h.at] = who, now.Add(hintAgain)
	h.at = (h.at + 1) % hintsKept
	return false
}

// hint tells those neighbours of a node whose entries it may fit better than
// what fits ours.
func (rt *routingTable) hint(c *Contact) {
	if rt.hinted.has(c.ID, rt.env.Now()) {
		return
	}
	s := rt.cfg.Space
	var best *Contact
	if e := rt.entryOf(c); e != nil && e.cur != nil {
		best = e.cur.Contact
	}
	for _, p := range rt.hood.neighbours {
		slot, ok := s.SlotOf(p.Pos, c.Pos)
		if !ok {
			continue
		}
		if best != nil && best.ID != c.ID && closer(s.Target(p.Pos, slot), best, c) {
			if theirs, fits := s.SlotOf(p.Pos, best.Pos); fits && theirs == slot {
				continue // as far as we know it has a nearer one
			}
		}
		rt.env.Send(p.peer, &RtHint{c})
	}
}

// onRtHint passes on a hint that was of use here: those who need the node stand
// side by side.
func (rt *routingTable) onRtHint(m *RtHint) {
	if m.Node.ID != rt.self.ID && rt.hello.consistent(m.Node) && rt.offer(m.Node) {
		rt.hint(m.Node)
	}
}
