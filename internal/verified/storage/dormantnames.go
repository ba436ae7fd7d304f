package storage

import (
	"cmp"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Static data by name. Characters are large: where three nodes
// keep a zone of the thesis' world, those that sleep in one cell are ten megabytes,
// and an answer of each zone would fill the link of who asks for longer than it
// waits. So answers only name who sleeps where. What the zones agree on and the node
// does not have it fetches, some at a time, from those who have named it; however
// long that takes, the next update's answers find room in between.

// DormantName names a version of a character that sleeps, or wakes, and where.
type DormantName struct {
	ID     ObjectID
	Digest Digest
	Pos    geom.Point
}

// sizeDormantName is what it takes: its number, its digest and the place.
const sizeDormantName = 8 + id.Size + 8

func nameOf(o *Object) DormantName { return DormantName{o.ID, o.Digest, o.Pos} }

// nameAll makes of static objects what is sent of them.
func nameAll(objects []*Object) (out []DormantName) {
	for _, o := range objects {
		out = append(out, nameOf(o))
	}
	return out
}

// namedAll is its inverse, as far as that is possible.
func namedAll(names []DormantName) (out []*Object) {
	for _, s := range names {
		out = append(out, &Object{ID: s.ID, Digest: s.Digest, Pos: s.Pos, Static: true})
	}
	return out
}

// names reports whether an answer has a static object.
func (m *Result) names(o *Object) bool {
	i, ok := slices.BinarySearchFunc(m.Static, o.ID, func(p *Object, what ObjectID) int { return cmp.Compare(p.ID, what) })
	return ok && sameObject(m.Static[i], o)
}
