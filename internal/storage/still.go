package storage

import "slices"

// What stands still. Where nobody knows anything, the world waits until enough are
// back who have kept the same (see keepsake.go). If each cell went on as soon as
// somebody has heard enough, one would before the next, and what went over the
// border between the two would be lost, or be twice. As long as they stand still,
// cells are the same at every update, so that it does not matter who hears of what
// when; and all go on at the same time: at the next of every fourth update, those
// of which more than half of the zones say by then that enough have said the same.

// rest is how still an unsure cell stands.
type rest uint8

const (
	moves  rest = iota // it is replayed, though with guesses
	waits              // it waits for others who say the same
	agreed             // enough have; it waits until all go on
	lives              // it moves, whatever is around it: half of the zones know it
)

// wakeEvery is after how many updates all cells go on that are agreed on by then.
const wakeEvery = 4

// rest says how still an unsure cell stands.
func (s *Snapshot) rest(x, y int32, r rest) {
	if s.rests == nil {
		if r == moves {
			return
		}
		s.rests = make([]rest, len(s.Cells))
	}
	s.rests[(y-s.Y)*s.W+x-s.X] = r
}

// restOf is how still a cell stands; one that is known does not.
func (s *Snapshot) restOf(x, y int32) rest {
	if !s.unsure(x, y) {
		return moves
	}
	return s.restAt(int((y-s.Y)*s.W + x - s.X))
}

func (s *Snapshot) restAt(i int) rest {
	if s.rests == nil || s.rests[i] == lives {
		return moves
	}
	return s.rests[i]
}

// lives reports whether half of the zones know what is in an unsure cell, as long as
// this is an update area.
func (s *Snapshot) lives(x, y int32) bool {
	return s.rests != nil && s.rests[(y-s.Y)*s.W+x-s.X] == lives
}

// stays makes a cell what it was in the snapshot of the update before, and reports
// true, if it stands still: if that says so, or nothing is known as far as ring
// cells around it.
func (s *Snapshot) stays(from *Snapshot, x, y, ring int32) bool {
	if !from.unsure(x, y) {
		return false
	}
	r := from.restOf(x, y)
	if r == moves && !from.lives(x, y) && from.standsStill(x, y, ring) {
		r = waits
	}
	if r == moves && from.At(x, y) != nil {
		return false
	}
	s.guess(x, y, from.At(x, y))
	s.rest(x, y, r)
	return true
}

// standsStill reports whether nothing is known as far as ring cells around one.
func (s *Snapshot) standsStill(x, y, ring int32) bool {
	for v := max(y-ring, s.Y); v <= min(y+ring, s.Y+s.H-1); v++ {
		for u := max(x-ring, s.X); u <= min(x+ring, s.X+s.W-1); u++ {
			if !s.unsure(u, v) || s.lives(u, v) {
				return false
			}
		}
	}
	return true
}

// halfKnow reports whether half of the zones know what is in a cell. That is not
// enough to take it for true; but there the world goes on, and a guess that stood
// still would never be the same as what they know. When it goes on from what they
// say, there is a majority an update later. So it is if a zone is empty, and somebody
// leaves in another.
func (n *Node) halfKnow(q *query, x, y int32) bool {
	know := 0
	for i := range q.zones {
		know += bit(slices.ContainsFunc(q.zones[i].results, func(r *Result) bool {
			return n.fits(q, r) && r.Seen.covers(x, y, n.world.Cell) == inside
		}))
	}
	return 2*know >= n.voters()
}

// rests reports whether a cell that nobody knows enough of stands still: if most of
// those who guess what is in it say so. Whom nobody answers stays as it is.
func (n *Node) rests(q *query, x, y int32) bool {
	resting, guessing := 0, 0
	for i := range q.zones {
		for _, r := range q.zones[i].results {
			if n.fits(q, r) && r.Seen.unsure(x, y) && r.Seen.At(x, y) != nil {
				guessing++
				resting += bit(r.Seen.restOf(x, y) != moves)
			}
		}
	}
	if guessing > 0 {
		return 2*resting > guessing
	}
	for _, s := range [...]*Snapshot{n.state, n.guess} {
		if s != nil && s.Of == q.Of && s.unsure(x, y) && s.At(x, y) != nil {
			return s.restOf(x, y) != moves
		}
	}
	return n.remembered(x, y) != nil
}

// goesOnAt reports whether a cell that stood still goes on with this update. That
// takes more than half of all zones, also of those that are deserted: others may come
// back who have kept something else.
func (n *Node) goesOnAt(firm *query, x, y int32) bool {
	if firm.Of%wakeEvery != 0 {
		return false
	}
	_, votes, how := n.countCell(firm, x, y)
	return how == elected && votes >= n.most()
}

// withReturned adds to a cell what was in it and would have gone to one that stands
// still.
func (r *replayer) withReturned(c *Cell, x, y int32) *Cell {
	before := r.from.At(x, y)
	if before == nil {
		return c
	}
	var back []*Object
	for v := y - r.ring; v <= y+r.ring; v++ {
		for u := x - r.ring; u <= x+r.ring; u++ {
			if r.from.restOf(u, v) == moves {
				continue
			}
			r.gather(u, v)
			for _, o := range r.replay(u, v).Objects {
				if was := before.find(o.ID); was != nil {
					back = append(back, was)
				}
			}
		}
	}
	if back == nil {
		return c
	}
	return union(c, NewCell(back))
}
