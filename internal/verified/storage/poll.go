package storage

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
