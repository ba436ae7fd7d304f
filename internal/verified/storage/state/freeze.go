package state

// What stands still. Where nobody knows anything, the world waits until enough are
// back who have kept the same (see checkpoint.go). If each cell went on as soon as
// somebody has heard enough, one would before the next, and what went over the
// border between the two would be lost, or be twice. As long as they stand still,
// cells are the same at every update, so that it does not matter who hears of what
// when; and all go on at the same time: at the next of every fourth update, those
// of which more than half of the zones say by then that enough have said the same.

// Freeze is how still an unsure cell stands.
type Freeze uint8

const (
	NotFrozen        Freeze = iota // it is replayed, though with guesses
	Waits                          // it waits for others who say the same
	FrozenByMajority               // enough have; it waits until all go on
	Lives                          // it moves, whatever is around it: half of the zones know it
)

// ThawEvery is after how many updates all cells go on that are agreed on by then.
const ThawEvery = 4

// SetFreeze says how still an unsure cell stands.
func (s *Snapshot) SetFreeze(x, y int32, r Freeze) {
	if s.rests == nil {
		if r == NotFrozen {
			return
		}
		s.rests = make([]Freeze, len(s.Cells))
	}
	s.rests[(y-s.Y)*s.W+x-s.X] = r
}

// FreezeOf is how still a cell stands; one that is known does not.
func (s *Snapshot) FreezeOf(x, y int32) Freeze {
	if !s.IsUnsure(x, y) {
		return NotFrozen
	}
	return s.freezeAt(int((y-s.Y)*s.W + x - s.X))
}

func (s *Snapshot) freezeAt(i int) Freeze {
	if s.rests == nil || s.rests[i] == Lives {
		return NotFrozen
	}
	return s.rests[i]
}

// thaws reports whether half of the zones know what is in an unsure cell, as long as
// this is an update area.
func (s *Snapshot) thaws(x, y int32) bool {
	return s.rests != nil && s.rests[(y-s.Y)*s.W+x-s.X] == Lives
}

// CopyFrozen makes a cell what it was in the snapshot of the update before, and reports
// true, if it stands still: if that says so, or nothing is known as far as ring
// cells around it.
func (s *Snapshot) CopyFrozen(from *Snapshot, x, y, ring int32) bool {
	if !from.IsUnsure(x, y) {
		return false
	}
	r := from.FreezeOf(x, y)
	if r == NotFrozen && !from.thaws(x, y) && from.isFrozen(x, y, ring) {
		r = Waits
	}
	if r == NotFrozen && from.At(x, y) != nil {
		return false
	}
	s.SetTentative(x, y, from.At(x, y))
	s.SetFreeze(x, y, r)
	return true
}

// isFrozen reports whether nothing is known as far as ring cells around one.
func (s *Snapshot) isFrozen(x, y, ring int32) bool {
	for v := max(y-ring, s.Y); v <= min(y+ring, s.Y+s.H-1); v++ {
		for u := max(x-ring, s.X); u <= min(x+ring, s.X+s.W-1); u++ {
			if !s.IsUnsure(u, v) || s.thaws(u, v) {
				return false
			}
		}
	}
	return true
}

// withReturned adds to a cell what was in it and would have gone to one that stands
// still.
func (r *Replayer) withReturned(c *Cell, x, y int32) *Cell {
	before := r.From.At(x, y)
	if before == nil {
		return c
	}
	var back []*Object
	for v := y - r.Ring; v <= y+r.Ring; v++ {
		for u := x - r.Ring; u <= x+r.Ring; u++ {
			if r.From.FreezeOf(u, v) == NotFrozen {
				continue
			}
			r.gather(u, v)
			for _, o := range r.replay(u, v).Objects {
				if was := before.Find(o.ID); was != nil {
					back = append(back, was)
				}
			}
		}
	}
	if back == nil {
		return c
	}
	return Union(c, NewCell(back))
}
