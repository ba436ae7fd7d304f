package actions

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Votes on what a player has done.

// batchOf is a zone's vote for what a player has done. In the hardened protocol it is
// what any of its storers has that the player has signed: who has that knows more than
// who has nothing. Nil: nobody has answered.
func (ar *Retrieval) batchOf(q *Query, zone int) (said *state.Batch) {
	for slot := zone * ar.area.HomesOf(); slot < (zone+1)*ar.area.HomesOf(); slot++ {
		if b := q.got[slot]; b != nil && (said == nil || said.Signature == nil) {
			said = b
		}
	}
	return said
}

// countBatches lets the zones vote for what a player has done.
func (ar *Retrieval) countBatches(q *Query) (best *state.Batch, votes int) {
	zones := make([]*state.Batch, 0, 16)
	for zone := range ar.Space.Zones() {
		if b := ar.batchOf(q, zone); b != nil {
			zones = append(zones, b)
		}
	}
	for _, b := range zones {
		if count := votesFor(zones, b); count > votes {
			best, votes = b, count
		}
	}
	return best, votes
}

// mayCount reports whether some batch has a majority together with the zones of which
// nobody has answered: who has heard from them, or knows that they are deserted, takes
// it for what the player has done.
func (ar *Retrieval) mayCount(q *Query) bool {
	zones, silent := make([]*state.Batch, 0, 16), 0
	for zone := range ar.Space.Zones() {
		switch b := ar.batchOf(q, zone); {
		case b == nil:
			silent += state.Indicator(!ar.zones.IsDeserted(zone))
		case b.Signature != nil:
			zones = append(zones, b)
		}
	}
	return slices.ContainsFunc(zones, func(b *state.Batch) bool { return votesFor(zones, b)+silent >= ar.zones.VotesNeeded() })
}

// waitsForAll reports whether a majority is no reason to stop asking: that there is
// nothing can be said by everybody, and of two batches that a player has signed one may
// be certified.
func (q *Query) waitsForAll() bool {
	return q.Result.Signature == nil || q.double[0] != nil
}

// PluralityBatch is what most of the zones have said that a player has done, though
// too few have; nothing if none has answered.
func (ar *Retrieval) PluralityBatch(q *Query) *state.Batch {
	best, most := ar.Cache.Batch(&state.Batch{Player: q.Player, Of: ar.of}), 0
	for _, b := range q.got {
		if b == nil {
			continue
		}
		votes := 0
		for _, c := range q.got {
			votes += state.Indicator(c != nil && state.SameBatch(b, c))
		}
		if votes > most {
			best, most = b, votes
		}
	}
	return best
}

// votesFor counts those who say the same. That the player has signed that it has done
// nothing is another thing than to have nothing that is signed.
func votesFor(zones []*state.Batch, b *state.Batch) (count int) {
	for _, c := range zones {
		count += state.Indicator(state.SameBatch(b, c) && (b.Signature == nil) == (c.Signature == nil))
	}
	return count
}
