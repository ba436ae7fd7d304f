package vote

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Votes on cells by their digests.

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
		case most && 2*o.zones >= bl.zones.Voters() && heard >= bl.zones.Voters() && q.Kind != messages.ForLook:
			return o.cell, o.zones, kept // half of the zones, and most of the owners: see decisions 118 and 240
		}
		votes = max(votes, o.zones)
	}
	if own, known := bl.replica.OwnCell(q.Of, x, y); known {
		return own, votes, kept
	}
	return nil, votes, unknown
}
