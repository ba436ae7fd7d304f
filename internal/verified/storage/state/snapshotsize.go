package state

import (
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// What parts of the world take in a message.

// IndexSizes notes how much lies in the cells up to each one of its row, so that a
// message's size need not be counted cell by cell, and how much of those at the
// rim: everybody who asks would count that again.
func (s *Snapshot) IndexSizes(w *World) {
	s.sums = make([]int32, (s.W+1)*s.H)
	s.rims = make([]int32, len(s.Cells))
	for i, c := range s.Cells {
		if x, y := s.X+int32(i)%s.W, s.Y+int32(i)/s.W; c != nil && Relate(&s.Cover, x*w.Cell, y*w.Cell, w.Cell) == Across {
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

// SizeIn is what a message that holds the objects in an area is charged for. In
// each row what lies wholly inside is contiguous, for areas are convex.
func (s *Snapshot) SizeIn(a *overlay.Area, w *World) int {
	size := 0
	s = s.WithTentative()
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
	for _, o := range s.Activated {
		if s.Sees(a, o.Pos, w) {
			size += o.Size
		}
	}
	return size
}

// sizeAt adds what counts of a cell, unless all of it does: then it reports true.
func (s *Snapshot) sizeAt(a *overlay.Area, w *World, x, y int32, size *int) bool {
	by, own := s.Through(a, x, y, w.Cell), s.Covers(x, y, w.Cell)
	if by == Inside && own == Inside {
		return true
	}
	c := s.At(x, y)
	switch {
	case c == nil || by == Outside || own == Outside:
	case own == Inside:
		*size += int(c.sizeIn(a))
	case by == Inside && s.rims != nil:
		*size += int(s.rims[(y-s.Y)*s.W+x-s.X])
	case by == Inside:
		*size += int(c.sizeIn(&s.Cover))
	default:
		for _, o := range c.spots {
			if Contains(&s.Cover, o.pos) && Contains(a, o.pos) {
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
			if Contains(a, o.pos) {
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

// SizeDigest is what a digest in an answer takes: the first bytes of a hash that
// begins with the number of the retrieval. Who wants another cell with the same
// digest has to look for it after it was asked.
const SizeDigest = 8

// rowCells is how many cells side by side one digest of what is expected is of.
const rowCells = 8
