package vote

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Votes on cells by their digests.

// nearest is how many of the nodes of a zone have a say about a cell, those that
// stand nearest to it. More than these seldom hold it.
const nearest = 4

// isOwner reports whether an answer of a zone has a say about a cell.
func (bl *Ballot) isOwner(q *Poll, zone int, r *messages.Result, x, y int32) bool {
	return q.Fits(r) && r.Seen.Covers(x, y, bl.World.Cell) == state.Inside && bl.isNear(q, zone, r, x, y)
}

// countOwners decides what is in a cell by the digests that its owners have sent,
// each of them alone.
func (bl *Ballot) countOwners(q *Poll, x, y int32) (best *state.Cell, votes int, how verdict) {
	type choice struct {
		cell         *state.Cell
		votes, zones int
		last         int // the zone that was counted last
	}
	var choices []choice
	all, heard := 0, 0
	for zone := range q.Zones {
		before := all
		for _, r := range q.Zones[zone].Results {
			if !bl.isOwner(q, zone, r, x, y) {
				continue
			}
			all++
			c := r.Seen.At(x, y)
			k := slices.IndexFunc(choices, func(o choice) bool { return state.SameCellContent(o.cell, c) })
			if k < 0 {
				k = len(choices)
				choices = append(choices, choice{cell: c, last: -1})
			}
			o := &choices[k]
			o.votes++
			if o.last != zone {
				o.last, o.zones = zone, o.zones+1
			}
		}
		heard += state.Indicator(all > before)
	}
	for _, o := range choices {
		switch most := 2*o.votes > all; {
		case most && o.zones >= bl.zones.VotesNeeded():
			return o.cell, o.zones, elected
		case most && 2*o.zones >= bl.zones.Voters() && heard >= bl.zones.Voters():
			return o.cell, o.zones, kept // half of the zones, and most of the owners: see decision 118
		}
		votes = max(votes, o.zones)
	}
	if own, known := bl.replica.OwnCell(q.Of, x, y); known {
		return own, votes, kept
	}
	return nil, votes, unknown
}

// isNear reports whether fewer than nearest nodes of a zone are known that stand nearer to
// a cell: those that have answered, and those that they name as their neighbours. Only few
// nodes of a zone hold a cell, so that without those who are named, whoever claims it from
// far away would have a say beside them. Only who stands nearer itself is believed about who
// else does: from far away nobody takes a vote from anybody.
func (bl *Ballot) isNear(q *Poll, zone int, r *messages.Result, x, y int32) bool {
	half := bl.World.Cell / 2
	at := bl.Places.KeyBeyond(geom.Point{X: x*bl.World.Cell + half, Y: y*bl.World.Cell + half}, zone)
	own := at.Dist2(r.Around.Self.Pos)
	var few [nearest]id.ID
	nearer := few[:0]
	count := func(c *overlay.Contact) {
		if len(nearer) < nearest && at.Dist2(c.Pos) < own && bl.Space.Zone(c.Pos) == zone && !slices.Contains(nearer, c.ID) {
			nearer = append(nearer, c.ID)
		}
	}
	for _, o := range q.Zones[zone].Results {
		if at.Dist2(o.Around.Self.Pos) >= own {
			continue
		}
		count(o.Around.Self)
		for _, c := range o.Around.Neighbours {
			count(c)
		}
	}
	return len(nearer) < nearest
}
