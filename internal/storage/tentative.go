package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// Guesses. With Protocol.Majority a node knows of some cells that it does not
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

// tentative makes a cell unsure and says what is likely in it; nil: nobody can tell.
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

// mostLikelyCell is what the node takes for a cell that it can only guess, of a
// retrieval whose answers are taken boldly: for each object what most zones say
// or, with digests, what most say of the whole cell. If as many say one thing as
// another the order decides, so that all who hear the same take the same. Without
// an answer it is what the node thinks itself.
func (n *Node) mostLikelyCell(q *query, x, y int32) *Cell {
	if !n.votesOnDigests(q) {
		all, seen := n.reported(q, x, y)
		if seen == 0 {
			return n.predicted(q.Of, x, y)
		}
		var out []*Object
		for versions := range versionsOf(all) {
			if o, _ := n.mostZones(q, versions); o != nil {
				out = append(out, o)
			}
		}
		return NewCell(out)
	}
	var said cellVotes
	var first []id.ID // of those who say each
	for i := range q.zones {
		for _, r := range q.zones[i].results {
			if n.fits(q, r) && r.Seen.covers(x, y, n.world.Cell) == inside {
				who := r.Around.Self.ID
				if k := said.add(r.Seen.At(x, y)); k == len(first) {
					first = append(first, who)
				} else if compareIDs(who, first[k]) < 0 {
					first[k] = who
				}
			}
		}
	}
	if len(said) == 0 {
		return n.predicted(q.Of, x, y)
	}
	best := 0
	for k, c := range said {
		if c.votes > said[best].votes || c.votes == said[best].votes && n.precedes(c.cell, said[best].cell, first[k], first[best]) {
			best = k
		}
	}
	if said[best].cell == nil {
		return &Cell{}
	}
	return said[best].cell
}

// precedes is an order of the versions of a cell that is the same for all who have
// heard the same: by what is in them or, where only tags are known, which differ
// from one retrieval to another, by who says so.
func (n *Node) precedes(a, b *Cell, byA, byB id.ID) bool {
	if n.cfg.Wire {
		return compareIDs(byA, byB) < 0
	}
	return digestOrder(a, b)
}

// digestOrder is an order of the versions of a cell, by their objects' digests.
func digestOrder(a, b *Cell) bool {
	var x, y []*Object
	if a != nil {
		x = a.Objects
	}
	if b != nil {
		y = b.Objects
	}
	for len(x) > 0 && len(y) > 0 && sameObject(x[0], y[0]) {
		x, y = x[1:], y[1:]
	}
	if len(x) == 0 || len(y) == 0 {
		return len(x) < len(y)
	}
	return compareIDs(x[0].Digest, y[0].Digest) < 0
}

// predicted is what the node itself thinks is in a cell, nil if it cannot tell.
func (n *Node) predicted(of int64, x, y int32) *Cell {
	for _, s := range [...]*Snapshot{n.state, n.tentative} {
		if s = s.withTentative(); s == nil || s.Of != of {
			continue
		}
		how, c := s.covers(x, y, n.world.Cell), s.At(x, y)
		switch {
		case how == outside:
			continue
		case c == nil:
			return &Cell{}
		case how == across: // what is known of it is better than nothing
			return NewCell(slices.DeleteFunc(slices.Clone(c.Objects), func(o *Object) bool { return !s.knows(o.Pos, &n.world) }))
		}
		return c
	}
	return n.restoredCell(x, y)
}

// continuesAlone reports whether a node to whom nobody has answered goes on with what it
// has itself.
func (n *Node) continuesAlone(q *query) bool {
	return n.cfg.Protocol.Majority && q.Kind == ForUpdate && (n.restored != nil || n.state != nil && n.state.Of == q.Of)
}

// pluralityBatch is what most of the zones have said that a player has done, though
// too few have; nothing if none has answered.
func (n *Node) pluralityBatch(q *actionQuery) *Batch {
	best, most := n.cache.batch(&Batch{Player: q.player, Of: n.cycle.to}), 0
	for _, b := range q.got {
		if b == nil {
			continue
		}
		votes := 0
		for _, c := range q.got {
			votes += bit(c != nil && sameBatch(b, c))
		}
		if votes > most {
			best, most = b, votes
		}
	}
	return best
}
