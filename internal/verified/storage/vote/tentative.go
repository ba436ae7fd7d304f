package vote

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// What is taken for likely where no majority agrees.

// mostLikelyCell is what the node takes for a cell that it can only guess: what the most
// zones say who know it or, in bold, guess it. Without an answer it is what the node
// thinks itself. Honest nodes that know a cell know the same; so where somebody knows and
// as many zones say otherwise, somebody lies, and the node stays with its own version, or
// else with that of more nodes, or of its zone. Where nobody knows, the order decides, so that all who hear
// the same take the same.
func (bl *Ballot) mostLikelyCell(q, bold *Poll, x, y int32) *state.Cell {
	said := bl.versions(bold, x, y)
	own := bl.replica.Predicted(q.Of, x, y)
	if len(said) == 0 {
		return own
	}
	contested := bl.zonesThatKnow(q, x, y) > 0
	for i := range said {
		v := &said[i]
		v.own = contested && own != nil && state.SameCellContent(own, v.cell)
		v.inZone = contested && v.inZone
	}
	best := &said[0]
	for i := range said {
		if bl.likelier(&said[i], best) {
			best = &said[i]
		}
	}
	if best.cell == nil {
		return &state.Cell{}
	}
	return best.cell
}

// version is what some say of a cell.
type version struct {
	cell           *state.Cell
	zones, answers int   // that say it
	last           int   // the zone that was counted last, plus one
	first          id.ID // the least of those who say it
	own, inZone    bool  // the node itself says it, too; somebody of its zone does
}

// versions are what is said of a cell.
func (bl *Ballot) versions(q *Poll, x, y int32) (said []version) {
	for zone := range q.Zones {
		for _, r := range q.Zones[zone].Results {
			if !bl.isOwner(q, zone, r, x, y) {
				continue
			}
			c, who := r.Seen.At(x, y), r.Around.Self.ID
			k := slices.IndexFunc(said, func(v version) bool { return state.SameCellContent(v.cell, c) })
			if k < 0 {
				k = len(said)
				said = append(said, version{cell: c, first: who})
			}
			v := &said[k]
			v.answers++
			v.zones += state.Indicator(v.last != zone+1)
			v.last = zone + 1
			v.inZone = v.inZone || zone == bl.Zone
			if state.CompareIDs(who, v.first) < 0 {
				v.first = who
			}
		}
	}
	return said
}

// zonesThatKnow counts the zones of which somebody knows what is in a cell.
func (bl *Ballot) zonesThatKnow(q *Poll, x, y int32) (know int) {
	for zone := range q.Zones {
		know += state.Indicator(slices.ContainsFunc(q.Zones[zone].Results, func(r *messages.Result) bool { return bl.isOwner(q, zone, r, x, y) }))
	}
	return know
}

// likelier is the order of versions of a cell.
func (bl *Ballot) likelier(a, b *version) bool {
	switch {
	case a.zones != b.zones:
		return a.zones > b.zones
	case a.own != b.own:
		return a.own
	case a.answers != b.answers:
		return a.answers > b.answers
	case a.inZone != b.inZone:
		return a.inZone
	}
	return bl.precedes(a.cell, b.cell, a.first, b.first)
}

// precedes is an order of the versions of a cell that is the same for all who have
// heard the same: by what is in them or, where only tags are known, which differ
// from one retrieval to another, by who says so.
func (bl *Ballot) precedes(a, b *state.Cell, byA, byB id.ID) bool {
	if bl.Cfg.Wire {
		return state.CompareIDs(byA, byB) < 0
	}
	return digestOrder(a, b)
}

// halfOfZonesKnow reports whether half of the zones know what is in a cell. That is not
// enough to take it for true; but there the world goes on, and a guess that stood
// still would never be the same as what they know. When it goes on from what they
// say, there is a majority an update later. So it is if a zone is empty, and somebody
// leaves in another.
func (bl *Ballot) halfOfZonesKnow(q *Poll, x, y int32) bool {
	return 2*bl.zonesThatKnow(q, x, y) >= bl.zones.Voters()
}

// isUncontested reports whether half of the zones know a cell, and nobody knows or guesses
// another version of it: the others are silent, who may keep it in half of the zones for the
// very reason that no majority is left.
func (bl *Ballot) isUncontested(q, bold *Poll, x, y int32) bool {
	return bl.halfOfZonesKnow(q, x, y) && len(bl.versions(bold, x, y)) == 1
}

// isFrozenByVote reports whether a cell that nobody knows enough of stands still: if most of
// those who guess what is in it say so. Whom nobody answers stays as it is.
func (bl *Ballot) isFrozenByVote(q *Poll, x, y int32) bool {
	resting, guessing := 0, 0
	for i := range q.Zones {
		for _, r := range q.Zones[i].Results {
			if q.Fits(r) && r.Seen.IsUnsure(x, y) && r.Seen.At(x, y) != nil {
				guessing++
				resting += state.Indicator(r.Seen.FreezeOf(x, y) != state.NotFrozen)
			}
		}
	}
	if guessing > 0 {
		return 2*resting > guessing
	}
	for _, s := range [...]*state.Snapshot{bl.replica.State, bl.replica.Tentative} {
		if s != nil && s.Of == q.Of && s.IsUnsure(x, y) && s.At(x, y) != nil {
			return s.FreezeOf(x, y) != state.NotFrozen
		}
	}
	return bl.replica.RestoredCell(x, y) != nil
}

// thawsAt reports whether a cell that stood still goes on with this update. That
// takes more than half of all zones, also of those that are deserted: others may come
// back who have kept something else.
func (bl *Ballot) thawsAt(firm *Poll, x, y int32) bool {
	if firm.Of%state.ThawEvery != 0 {
		return false
	}
	_, votes, how := bl.countCell(firm, x, y)
	return how == elected && votes >= bl.zones.MajorityOfAll()
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
