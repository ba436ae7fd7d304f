package mmve

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// populate puts everything where it is at t_0 (thesis 6.4.1): a third of the
// NPCs and half of the characters at points of interest, the others anywhere.
func (w *World) populate(players []*state.Player) {
	row := int(w.side / cellSide)
	w.cells = make([][]*state.Object, row*row)
	r := rng.New(w.cfg.Seed, drawPoint)
	for range w.cfg.Points {
		w.points = append(w.points, w.anywhere(&r))
	}
	for i := range w.cfg.NPCs {
		r := rng.New(w.cfg.Seed, drawNPC, uint64(i))
		home := w.somewhere(&r, 3)
		place := w.near(home, wander, &r)
		n := npc{home: home, walk: standing(place, 0), health: fullHealth}
		w.put(newNPC(state.ObjectID(i+1), place, n))
	}
	for _, p := range players {
		w.players[p.ID] = p
		who := CharacterOf(p)
		r := rng.New(w.cfg.Seed, drawCharacter, uint64(who))
		place := w.somewhere(&r, 2)
		w.places[p.ID] = place
		c := character{walk: standing(place, 0), health: fullHealth}
		c.bag = randomBag(w.cfg.Seed, who, smallest-headSize+r.Intn(largest-smallest+1))
		w.put(newCharacter(p, true, place, c))
	}
	for _, cell := range w.cells {
		slices.SortFunc(cell, state.ByID)
	}
}

// somewhere returns a place near a point of interest once in n times, otherwise
// anywhere.
func (w *World) somewhere(r *rng.Rand, n int) geom.Point {
	if len(w.points) > 0 && r.OneIn(n) {
		return w.near(w.points[r.Intn(len(w.points))], around, r)
	}
	return w.anywhere(r)
}

func (w *World) put(o *state.Object) {
	i := o.Pos.Y/cellSide*(w.side/cellSide) + o.Pos.X/cellSide
	w.cells[i] = append(w.cells[i], o)
}
