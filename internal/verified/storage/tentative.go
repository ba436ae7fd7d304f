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

// withTentative is the retrieval as if all that was guessed in its answers were known.
func (q *query) withTentative() *query { return q.withTentativeAtLeast(notFrozen) }

// withTentativeAgreed is the retrieval as if all were known that enough zones have said.
func (q *query) withTentativeAgreed() *query { return q.withTentativeAtLeast(frozenByMajority) }

func (q *query) withTentativeAtLeast(least freeze) *query {
	b := *q
	b.zones = make([]zoneAnswer, len(q.zones))
	for i, z := range q.zones {
		b.zones[i] = z
		b.zones[i].results = make([]*Result, len(z.results))
		for k, r := range z.results {
			c := *r
			c.Seen = r.Seen.withTentativeAtLeast(least)
			b.zones[i].results[k] = &c
		}
	}
	return &b
}
