package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// Guesses. In the hardened protocol a node knows of some cells that it does not
// know what is in them: no majority has told it what they depend on. It goes on
// with what is likely, and says that it is a guess. While a majority of the zones
// knows better, guesses count for nothing. Where too few do, as when messages of
// most of them were lost at once, a majority that guesses the same ends the
// doubt; and because all who do not agree take what most have said, they do so
// an update later.

// markUnsure makes a cell unsure; what is there becomes a guess.
func (s *Snapshot) markUnsure(x, y int32) {
	if s.Unsure == nil {
		s.Unsure = make([]bool, len(s.Cells))
	}
	s.Unsure[(y-s.Y)*s.W+x-s.X] = true
}

// hasUnsure reports whether a cell is unsure that an area touches.
func (s *Snapshot) hasUnsure(a *overlay.Area, side int32) bool {
	for i, unsure := range s.Unsure {
		x, y := s.X+int32(i)%s.W, s.Y+int32(i)/s.W
		if unsure && relate(a, x*side, y*side, side) != outside {
			return true
		}
	}
	return false
}

// setTentative makes a cell unsure and says what is likely in it; nil: nobody can tell.
func (s *Snapshot) setTentative(x, y int32, c *Cell) {
	s.markUnsure(x, y)
	s.set(x, y, c)
}

// withTentative is the snapshot as if its guesses were known.
func (s *Snapshot) withTentative() *Snapshot { return s.withTentativeAtLeast(notFrozen) }

// withTentativeAtLeast is the snapshot as if guesses were known that stand as still as that.
func (s *Snapshot) withTentativeAtLeast(least freeze) *Snapshot {
	if s == nil || s.Unsure == nil {
		return s
	}
	b := *s
	b.Unsure = nil
	for i, unsure := range s.Unsure {
		if unsure && (s.Cells[i] == nil || s.freezeAt(i) < least) {
			if b.Unsure == nil {
				b.Unsure = make([]bool, len(s.Cells))
			}
			b.Unsure[i] = true
		}
	}
	return &b
}

// markWokenUnsure makes the cells unsure in which somebody may have been woken who is not
// known: a step without him would be a wrong one, and nobody would tell.
func (s *Snapshot) markWokenUnsure(them []*Object, w *World) {
	for _, o := range them {
		if x, y := o.Pos.X/w.Cell, o.Pos.Y/w.Cell; x >= s.X && y >= s.Y && x < s.X+s.W && y < s.Y+s.H {
			s.markUnsure(x, y)
		}
	}
}

// copyUnsure makes unsure what a neighbour is not sure of.
func (s *Snapshot) copyUnsure(from *Snapshot, area *overlay.Area, side int32) {
	if from == nil || from.Unsure == nil || len(area.Polygon) < 3 {
		return
	}
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			if from.unsure(x, y) && relate(area, x*side, y*side, side) != outside {
				if s.At(x, y) == nil {
					s.setTentative(x, y, from.At(x, y))
				}
				s.markUnsure(x, y)
				s.setFreeze(x, y, from.freezeOf(x, y))
			}
		}
	}
}
