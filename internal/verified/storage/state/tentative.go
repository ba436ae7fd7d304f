package state

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

// MarkUnsure makes a cell unsure; what is there becomes a guess.
func (s *Snapshot) MarkUnsure(x, y int32) {
	if s.Unsure == nil {
		s.Unsure = make([]bool, len(s.Cells))
	}
	s.Unsure[(y-s.Y)*s.W+x-s.X] = true
}

// HasUnsure reports whether a cell is unsure that an area touches.
func (s *Snapshot) HasUnsure(a *overlay.Area, side int32) bool {
	for i, unsure := range s.Unsure {
		x, y := s.X+int32(i)%s.W, s.Y+int32(i)/s.W
		if unsure && Relate(a, x*side, y*side, side) != Outside {
			return true
		}
	}
	return false
}

// SetTentative makes a cell unsure and says what is likely in it; nil: nobody can tell.
func (s *Snapshot) SetTentative(x, y int32, c *Cell) {
	s.MarkUnsure(x, y)
	s.Set(x, y, c)
}

// WithTentative is the snapshot as if its guesses were known.
func (s *Snapshot) WithTentative() *Snapshot { return s.WithTentativeAtLeast(NotFrozen) }

// WithTentativeAtLeast is the snapshot as if guesses were known that stand as still as that.
func (s *Snapshot) WithTentativeAtLeast(least Freeze) *Snapshot {
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

// MarkWokenUnsure makes the cells unsure in which somebody may have been woken who is not
// known: a step without him would be a wrong one, and nobody would tell.
func (s *Snapshot) MarkWokenUnsure(them []*Object, w *World) {
	for _, o := range them {
		if x, y := o.Pos.X/w.Cell, o.Pos.Y/w.Cell; x >= s.X && y >= s.Y && x < s.X+s.W && y < s.Y+s.H {
			s.MarkUnsure(x, y)
		}
	}
}

// CopyUnsure makes unsure what a neighbour is not sure of.
func (s *Snapshot) CopyUnsure(from *Snapshot, area *overlay.Area, side int32) {
	if from == nil || from.Unsure == nil || len(area.Polygon) < 3 {
		return
	}
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			if from.IsUnsure(x, y) && Relate(area, x*side, y*side, side) != Outside {
				if s.At(x, y) == nil {
					s.SetTentative(x, y, from.At(x, y))
				}
				s.MarkUnsure(x, y)
				s.SetFreeze(x, y, from.FreezeOf(x, y))
			}
		}
	}
}
