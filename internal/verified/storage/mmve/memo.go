package mmve

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
)

// step names what a version of an object becomes if nobody does anything to it.
type step struct {
	o  *storage.Object
	to machine.Time
}

// share returns the object that was made before with the same content, or o
// itself: those who replay apart from each other, from the same things, end up
// with the same memory.
func (w *World) share(o *storage.Object) *storage.Object {
	if same, ok := w.seen.Get(o.Digest); ok {
		return same
	}
	w.seen.Put(o.Digest, o)
	return o
}
