package mmve

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// ahead knows which NPCs remember their next version. They forget it at the second
// later time that is computed: who is referred to for long, as those of t_0 are, must
// not keep all that has become of him.
type ahead struct {
	latest     machine.Time
	now, older []*npc
}

func (a *ahead) set(n *npc, next *state.Object, to machine.Time) {
	if to > a.latest {
		for _, n := range a.older {
			n.next = nil
		}
		clear(a.older)
		a.now, a.older, a.latest = a.older[:0], a.now, to
	}
	if n.next == nil {
		a.now = append(a.now, n)
	}
	n.next, n.then = next, to
}

// share returns the object that was made before with the same content, or o
// itself: those who replay apart from each other, from the same things, end up
// with the same memory.
func (w *World) share(o *state.Object) *state.Object {
	if same, ok := w.seen.Get(o.Digest); ok {
		return same
	}
	w.seen.Put(o.Digest, o)
	return o
}
