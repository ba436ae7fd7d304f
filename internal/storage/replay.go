package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
)

// replayer computes the world at t_Of from a snapshot of the time before.
type replayer struct {
	memo  *ReplayCache
	rules Rules
	world World
	time  timing
	ring  int32 // cells around the target that are within reach

	of    int64
	from  *Snapshot
	acts  map[id.ID]*Batch // of the players that are known
	cells []*Cell          // scratch: the surroundings of the target, row by row
	known []*Batch         // scratch: of the players there
	blind bool             // nothing but what the node itself knows goes in
	// guesses: something that is only guessed has gone into the last cell.
	guesses bool
}

// cell returns the target cell at t_of.
func (r *replayer) cell(x, y int32) *Cell {
	canon := r.gather(x, y)
	r.guesses = r.unsure(x, y)
	c := r.replay(x, y)
	if r.from.rests != nil {
		return r.withReturned(c, x, y)
	}
	g := r.memo.at(r.of)
	if at := [2]int32{x, y}; g != nil && canon && !r.blind && !r.guesses && g.canon[at] == nil {
		c.canon = true
		g.canon[at] = c
	}
	return c
}

// replay is what becomes of a cell whose surroundings are gathered.
func (r *replayer) replay(x, y int32) *Cell {
	k := r.key(x, y)
	g := r.memo.at(r.of)
	if g == nil {
		r.memo.Steps++
		return NewCell(r.rules.Replay(r.step(x, y)))
	}
	c := g.steps[k]
	if c != nil {
		r.memo.Hits++
	} else {
		r.memo.Steps++
		c = NewCell(r.rules.Replay(r.step(x, y)))
		g.steps[k] = c
	}
	return c
}

// shared is the cell that everybody shares if the node, who sees a part of it,
// sees no difference between the two.
func (r *replayer) shared(c *Cell, x, y int32, cover *overlay.Area) *Cell {
	g := r.memo.at(r.of)
	if c.canon || g == nil {
		return c
	}
	one := g.canon[[2]int32{x, y}]
	if one == nil || !sameWithin(cover, one, c, false) {
		return c
	}
	return one
}

// unsure reports whether the target depends on what is not known.
func (r *replayer) unsure(x, y int32) bool {
	if r.from.Unsure == nil {
		return false
	}
	for cy := y - r.ring; cy <= y+r.ring; cy++ {
		for cx := x - r.ring; cx <= x+r.ring; cx++ {
			if r.from.unsure(cx, cy) {
				return true
			}
		}
	}
	return false
}

// gather collects the target's surroundings, those that cannot be seen from the
// cache, and reports whether all are what everybody shares.
func (r *replayer) gather(x, y int32) bool {
	r.cells = r.cells[:0]
	last, canon := (r.world.Side-1)/r.world.Cell, true
	side := r.world.Cell
	for cy := y - r.ring; cy <= y+r.ring; cy++ {
		for cx := x - r.ring; cx <= x+r.ring; cx++ {
			if cx < 0 || cy < 0 || cx > last || cy > last {
				r.cells = append(r.cells, nil)
				continue
			}
			if r.from.freezeOf(cx, cy) != notFrozen {
				canon = false
				r.cells = append(r.cells, nil) // what stands still touches nobody
				continue
			}
			c := r.from.At(cx, cy)
			if c == nil && !r.blind && !r.from.unsure(cx, cy) && r.from.covers(cx, cy, side) == outside {
				c = r.memo.cellOutOfSight(r, cx, cy)
			}
			canon = canon && c != nil && c.canon
			r.cells = append(r.cells, c)
		}
	}
	return canon
}

// key hashes what goes into the step, and notes the players' batches on the way.
func (r *replayer) key(x, y int32) stepKey {
	k := stepKey{x: x, y: y}
	r.known = r.known[:0]
	for _, c := range r.cells {
		k.cells = rng.Hash(k.cells, r.memo.number(c))
		if c == nil {
			continue
		}
		for _, o := range c.players {
			b := r.batch(o)
			k.acts = rng.Hash(k.acts, b.hash)
			r.known = append(r.known, b)
		}
	}
	for _, o := range r.activated(x, y) {
		b := r.batch(o)
		k.acts = rng.Hash(k.acts, b.hash, hashBytes(o.Digest[:8]))
		r.known = append(r.known, b)
	}
	return k
}

// activated are those of the woken characters that lie in the surroundings, and
// those there who cannot be seen.
func (r *replayer) activated(x, y int32) []*Object {
	near := func(o *Object) bool {
		dx, dy := o.Pos.X/r.world.Cell-x, o.Pos.Y/r.world.Cell-y
		return max(dx, -dx) <= r.ring && max(dy, -dy) <= r.ring
	}
	var out []*Object
	for _, o := range r.from.Woken {
		if near(o) {
			out = append(out, o)
		}
	}
	for _, o := range r.memo.wakes[r.of-1] {
		if !r.blind && near(o) && !contains(&r.from.Cover, o.Pos) {
			out = append(out, o)
		}
	}
	if len(out) > 1 {
		slices.SortFunc(out, byID)
	}
	return out
}

// batch is what a player has done. Of those that cannot be seen from here, what
// others have found.
func (r *replayer) batch(o *Object) *Batch {
	if b := r.acts[o.Player.ID]; b != nil {
		return b
	}
	if r.blind {
		return r.memo.batch(&Batch{Player: o.Player, Of: r.of})
	}
	return r.memo.batchOutOfSight(o.Player, r.of)
}

// step is the target with its surroundings, for the rules.
func (r *replayer) step(x, y int32) *Step {
	s := &Step{From: r.time.update(r.of - 1), To: r.time.update(r.of), Target: r.world.square(x, y)}
	for _, c := range r.cells {
		if c != nil {
			s.Objects = append(s.Objects, c.Objects...)
		}
	}
	s.Objects = append(s.Objects, r.activated(x, y)...)
	slices.SortFunc(s.Objects, byID)
	s.Objects = slices.CompactFunc(s.Objects, func(a, b *Object) bool { return a.ID == b.ID })
	for _, b := range r.known {
		s.Actions = append(s.Actions, b.Actions...)
	}
	slices.SortFunc(s.Actions, order)
	return s
}

func byID(a, b *Object) int {
	switch {
	case a.ID < b.ID:
		return -1
	case a.ID > b.ID:
		return 1
	}
	return 0
}

// square is the cell in column x and row y, its greatest corner not included.
func (w World) square(x, y int32) geom.Rect {
	return geom.Rect{
		Min: geom.Point{X: x * w.Cell, Y: y * w.Cell},
		Max: geom.Point{X: min((x+1)*w.Cell, w.Side), Y: min((y+1)*w.Cell, w.Side)},
	}
}

// ring is how many cells around a cell its replay depends on.
func (w World) ring(reach int32) int32 {
	if w.Ring > 0 {
		return w.Ring
	}
	return (reach + w.Cell - 1) / w.Cell
}
