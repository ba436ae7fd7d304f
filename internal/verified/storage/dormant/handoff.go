package dormant

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// HandOffTo are the objects that a neighbour keeps when the node leaves, ascending by ID.
func (ds *Store) HandOffTo(to *overlay.Contact) (out []*state.Object) {
	for _, o := range ds.static {
		if ds.Area.Responsible(o.Pos) && ds.Area.Successor(o.Pos) == to {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, state.ByID)
	return out
}

// KeepHandOff keeps what a neighbour has pushed until it is known whether it leaves.
func (ds *Store) KeepHandOff(from *overlay.Contact, out Data) {
	if ds.Hardened && slices.ContainsFunc(ds.Area.Now.Neighbours, placement.IsContact(from)) {
		ds.offered[from.ID] = out
	}
}

// ClaimHandOffs claims what those have pushed who are not neighbours any more.
func (ds *Store) ClaimHandOffs() {
	for _, who := range id.Sorted(ds.offered) {
		if slices.ContainsFunc(ds.Area.Now.Neighbours, func(c *overlay.Contact) bool { return c.ID == who }) {
			continue
		}
		out := ds.offered[who]
		delete(ds.offered, who)
		for _, o := range out.Objects {
			if o.Static && ds.Area.Responsible(o.Pos) && ds.static[o.ID] == nil {
				ds.claims[o.ID] = true
			}
		}
		for _, o := range out.Names {
			if ds.Area.Responsible(o.Pos) && ds.static[o.ID] == nil {
				ds.claims[o.ID], ds.namedClaims[o.ID] = true, o
			}
		}
		ds.Add(out)
	}
}

// DropClaims drops claims in an area that enough zones have answered about without
// naming them; without counts these. Again: the area is going to be asked for once more.
func (ds *Store) DropClaims(area *overlay.Area, again bool, without func(*state.Object) int) {
	for what := range ds.claims {
		o, name := ds.static[what], ds.namedClaims[what]
		if name == nil {
			name = o
		}
		if name != nil && (o == nil && again || !ds.Places.Touches(area, name.Pos)) {
			continue
		}
		delete(ds.claims, what)
		delete(ds.namedClaims, what)
		if o != nil && without(o) >= ds.Zones.VotesNeeded() {
			delete(ds.static, what)
		}
	}
}

// handOffs is what farewells leave with a node.
type handOffs struct {
	offered     map[id.ID]Data                   // of neighbours who may be leaving
	claims      map[state.ObjectID]bool          // static objects that only a farewell has told of
	namedClaims map[state.ObjectID]*state.Object // those of them that are only named
}
