package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// onNewHost says again what the machine that led a neighbour, or the lobby,
// knew before another one took its place.
func (r *Region) onNewHost(from machine.Peer) {
	if from == Lobby {
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
	r.pending.resend(func(m *world.Remote) bool { return m.At.Region() == pos })
	r.mobs.resend(func(c mobCrossing) bool { return c.to == pos })
	r.hibernateIfIdle()
}

// introduce tells a lobby that knows nothing that the region ticks, and who is
// here.
func (r *Region) introduce() {
	if !r.loop.ticking {
		return
	}
	r.env.Send(Lobby, &Awake{Region: r.cfg.Pos})
	for _, p := range r.area.Players() {
		r.env.Send(Lobby, &Arrived{r.cfg.Pos, p.ID, uint32(p.Epoch)})
	}
}
