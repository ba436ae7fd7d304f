package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// What is taken for likely where no majority agrees.

// mostLikelyCell is what the node takes for a cell that it can only guess, of a
// retrieval whose answers are taken boldly: what most say of the whole cell. If as many say one thing as
// another the order decides, so that all who hear the same take the same. Without
// an answer it is what the node thinks itself.
func (bl *ballot) mostLikelyCell(q *query, x, y int32) *state.Cell {
	var said cellVotes
	var first []id.ID // of those who say each
	for i := range q.zones {
		for _, r := range q.zones[i].results {
			if bl.fits(q, r) && r.Seen.Covers(x, y, bl.world.Cell) == state.Inside {
				who := r.Around.Self.ID
				if k := said.add(r.Seen.At(x, y)); k == len(first) {
					first = append(first, who)
				} else if state.CompareIDs(who, first[k]) < 0 {
					first[k] = who
				}
			}
		}
	}
	if len(said) == 0 {
		return bl.replica.predicted(q.Of, x, y)
	}
	best := 0
	for k, c := range said {
		if c.votes > said[best].votes || c.votes == said[best].votes && bl.precedes(c.cell, said[best].cell, first[k], first[best]) {
			best = k
		}
	}
	if said[best].cell == nil {
		return &state.Cell{}
	}
	return said[best].cell
}

// precedes is an order of the versions of a cell that is the same for all who have
// heard the same: by what is in them or, where only tags are known, which differ
// from one retrieval to another, by who says so.
func (bl *ballot) precedes(a, b *state.Cell, byA, byB id.ID) bool {
	if bl.cfg.Wire {
		return state.CompareIDs(byA, byB) < 0
	}
	return digestOrder(a, b)
}

// halfOfZonesKnow reports whether half of the zones know what is in a cell. That is not
// enough to take it for true; but there the world goes on, and a guess that stood
// still would never be the same as what they know. When it goes on from what they
// say, there is a majority an update later. So it is if a zone is empty, and somebody
// leaves in another.
func (bl *ballot) halfOfZonesKnow(q *query, x, y int32) bool {
	know := 0
	for i := range q.zones {
		know += state.Indicator(slices.ContainsFunc(q.zones[i].results, func(r *messages.Result) bool {
			return bl.fits(q, r) && r.Seen.Covers(x, y, bl.world.Cell) == state.Inside
		}))
	}
	return 2*know >= bl.zones.voters()
}

// isFrozenByVote reports whether a cell that nobody knows enough of stands still: if most of
// those who guess what is in it say so. Whom nobody answers stays as it is.
func (bl *ballot) isFrozenByVote(q *query, x, y int32) bool {
	resting, guessing := 0, 0
	for i := range q.zones {
		for _, r := range q.zones[i].results {
			if bl.fits(q, r) && r.Seen.IsUnsure(x, y) && r.Seen.At(x, y) != nil {
				guessing++
				resting += state.Indicator(r.Seen.FreezeOf(x, y) != state.NotFrozen)
			}
		}
	}
	if guessing > 0 {
		return 2*resting > guessing
	}
	for _, s := range [...]*state.Snapshot{bl.replica.state, bl.replica.tentative} {
		if s != nil && s.Of == q.Of && s.IsUnsure(x, y) && s.At(x, y) != nil {
			return s.FreezeOf(x, y) != state.NotFrozen
		}
	}
	return bl.replica.restoredCell(x, y) != nil
}

// thawsAt reports whether a cell that stood still goes on with this update. That
// takes more than half of all zones, also of those that are deserted: others may come
// back who have kept something else.
func (bl *ballot) thawsAt(firm *query, x, y int32) bool {
	if firm.Of%state.ThawEvery != 0 {
		return false
	}
	_, votes, how := bl.countCell(firm, x, y)
	return how == elected && votes >= bl.zones.majorityOfAll()
}

// digestOrder is an order of the versions of a cell, by their objects' digests.
func digestOrder(a, b *state.Cell) bool {
	var x, y []*state.Object
	if a != nil {
		x = a.Objects
	}
	if b != nil {
		y = b.Objects
	}
	for len(x) > 0 && len(y) > 0 && state.SameObject(x[0], y[0]) {
		x, y = x[1:], y[1:]
	}
	if len(x) == 0 || len(y) == 0 {
		return len(x) < len(y)
	}
	return state.CompareIDs(x[0].Digest, y[0].Digest) < 0
}
