package mmve

import (
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
)

// recent remembers what was put into it lately: it keeps two generations, and
// forgets the older when the younger is full.
type recent[K comparable, V any] struct {
	young, old map[K]V
	limit      int
}

func newRecent[K comparable, V any](limit int) recent[K, V] {
	return recent[K, V]{young: map[K]V{}, limit: limit}
}

func (m *recent[K, V]) get(k K) V {
	if v, ok := m.young[k]; ok {
		return v
	}
	return m.old[k]
}

func (m *recent[K, V]) put(k K, v V) {
	if len(m.young) >= m.limit {
		m.young, m.old = map[K]V{}, m.young
	}
	m.young[k] = v
}

// step names what a version of an object becomes if nobody does anything to it.
type step struct {
	o  *storage.Object
	to machine.Time
}

// share returns the object that was made before with the same content, or o
// itself: those who replay apart from each other, from the same things, end up
// with the same memory.
func (w *World) share(o *storage.Object) *storage.Object {
	if same := w.seen.get(o.Digest); same != nil {
		return same
	}
	w.seen.put(o.Digest, o)
	return o
}
