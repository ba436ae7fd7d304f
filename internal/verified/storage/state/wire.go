package state

import (
	"errors"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// What a codec needs to make the messages of a real node from bytes: they share
// nothing with anybody, and hold no more than what was sent.

// maxCells is how many cells a message is about at most.
const maxCells = 1 << 18

// Errors of what a codec has read.
var (
	ErrLarge   = errors.New("a larger part of the world than a message may be about")
	ErrCover   = errors.New("a snapshot of a part that nothing can be seen through")
	ErrOrder   = errors.New("objects that do not ascend by their ids, cell by cell")
	ErrUnseen  = errors.New("an object outside of the part of the world that is sent")
	errStatic  = errors.New("a static object among those that are replayed")
	errPlayers = errors.New("actions of another player")
)

// SnapshotContent is what of a snapshot a message about an area carries.
type SnapshotContent struct {
	Objects   []*Object // cell by cell, row by row, and ascending by ID in each
	Activated []*Object // ascending by ID
	// Unsure are cells that are not known: four times their place in the world's
	// rows, and one more if Objects has a guess of what is in them, two if that
	// stands still, three if enough zones have said the same.
	Unsure []uint32
	Whole  bool // whole cells, where the area only touches them as well
}

// Encode takes out of a snapshot what is sent of it.
func (s *Snapshot) Encode(a *overlay.Area, w World) (c SnapshotContent) {
	if !ValidArea(a) {
		return c // a part without an inside
	}
	for _, o := range s.Activated {
		if s.Sees(a, o.Pos, &w) {
			c.Activated = append(c.Activated, o)
		}
	}
	c.Objects = s.WithTentative().Objects(a, w, nil)
	c.Unsure, c.Whole = s.UnsureIn(a, &w), s.Whole
	return c
}

func square(n int64) int64 { return n * n }

// RowLength is how many cells a row of the world has.
func (w *World) RowLength() int32 { return (w.Side-1)/w.Cell + 1 }

// DecodeSnapshot is the snapshot that Encode took it from, as far as it was sent.
func DecodeSnapshot(of int64, cover, a *overlay.Area, c SnapshotContent, w World) (*Snapshot, error) {
	s := &Snapshot{Of: of, Cover: *cover, Activated: c.Activated, Whole: c.Whole}
	if !ValidArea(a) {
		if len(c.Objects)+len(c.Activated)+len(c.Unsure) > 0 || c.Whole {
			return nil, ErrUnseen
		}
		return s, nil
	}
	if !ValidArea(cover) {
		return nil, ErrCover
	}
	if TooLarge(a, &w) {
		return nil, ErrLarge
	}
	s.Grid = GridOver(a, &w, 0)
	if err := s.MarkAllUnsure(c.Unsure, &w); err != nil {
		return nil, err
	}
	bold := s.WithTentative()
	for i, o := range c.Activated {
		switch {
		case !w.holds(o.Pos) || !s.Sees(a, o.Pos, &w):
			return nil, ErrUnseen
		case i > 0 && c.Activated[i-1].ID >= o.ID:
			return nil, ErrOrder
		}
	}
	return s, s.fill(c.Objects, a, bold, &w)
}

// fill puts objects, which are in order, into their cells.
func (s *Snapshot) fill(objects []*Object, a *overlay.Area, bold *Snapshot, w *World) error {
	for i := 0; i < len(objects); {
		at := objects[i].Pos
		j := i
		for ; j < len(objects) && objects[j].Pos.X/w.Cell == at.X/w.Cell && objects[j].Pos.Y/w.Cell == at.Y/w.Cell; j++ {
			o := objects[j]
			switch {
			case !w.holds(o.Pos) || !bold.Sees(a, o.Pos, w):
				return ErrUnseen
			case o.Static:
				return errStatic
			case j > i && objects[j-1].ID >= o.ID:
				return ErrOrder
			}
		}
		if i > 0 && !before(objects[i-1].Pos, at, w.Cell) {
			return ErrOrder
		}
		s.Set(at.X/w.Cell, at.Y/w.Cell, NewCell(objects[i:j:j]))
		i = j
	}
	return nil
}

// before reports whether the cell of one place comes before that of another.
func before(p, q geom.Point, cell int32) bool {
	if p.Y/cell != q.Y/cell {
		return p.Y/cell < q.Y/cell
	}
	return p.X/cell < q.X/cell
}

// holds reports whether a place lies in the world.
func (w *World) holds(p geom.Point) bool {
	return p.X >= 0 && p.Y >= 0 && p.X < w.Side && p.Y < w.Side
}

// Ascend reports whether objects do by their ids, as static ones in a message
// have to.
func Ascend(objects []*Object) bool {
	return slices.IsSortedFunc(objects, ByID)
}

// UnsureIn are the cells of an area that are not known, as in SnapshotContent.
func (s *Snapshot) UnsureIn(a *overlay.Area, w *World) (out []uint32) {
	if s.Unsure == nil {
		return nil
	}
	g := GridOver(a, w, 0)
	for y := g.Y; y < g.Y+g.H; y++ {
		for x := g.X; x < g.X+g.W; x++ {
			if s.IsUnsure(x, y) {
				code := 4 * uint32(y*w.RowLength()+x)
				if s.At(x, y) != nil {
					code += 1 + uint32(s.FreezeOf(x, y))
				}
				out = append(out, code)
			}
		}
	}
	return out
}

// MarkAllUnsure is its inverse: a guess is there, and nothing in it.
func (s *Snapshot) MarkAllUnsure(codes []uint32, w *World) error {
	for i, code := range codes {
		cell := code / 4
		x, y := int32(cell%uint32(w.RowLength())), int32(cell/uint32(w.RowLength()))
		if i > 0 && codes[i-1]/4 >= cell {
			return ErrOrder
		}
		if x < s.X || y < s.Y || x >= s.X+s.W || y >= s.Y+s.H {
			return ErrUnseen
		}
		s.MarkUnsure(x, y)
		if code%4 > 0 {
			s.SetTentative(x, y, &Cell{})
			s.SetFreeze(x, y, Freeze(code%4-1))
		}
	}
	return nil
}

// TooLarge reports whether an area has more cells than a message may be about.
func TooLarge(a *overlay.Area, w *World) bool {
	b := bounds(a)
	across := max(int64(b.Max.X)-int64(b.Min.X), int64(b.Max.Y)-int64(b.Min.Y))
	return square(min(across, int64(w.Side))/int64(w.Cell)+2) > maxCells
}
