// Package recent remembers what was computed lately, within bounds.
package recent

// Map is a map that forgets: it keeps two generations, and drops the older when
// the younger is full. What is looked up stays. It never changes what a caller
// computes, only whether it has to.
type Map[K comparable, V any] struct {
	young, old map[K]V
	limit      int
}

// New returns a map that holds between limit and 2·limit entries once it is full.
func New[K comparable, V any](limit int) Map[K, V] {
	return Map[K, V]{young: map[K]V{}, limit: max(limit, 1)}
}

// Get returns what was put in under a key, if it is not forgotten.
func (m *Map[K, V]) Get(k K) (v V, ok bool) {
	if v, ok = m.young[k]; ok {
		return v, true
	}
	if v, ok = m.old[k]; ok {
		m.Put(k, v)
	}
	return v, ok
}

// Put remembers v under a key.
func (m *Map[K, V]) Put(k K, v V) {
	if _, known := m.young[k]; !known && len(m.young) >= m.limit {
		m.young, m.old = make(map[K]V, m.limit), m.young
	}
	m.young[k] = v
}

// Len returns how many entries are remembered; those in both generations count
// twice.
func (m *Map[K, V]) Len() int { return len(m.young) + len(m.old) }
