package voxelrules

import (
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// share returns the object that was made before with the same content, or o
// itself.
func (r *Rules) share(o *state.Object) *state.Object {
	if same, ok := r.objects.Get(o.Digest); ok {
		return same
	}
	r.objects.Put(o.Digest, o)
	return o
}
