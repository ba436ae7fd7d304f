package vote

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Votes on cells by their digests.

// nearest is how many of the nodes of a zone have a say about a cell, those that
// stand nearest to it. More than these seldom hold it.
const nearest = 4

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
			if !q.Fits(r) || r.Seen.Covers(x, y, bl.World.Cell) != state.Inside || !bl.isNear(q, zone, r, x, y) {
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

// isNear reports whether of all nodes of a zone that have answered fewer than
// nearest stand nearer to a cell: who is far away is not asked about it. A place
// is certified, so that who answers for more than it is responsible for only
// gains a say where hardly anybody else answers.
func (bl *Ballot) isNear(q *Poll, zone int, r *messages.Result, x, y int32) bool {
	half := bl.World.Cell / 2
	at := bl.Places.KeyBeyond(geom.Point{X: x*bl.World.Cell + half, Y: y*bl.World.Cell + half}, zone)
	own, nearer := at.Dist2(r.Around.Self.Pos), 0
	for _, o := range q.Zones[zone].Results {
		nearer += state.Indicator(at.Dist2(o.Around.Self.Pos) < own)
	}
	return nearer < nearest
}
