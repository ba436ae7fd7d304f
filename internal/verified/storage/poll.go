package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// withTentative is the retrieval as if all that was guessed in its answers were known.
func (q *query) withTentative() *query { return q.withTentativeAtLeast(state.NotFrozen) }

// withTentativeAgreed is the retrieval as if all were known that enough zones have said.
func (q *query) withTentativeAgreed() *query { return q.withTentativeAtLeast(state.FrozenByMajority) }

func (q *query) withTentativeAtLeast(least state.Freeze) *query {
	b := *q
	b.zones = make([]zoneAnswer, len(q.zones))
	for i, z := range q.zones {
		b.zones[i] = z
		b.zones[i].results = make([]*messages.Result, len(z.results))
		for k, r := range z.results {
			c := *r
			c.Seen = r.Seen.WithTentativeAtLeast(least)
			b.zones[i].results[k] = &c
		}
	}
	return &b
}

// silent reports whether no answer of a zone is waited for: it has given its last, or
// is deserted.
func (q *query) silent(zone int, el *placement.Electorate) bool {
	return q.zones[zone].over || el.IsDeserted(zone)
}

// allSilent reports whether no answer is waited for.
func (q *query) allSilent(el *placement.Electorate) bool {
	for zone := range q.zones {
		if !q.silent(zone, el) {
			return false
		}
	}
	return true
}
