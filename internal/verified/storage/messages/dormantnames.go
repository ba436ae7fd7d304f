package messages

import (
	"cmp"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Static data by name. Characters are large: where three nodes
// keep a zone of the thesis' world, those that sleep in one cell are ten megabytes,
// and an answer of each zone would fill the link of who asks for longer than it
// waits. So answers only name who sleeps where. What the zones agree on and the node
// does not have it fetches, some at a time, from those who have named it; however
// long that takes, the next update's answers find room in between.

// DormantName names a version of a character that sleeps, or wakes, and where.
type DormantName struct {
	ID     state.ObjectID
	Digest state.Digest
	Pos    geom.Point
}

// sizeDormantName is what it takes: its number, its digest and the place.
const sizeDormantName = 8 + id.Size + 8

func nameOf(o *state.Object) DormantName { return DormantName{o.ID, o.Digest, o.Pos} }

// NameAll makes of static objects what is sent of them.
func NameAll(objects []*state.Object) (out []DormantName) {
	for _, o := range objects {
		out = append(out, nameOf(o))
	}
	return out
}

// NamedAll is its inverse, as far as that is possible.
func NamedAll(names []DormantName) (out []*state.Object) {
	for _, s := range names {
		out = append(out, &state.Object{ID: s.ID, Digest: s.Digest, Pos: s.Pos, Static: true})
	}
	return out
}

// HasStatic reports whether an answer has a static object.
func (m *Result) HasStatic(o *state.Object) bool {
	i, ok := slices.BinarySearchFunc(m.Static, o.ID, func(p *state.Object, what state.ObjectID) int { return cmp.Compare(p.ID, what) })
	return ok && state.SameObject(m.Static[i], o)
}
