package limit

import (
	"net/netip"
	"time"
)

// Table remembers something of addresses, by their keys, within bounds: if there
// are too many, one that was not seen for long makes room. It is not safe for
// concurrent use.
type Table[V any] struct {
	max   int
	fresh func() V
	keep  func(v *V) bool
	m     map[netip.Prefix]*entry[V]
}

type entry[V any] struct {
	v    V
	seen time.Time
}

// looked is how many entries are compared to make room for one.
const looked = 32

// NewTable returns a table of about max addresses. Fresh makes what is known of a
// new one; those of which keep reports true are never forgotten, and count beyond max.
func NewTable[V any](max int, fresh func() V, keep func(v *V) bool) Table[V] {
	return Table[V]{max: max, fresh: fresh, keep: keep, m: map[netip.Prefix]*entry[V]{}}
}

// Of returns what is known of an address, and notes that it was seen.
func (t *Table[V]) Of(a netip.Addr, now time.Time) *V {
	key := Key(a)
	e := t.m[key]
	if e == nil {
		if len(t.m) >= t.max {
			t.forgetOne()
		}
		e = &entry[V]{v: t.fresh()}
		t.m[key] = e
	}
	e.seen = now
	return &e.v
}

// forgetOne forgets the one, of a few that the map's order chooses by chance, that
// was not seen for longest.
func (t *Table[V]) forgetOne() {
	var oldest netip.Prefix
	n := 0
	for key, e := range t.m {
		if t.keep(&e.v) {
			continue
		}
		if n == 0 || e.seen.Before(t.m[oldest].seen) {
			oldest = key
		}
		if n++; n == looked {
			break
		}
	}
	delete(t.m, oldest)
}

// Sweep forgets addresses of which done reports that nothing is left to know.
func (t *Table[V]) Sweep(done func(v *V) bool) {
	for key, e := range t.m {
		if !t.keep(&e.v) && done(&e.v) {
			delete(t.m, key)
		}
	}
}

// Len is how many addresses are remembered.
func (t *Table[V]) Len() int { return len(t.m) }
