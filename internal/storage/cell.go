package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// Cell is one square of the world at one time: frozen, and shared by all who
// hold the same.
type Cell struct {
	Objects []*Object // dynamic, ascending by ID
	// Asleep are characters that became static in the step that made the cell.
	Asleep []*Object

	players []*Object // those of Objects that are a player's character
	size    int
	spots   []spot // of Objects, side by side: messages' sizes are counted by them
	serial  uint64 // of the memo; 0: none yet
	canon   bool   // made by the memo from what all share

	digestOnly *digestCell // nothing else is known of it (see brief.go); nil: it is
	sum        *Digest     // of Objects; nil: nobody has wanted it yet
}

// spot is what counts of an object in a message's size.
type spot struct {
	pos  geom.Point
	size int32
}

// NewCell returns a cell of some objects, which it keeps.
func NewCell(objects []*Object) *Cell {
	c := &Cell{}
	for _, o := range objects {
		if o.Static {
			c.Asleep = append(c.Asleep, o)
		}
	}
	if c.Asleep != nil {
		objects = slices.DeleteFunc(slices.Clone(objects), func(o *Object) bool { return o.Static })
	}
	c.Objects = objects
	c.spots = make([]spot, len(objects))
	for i, o := range objects {
		c.spots[i] = spot{o.Pos, int32(o.Size)}
		c.size += o.Size
		if o.Player != nil {
			c.players = append(c.players, o)
		}
	}
	return c
}

// find returns an object by its id.
func (c *Cell) find(id ObjectID) *Object {
	if i, ok := c.index(id); ok {
		return c.Objects[i]
	}
	return nil
}

func (c *Cell) index(id ObjectID) (int, bool) {
	return slices.BinarySearchFunc(c.Objects, id, func(o *Object, id ObjectID) int {
		switch {
		case o.ID < id:
			return -1
		case o.ID > id:
			return 1
		}
		return 0
	})
}

// Snapshot is a part of the world at an update time: frozen.
//
// It consists of whole cells, seen through Cover: only what lies in it is known
// to whoever holds the snapshot. In a simulation the cells are shared and hold
// more than that; nothing looks at it but the replay, whose results inside do
// not depend on it (see memo).
type Snapshot struct {
	Of    int64 // the world at t_Of
	Cover overlay.Area
	Grid
	// Whole: of every cell that Cover touches all is known (Protocol.Digests).
	Whole bool
	// Unsure are cells of the window of which it is not known what is in them,
	// though they lie in Cover; nil: none. What Cells has for one of these is a
	// guess (see guess.go), nil if there is not even that.
	Unsure []bool
	// isFrozenByVote says of unsure cells whether they stand still (see still.go); nil: none
	// does.
	rests []freeze
	// Woken are static characters that take part in the next step because their
	// players said so (thesis 5.4.1). Only those who store them know of it, so
	// they do not count when duplicates are compared.
	Woken []*Object

	sums []int32 // see index; nil: none
	rims []int32 // how much of each cell lies in Cover; nil: not known
}

// Grid is a window of cells.
type Grid struct {
	X, Y, W, H int32 // in cells
	Cells      []*Cell
}

// gridOver returns an empty window over an area, cut at the world's edge, and
// ring cells farther.
func gridOver(a *overlay.Area, w *World, ring int32) Grid {
	x0, y0, x1, y1 := cellsOver(a, w, ring)
	g := Grid{X: x0, Y: y0, W: max(x1-x0+1, 0), H: max(y1-y0+1, 0)}
	g.Cells = make([]*Cell, g.W*g.H)
	return g
}

// cellsOver are the first and last columns and rows of gridOver.
func cellsOver(a *overlay.Area, w *World, ring int32) (x0, y0, x1, y1 int32) {
	b := bounds(a)
	last := (w.Side - 1) / w.Cell
	x0, y0 = max(b.Min.X, 0)/w.Cell-ring, max(b.Min.Y, 0)/w.Cell-ring
	x1, y1 = min(max(b.Max.X, 0)/w.Cell+ring, last), min(max(b.Max.Y, 0)/w.Cell+ring, last)
	return max(x0, 0), max(y0, 0), x1, y1
}

// At returns the cell in column x and row y, nil outside the window.
func (g *Grid) At(x, y int32) *Cell {
	x, y = x-g.X, y-g.Y
	if x < 0 || y < 0 || x >= g.W || y >= g.H {
		return nil
	}
	return g.Cells[y*g.W+x]
}

func (g *Grid) set(x, y int32, c *Cell) { g.Cells[(y-g.Y)*g.W+x-g.X] = c }

// sees reports whether a place counts in a snapshot that is seen through a
// further area.
func (s *Snapshot) sees(a *overlay.Area, p geom.Point, w *World) bool {
	return s.knows(p, w) && contains(a, p)
}

// knows reports whether the snapshot tells what is at a place.
func (s *Snapshot) knows(p geom.Point, w *World) bool {
	if s.Whole {
		return s.covers(p.X/w.Cell, p.Y/w.Cell, w.Cell) != outside
	}
	return contains(&s.Cover, p) && !s.unsure(p.X/w.Cell, p.Y/w.Cell)
}

// Knows reports whether the snapshot tells what is at a place.
func (s *Snapshot) Knows(p geom.Point, w World) bool { return s.knows(p, &w) }

// covers is how a cell lies to what the snapshot tells of.
func (s *Snapshot) covers(x, y, side int32) relation {
	if s.unsure(x, y) {
		return outside
	}
	return s.through(&s.Cover, x, y, side)
}

// through is how a cell lies to an area through which the snapshot is seen.
func (s *Snapshot) through(a *overlay.Area, x, y, side int32) relation {
	how := relate(a, x*side, y*side, side)
	if s.Whole && how != outside {
		return inside
	}
	return how
}

func (s *Snapshot) unsure(x, y int32) bool {
	if s.Unsure == nil {
		return false
	}
	x, y = x-s.X, y-s.Y
	return x >= 0 && y >= 0 && x < s.W && y < s.H && s.Unsure[y*s.W+x]
}

// part is a cell of a snapshot, seen through an area; whole: all of it counts.
type part struct {
	x, y  int32
	cell  *Cell
	whole bool
}

// parts calls fn for each cell that counts, seen through an area.
func (s *Snapshot) parts(a *overlay.Area, w *World, fn func(part)) {
	b := bounds(a)
	x0, x1 := max(b.Min.X/w.Cell, s.X), min(b.Max.X/w.Cell, s.X+s.W-1)
	y0, y1 := max(b.Min.Y/w.Cell, s.Y), min(b.Max.Y/w.Cell, s.Y+s.H-1)
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			by := s.through(a, x, y, w.Cell)
			if by == outside {
				continue
			}
			own := s.covers(x, y, w.Cell)
			if own == outside {
				continue
			}
			fn(part{x, y, s.Cells[(y-s.Y)*s.W+x-s.X], by == inside && own == inside})
		}
	}
}

// Objects appends the objects of the snapshot in an area, cell by cell.
func (s *Snapshot) Objects(a *overlay.Area, world World, out []*Object) []*Object {
	w := &world
	s.parts(a, w, func(p part) {
		if p.cell == nil {
			return
		}
		for _, o := range p.cell.Objects {
			if p.whole || s.sees(a, o.Pos, w) {
				out = append(out, o)
			}
		}
	})
	return out
}

// index notes how much lies in the cells up to each one of its row, so that a
// message's size need not be counted cell by cell, and how much of those at the
// rim: everybody who asks would count that again.
func (s *Snapshot) index(w *World) {
	s.sums = make([]int32, (s.W+1)*s.H)
	s.rims = make([]int32, len(s.Cells))
	for i, c := range s.Cells {
		if x, y := s.X+int32(i)%s.W, s.Y+int32(i)/s.W; c != nil && relate(&s.Cover, x*w.Cell, y*w.Cell, w.Cell) == across {
			s.rims[i] = c.sizeIn(&s.Cover)
		}
	}
	for y := range s.H {
		row := s.sums[y*(s.W+1):]
		for x := range s.W {
			row[x+1] = row[x]
			if c := s.Cells[y*s.W+x]; c != nil {
				row[x+1] += int32(c.size)
			}
		}
	}
}

// sizeIn is what a message that holds the objects in an area is charged for. In
// each row what lies wholly inside is contiguous, for areas are convex.
func (s *Snapshot) sizeIn(a *overlay.Area, w *World) int {
	size := 0
	s = s.withTentative()
	b := bounds(a)
	x0, x1 := max(b.Min.X/w.Cell, s.X), min(b.Max.X/w.Cell, s.X+s.W-1)
	y0, y1 := max(b.Min.Y/w.Cell, s.Y), min(b.Max.Y/w.Cell, s.Y+s.H-1)
	for y := y0; y <= y1; y++ {
		from, to := x0, x1
		for from <= to && !s.sizeAt(a, w, from, y, &size) {
			from++
		}
		for to > from && !s.sizeAt(a, w, to, y, &size) {
			to--
		}
		if from > to {
			continue
		}
		if s.sums != nil {
			row := s.sums[(y-s.Y)*(s.W+1):]
			size += int(row[to+1-s.X] - row[from-s.X])
			continue
		}
		for x := from; x <= to; x++ {
			if c := s.At(x, y); c != nil {
				size += c.size
			}
		}
	}
	for _, o := range s.Woken {
		if s.sees(a, o.Pos, w) {
			size += o.Size
		}
	}
	return size
}

// sizeAt adds what counts of a cell, unless all of it does: then it reports true.
func (s *Snapshot) sizeAt(a *overlay.Area, w *World, x, y int32, size *int) bool {
	by, own := s.through(a, x, y, w.Cell), s.covers(x, y, w.Cell)
	if by == inside && own == inside {
		return true
	}
	c := s.At(x, y)
	switch {
	case c == nil || by == outside || own == outside:
	case own == inside:
		*size += int(c.sizeIn(a))
	case by == inside && s.rims != nil:
		*size += int(s.rims[(y-s.Y)*s.W+x-s.X])
	case by == inside:
		*size += int(c.sizeIn(&s.Cover))
	default:
		for _, o := range c.spots {
			if contains(&s.Cover, o.pos) && contains(a, o.pos) {
				*size += int(o.size)
			}
		}
	}
	return false
}

// sizeIn is what the objects of the cell take that lie in an area. In circles it
// is counted without branches, for which of them do is anybody's guess.
func (c *Cell) sizeIn(a *overlay.Area) (size int32) {
	if len(a.Polygon) > 0 {
		for _, o := range c.spots {
			if contains(a, o.pos) {
				size += o.size
			}
		}
		return size
	}
	square := int64(a.Circle.R) * int64(a.Circle.R)
	for i := range c.spots {
		o := &c.spots[i]
		size += o.size & int32((o.pos.Dist2(a.Circle.C)-square-1)>>63)
	}
	return size
}

// players appends the characters in an area, woken ones too.
func (s *Snapshot) players(a *overlay.Area, w *World, out []*Object) []*Object {
	s.parts(a, w, func(p part) {
		if p.cell == nil {
			return
		}
		for _, o := range p.cell.players {
			if p.whole || s.sees(a, o.Pos, w) {
				out = append(out, o)
			}
		}
	})
	for _, o := range s.Woken {
		if s.sees(a, o.Pos, w) {
			out = append(out, o)
		}
	}
	return out
}
