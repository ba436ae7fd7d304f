package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// onNewHost says again what the machine that led a neighbour, or the hall,
// knew before another one took its place.
func (r *Region) onNewHost(from machine.Peer) {
	if from == Hall {
		r.introduce()
		return
	}
	pos, ok := RegionOf(from)
	if !ok {
		r.stats.Refused++
		return
	}
	r.border.restart(from, pos, r.loop.tick, r.loop.ticking)
	r.outgoing.resend(pos)
	r.asks.again(func(m *world.Remote) bool { return m.At.Region() == pos })
	r.mobs.resend(func(c mobCrossing) bool { return c.to == pos })
	r.rest()
}

// introduce tells a hall that knows nothing that the region ticks, and who is
// here.
func (r *Region) introduce() {
	if !r.loop.ticking {
		return
	}
	r.env.Send(Hall, &Awake{Region: r.cfg.Pos})
	for _, p := range r.area.Players() {
		r.env.Send(Hall, &Arrived{r.cfg.Pos, p.ID, uint32(p.Epoch)})
	}
}
