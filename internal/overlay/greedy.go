package overlay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// Greedy is the attacker of the thesis' evaluation (6.3.4), for simulations: it
// keeps to the protocol but for RtRequests, which it answers itself, whatever
// they ask for, and never passes on. In this way it tries to get into as many
// routing tables as it can.
type Greedy struct{ *Node }

// OnMessage implements machine.Machine.
func (g Greedy) OnMessage(from machine.Peer, m machine.Message) {
	r, ok := m.(*RtRequest)
	p := g.peers.get(from.ID)
	if !ok || g.stopped || p == nil || p.greeting || p.link != linkUp || !g.sane(r) || !g.vouched(p, r.Origin) {
		g.Node.OnMessage(from, m)
		return
	}
	g.offer(r.Origin)
	g.direct(r.Origin, &RtResponse{From: g.self, Target: r.Dest})
	g.settle()
}
