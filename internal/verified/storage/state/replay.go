package state

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Replayer computes the world at t_Of from a snapshot of the time before. It uses
// only what the node knows: of cells that reach out of the snapshot's cover, the
// objects inside. What it makes of places near the rim of that may be wrong; the
// contract of Rules.Replay says how far in everything is right.
type Replayer struct {
	Memo  *ReplayCache
	Rules Rules
	World World
	Time  Timing
	Reach int32 // nothing farther away from the target matters (World.Reach)
	Ring  int32 // cells around the target that are within it

	Of   int64
	From *Snapshot
	seen []*Cell          // the cells of from, as far as the node knows them; nil: not made yet
	Acts map[id.ID]*Batch // of the players that are known

	cells   []*Cell   // scratch: the surroundings of the target, row by row
	woken   []*Object // scratch: of the woken characters, those in the surroundings
	near    []*Object // scratch: what the rules are given
	known   []*Batch  // scratch: of the players there
	content []byte    // scratch: what the key is the digest of
	// guesses: something that is only guessed has gone into the last cell.
	Guesses bool
}

// Cell returns the target cell at t_of.
func (r *Replayer) Cell(x, y int32) *Cell {
	r.gather(x, y)
	r.Guesses = r.unsure(x, y)
	c := r.replay(x, y)
	if r.From.rests != nil {
		return r.withReturned(c, x, y)
	}
	return c
}

// replay is what becomes of a cell whose surroundings are gathered.
func (r *Replayer) replay(x, y int32) *Cell {
	return r.Memo.step(r.key(x, y), func() *Cell { return NewCell(r.Rules.Replay(r.step(x, y))) })
}

// unsure reports whether the target depends on what is not known.
func (r *Replayer) unsure(x, y int32) bool {
	if r.From.Unsure == nil {
		return false
	}
	for cy := y - r.Ring; cy <= y+r.Ring; cy++ {
		for cx := x - r.Ring; cx <= x+r.Ring; cx++ {
			if r.From.IsUnsure(cx, cy) {
				return true
			}
		}
	}
	return false
}

// gather collects the target's surroundings.
func (r *Replayer) gather(x, y int32) {
	if r.seen == nil {
		r.see()
	}
	r.cells = r.cells[:0]
	s := r.From
	for cy := y - r.Ring; cy <= y+r.Ring; cy++ {
		for cx := x - r.Ring; cx <= x+r.Ring; cx++ {
			var c *Cell
			if u, v := cx-s.X, cy-s.Y; u >= 0 && v >= 0 && u < s.W && v < s.H {
				c = r.seen[v*s.W+u]
			}
			r.cells = append(r.cells, c)
		}
	}
	r.woken = r.woken[:0]
	for _, o := range s.Activated {
		dx, dy := o.Pos.X/r.World.Cell-x, o.Pos.Y/r.World.Cell-y
		if max(dx, -dx) <= r.Ring && max(dy, -dy) <= r.Ring {
			r.woken = append(r.woken, o)
		}
	}
}

// see notes what the node knows of each cell, or guesses. What stands still touches
// nobody.
func (r *Replayer) see() {
	s := r.From
	r.seen = make([]*Cell, len(s.Cells))
	for i, c := range s.Cells {
		x, y := s.X+int32(i)%s.W, s.Y+int32(i)/s.W
		switch {
		case c == nil || s.FreezeOf(x, y) != NotFrozen:
		case s.IsUnsure(x, y):
			r.seen[i] = c
		default:
			r.seen[i] = r.Memo.Cell(c.Within(&s.Cover, s.Covers(x, y, r.World.Cell)))
		}
	}
}

// key is the digest of what goes into the step, and notes the players' batches on
// the way.
func (r *Replayer) key(x, y int32) stepKey {
	b := r.content[:0]
	r.known = r.known[:0]
	add := func(o *Object) {
		k := r.batch(o)
		d := k.digest()
		b, r.known = append(b, d[:]...), append(r.known, k)
	}
	for _, c := range r.cells {
		d := c.digest()
		b = append(b, d[:]...)
		if c == nil {
			continue
		}
		for _, o := range c.Players {
			add(o)
		}
	}
	for _, o := range r.woken {
		b = append(b, o.Digest[:]...)
		add(o)
	}
	r.content = b
	return stepKey{x, y, r.Of, id.Of(b)}
}

// batch is what a player has done; nothing, of one that the node has not asked about.
func (r *Replayer) batch(o *Object) *Batch {
	b := r.Acts[o.Player.ID]
	if b == nil {
		b = r.Memo.Batch(&Batch{Player: o.Player, Of: r.Of})
		r.Acts[o.Player.ID] = b
	}
	return b
}

// step is the target with its surroundings, for the rules.
func (r *Replayer) step(x, y int32) *Step {
	s := &Step{From: r.Time.Update(r.Of - 1), To: r.Time.Update(r.Of), Target: r.World.Square(x, y)}
	near := r.within(s.Target)
	objects := r.near[:0]
	for _, c := range r.cells {
		if c == nil {
			continue
		}
		for i := range c.spots {
			if near.Holds(c.spots[i].pos) {
				objects = append(objects, c.Objects[i])
			}
		}
	}
	r.near = append(objects, r.woken...)
	s.Objects = r.near
	slices.SortFunc(s.Objects, ByID)
	s.Objects = slices.CompactFunc(s.Objects, func(a, b *Object) bool { return a.ID == b.ID })
	for _, b := range r.known {
		s.Actions = append(s.Actions, b.Actions...)
	}
	slices.SortFunc(s.Actions, CompareActions)
	return s
}

// within is where the objects are that may matter to a target. Where the rules say which
// cells do (World.Ring) it is all of those.
func (r *Replayer) within(target geom.Rect) geom.Rect {
	far := r.Reach
	if r.World.Ring > 0 {
		far = r.Ring * r.World.Cell
	}
	return geom.Rect{
		Min: geom.Point{X: target.Min.X - far, Y: target.Min.Y - far},
		Max: geom.Point{X: target.Max.X + far, Y: target.Max.Y + far},
	}
}

func ByID(a, b *Object) int {
	switch {
	case a.ID < b.ID:
		return -1
	case a.ID > b.ID:
		return 1
	}
	return 0
}

// Square is the cell in column x and row y, its greatest corner not included.
func (w World) Square(x, y int32) geom.Rect {
	return geom.Rect{
		Min: geom.Point{X: x * w.Cell, Y: y * w.Cell},
		Max: geom.Point{X: min((x+1)*w.Cell, w.Side), Y: min((y+1)*w.Cell, w.Side)},
	}
}

// RingWithin is how many cells around a cell its replay depends on.
func (w World) RingWithin(reach int32) int32 {
	if w.Ring > 0 {
		return w.Ring
	}
	return (reach + w.Cell - 1) / w.Cell
}
