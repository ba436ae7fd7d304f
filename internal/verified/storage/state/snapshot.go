package state

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// Snapshot is a part of the world at an update time: frozen.
//
// It consists of cells, seen through Cover: only what lies in it is known to whoever
// holds the snapshot, also where a cell reaches out of it.
type Snapshot struct {
	Of    int64 // the world at t_Of
	Cover overlay.Area
	Grid
	// Whole: of every cell that Cover touches all is known, as in the hardened protocol.
	Whole bool
	// Unsure are cells of the window of which it is not known what is in them,
	// though they lie in Cover; nil: none. What Cells has for one of these is a
	// guess (see tentative.go), nil if there is not even that.
	Unsure []bool
	// rests says of unsure cells whether they stand still (see freeze.go); nil: none
	// does.
	rests []Freeze
	// Activated are static characters that take part in the next step because their
	// players said so (thesis 5.4.1). Only those who store them know of it, so
	// they do not count when duplicates are compared.
	Activated []*Object

	sums []int32 // see index; nil: none
	rims []int32 // how much of each cell lies in Cover; nil: not known
}

// Sees reports whether a place counts in a snapshot that is seen through a
// further area: of whole cells all that the area touches.
func (s *Snapshot) Sees(a *overlay.Area, p geom.Point, w *World) bool {
	if s.Whole {
		return s.knows(p, w) && RelateCell(a, p, w) != Outside
	}
	return s.knows(p, w) && Contains(a, p)
}

// RelateCell is how the cell of a place lies to an area.
func RelateCell(a *overlay.Area, p geom.Point, w *World) relation {
	return Relate(a, p.X/w.Cell*w.Cell, p.Y/w.Cell*w.Cell, w.Cell)
}

// knows reports whether the snapshot tells what is at a place.
func (s *Snapshot) knows(p geom.Point, w *World) bool {
	if s.Whole {
		return s.Covers(p.X/w.Cell, p.Y/w.Cell, w.Cell) != Outside
	}
	return Contains(&s.Cover, p) && !s.IsUnsure(p.X/w.Cell, p.Y/w.Cell)
}

// Knows reports whether the snapshot tells what is at a place.
func (s *Snapshot) Knows(p geom.Point, w World) bool { return s.knows(p, &w) }

// Covers is how a cell lies to what the snapshot tells of.
func (s *Snapshot) Covers(x, y, side int32) relation {
	if s.IsUnsure(x, y) {
		return Outside
	}
	return s.Through(&s.Cover, x, y, side)
}

// Through is how a cell lies to an area through which the snapshot is seen.
func (s *Snapshot) Through(a *overlay.Area, x, y, side int32) relation {
	how := Relate(a, x*side, y*side, side)
	if s.Whole && how != Outside {
		return Inside
	}
	return how
}

func (s *Snapshot) IsUnsure(x, y int32) bool {
	if s.Unsure == nil {
		return false
	}
	x, y = x-s.X, y-s.Y
	return x >= 0 && y >= 0 && x < s.W && y < s.H && s.Unsure[y*s.W+x]
}

// Parts calls fn for each cell that counts, seen through an area.
func (s *Snapshot) Parts(a *overlay.Area, w *World, fn func(Part)) {
	b := bounds(a)
	x0, x1 := max(b.Min.X/w.Cell, s.X), min(b.Max.X/w.Cell, s.X+s.W-1)
	y0, y1 := max(b.Min.Y/w.Cell, s.Y), min(b.Max.Y/w.Cell, s.Y+s.H-1)
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			by := s.Through(a, x, y, w.Cell)
			if by == Outside {
				continue
			}
			own := s.Covers(x, y, w.Cell)
			if own == Outside {
				continue
			}
			fn(Part{x, y, s.Cells[(y-s.Y)*s.W+x-s.X], by == Inside && own == Inside})
		}
	}
}

// Objects appends the objects of the snapshot in an area, cell by cell.
func (s *Snapshot) Objects(a *overlay.Area, world World, out []*Object) []*Object {
	w := &world
	s.Parts(a, w, func(p Part) {
		if p.Cell == nil {
			return
		}
		for _, o := range p.Cell.Objects {
			if p.whole || s.Sees(a, o.Pos, w) {
				out = append(out, o)
			}
		}
	})
	return out
}

// SizeOf is what the objects take, encoded, that Objects returns.
func (s *Snapshot) SizeOf(a *overlay.Area, world World) (size int) {
	w := &world
	s.Parts(a, w, func(p Part) {
		switch {
		case p.Cell == nil:
		case p.whole:
			size += p.Cell.size
		default:
			for _, o := range p.Cell.spots {
				if s.Sees(a, o.pos, w) {
					size += int(o.size)
				}
			}
		}
	})
	return size
}

// Players appends the characters in an area, woken ones too.
func (s *Snapshot) Players(a *overlay.Area, w *World, out []*Object) []*Object {
	s.Parts(a, w, func(p Part) {
		if p.Cell == nil {
			return
		}
		for _, o := range p.Cell.Players {
			if p.whole || s.Sees(a, o.Pos, w) {
				out = append(out, o)
			}
		}
	})
	for _, o := range s.Activated {
		if s.Sees(a, o.Pos, w) {
			out = append(out, o)
		}
	}
	return out
}

// Part is a cell of a snapshot, seen through an area; whole: all of it counts.
type Part struct {
	X, Y  int32
	Cell  *Cell
	whole bool
}

// Grid is a window of cells.
type Grid struct {
	X, Y, W, H int32 // in cells
	Cells      []*Cell
}

// GridOver returns an empty window over an area, cut at the world's edge, and
// ring cells farther.
func GridOver(a *overlay.Area, w *World, ring int32) Grid {
	x0, y0, x1, y1 := CellsOver(a, w, ring)
	g := Grid{X: x0, Y: y0, W: max(x1-x0+1, 0), H: max(y1-y0+1, 0)}
	g.Cells = make([]*Cell, g.W*g.H)
	return g
}

// CellsOver are the first and last columns and rows of gridOver.
func CellsOver(a *overlay.Area, w *World, ring int32) (x0, y0, x1, y1 int32) {
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

func (g *Grid) Set(x, y int32, c *Cell) { g.Cells[(y-g.Y)*g.W+x-g.X] = c }
