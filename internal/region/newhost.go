package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/id"
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
	if i := r.findNeighbour(from); i >= 0 { // its Watch may have come before
		r.neighbours[i].anew(r.neighbours[i].want)
		r.feed()
	}
	if delete(r.halo.heard, pos); r.ticking && ringOf(r.cfg.Pos, pos) != (watchSet{}) {
		r.watchBorder(pos)
	}
	for _, player := range id.Sorted(r.outs) {
		if o := r.outs[player]; o.m != nil && o.to == pos {
			r.env.Send(from, o.m)
		}
	}
	r.askAgain(func(m *world.Remote) bool { return m.At.Region() == pos })
	r.sendMobs(func(c mobCrossing) bool { return c.to == pos })
	r.rest()
}

// introduce tells a hall that knows nothing that the region ticks, and who is
// here.
func (r *Region) introduce() {
	if !r.ticking {
		return
	}
	r.env.Send(Hall, &Awake{Region: r.cfg.Pos})
	for _, p := range r.area.Players() {
		r.env.Send(Hall, &Arrived{r.cfg.Pos, p.ID, uint32(p.Epoch)})
	}
}
