// Package attack has the attacker of the thesis' evaluation of the overlay (Schuster
// 2013, 6.3.4), for simulations. Programs for players do not contain it.
package attack

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// Greedy keeps to the protocol but for RtRequests, which it answers itself, whatever
// they ask for, and never passes on. In this way it tries to get into as many routing
// tables as it can.
type Greedy struct {
	*overlay.Node
	// Wary attackers answer only what they can gain by: requests for entries that
	// they fit. No audit finds them out.
	Wary bool
	// Space is that of the overlay.
	Space overlay.Space
}

// OnMessage implements machine.Machine.
func (g Greedy) OnMessage(from machine.Peer, m machine.Message) {
	r, ok := m.(*overlay.RtRequest)
	if !ok || g.Wary && !g.gains(r) || !g.AnswerRequest(from, r) {
		g.Node.OnMessage(from, m)
	}
}

// gains reports whether the attacker fits the entry that is asked for.
func (g Greedy) gains(r *overlay.RtRequest) bool {
	if r.Origin == nil {
		return false
	}
	want, ok := g.Space.SlotOf(r.Origin.Pos, r.Dest)
	own, fits := g.Space.SlotOf(r.Origin.Pos, g.Self().Pos)
	return ok && fits && own == want
}
