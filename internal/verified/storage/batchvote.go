package storage

import "slices"

// Votes on what a player has done.

// batchOf is a zone's vote for what a player has done, which is what any of its
// storers has: a batch is signed by its player, so that who has one knows more than who
// has none. Who has no receipt for it may miss some of it. Nil: nobody has answered.
func (ar *actionRetrieval) batchOf(q *actionQuery, zone int) (said *Batch) {
	signed := false
	for slot := zone * ar.area.homesOf(); slot < (zone+1)*ar.area.homesOf(); slot++ {
		b := q.got[slot]
		if b == nil {
			continue
		}
		with := q.signed != nil && q.signed[slot] && len(b.Actions) > 0
		if said == nil || len(said.Actions) == 0 || with && !signed {
			said, signed = b, with
		}
	}
	return said
}

// countBatches lets the zones vote for what a player has done.
func (ar *actionRetrieval) countBatches(q *actionQuery) (best *Batch, votes int) {
	zones := make([]*Batch, 0, 16)
	for zone := range ar.space.Zones() {
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
func (ar *actionRetrieval) mayCount(q *actionQuery) bool {
	zones, silent := make([]*Batch, 0, 16), 0
	for zone := range ar.space.Zones() {
		switch b := ar.batchOf(q, zone); {
		case b == nil:
			silent += bit(!ar.zones.deserted[zone])
		case len(b.Actions) > 0:
			zones = append(zones, b)
		}
	}
	return slices.ContainsFunc(zones, func(b *Batch) bool { return votesFor(zones, b)+silent >= ar.zones.votesNeeded() })
}

// waitsForAll reports whether a majority is no reason to stop asking: that nothing was
// done can be said by everybody, and in the hardened protocol one certified batch
// says otherwise.
func (ar *actionRetrieval) waitsForAll(b *Batch) bool {
	return ar.hardened() && len(b.Actions) == 0
}

// pluralityBatch is what most of the zones have said that a player has done, though
// too few have; nothing if none has answered.
func (ar *actionRetrieval) pluralityBatch(q *actionQuery) *Batch {
	best, most := ar.cache.batch(&Batch{Player: q.player, Of: ar.updates.cycle.to}), 0
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

func votesFor(zones []*Batch, b *Batch) (count int) {
	for _, c := range zones {
		count += bit(sameBatch(b, c))
	}
	return count
}
