package overlay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// Greedy is the attacker of the thesis' evaluation (6.3.4), for simulations: it
// keeps to the protocol but for RtRequests, which it answers itself, whatever
// they ask for, and never passes on. In this way it tries to get into as many
// routing tables as it can.
type Greedy struct {
	*Node
	// Wary attackers answer only what they can gain by: requests for entries that
	// they fit. No audit finds them out.
	Wary bool
}

// OnMessage implements machine.Machine.
func (g Greedy) OnMessage(from machine.Peer, m machine.Message) {
	r, ok := m.(*RtRequest)
	p := g.peers.get(from.ID)
	if !ok || g.Wary && !g.gains(r) || g.stopped || p == nil || p.greeting || p.link != linkUp || !g.valid(r) || !g.consistentOrigin(p, r.Origin) {
		g.Node.OnMessage(from, m)
		return
	}
	g.offer(r.Origin)
	g.direct(r.Origin, &RtResponse{From: g.self, Target: r.Dest})
	g.finishHandler()
}

// gains reports whether the attacker fits the entry that is asked for.
func (g Greedy) gains(r *RtRequest) bool {
	if r.Origin == nil {
		return false
	}
	s := g.cfg.Space
	want, ok := s.SlotOf(r.Origin.Pos, r.Dest)
	own, fits := s.SlotOf(r.Origin.Pos, g.self.Pos)
	return ok && fits && own == want
}
