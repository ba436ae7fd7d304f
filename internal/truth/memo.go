package truth

import "github.com/voxelpopuli/voxelpopuli/internal/storage"

// recent remembers what was put into it lately: it keeps two generations, and
// forgets the older when the younger is full.
type recent[K comparable, V any] struct {
	young, old map[K]V
	limit      int
}

func newRecent[K comparable, V any](limit int) recent[K, V] {
	return recent[K, V]{young: map[K]V{}, limit: limit}
}

// get returns what was put in last; what is used stays.
func (m *recent[K, V]) get(k K) (v V, ok bool) {
	if v, ok = m.young[k]; ok {
		return v, true
	}
	if v, ok = m.old[k]; ok {
		m.put(k, v)
	}
	return v, ok
}

func (m *recent[K, V]) put(k K, v V) {
	if len(m.young) >= m.limit {
		m.young, m.old = map[K]V{}, m.young
	}
	m.young[k] = v
}

// share returns the object that was made before with the same content, or o
// itself.
func (r *Rules) share(o *storage.Object) *storage.Object {
	if same, ok := r.seen.get(o.Digest); ok {
		return same
	}
	r.seen.put(o.Digest, o)
	return o
}
