package storage

import (
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/actions"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// dormantStore keeps the static objects of the node's cell: the characters whose players
// are away (thesis 5.4.1).
type dormantStore struct {
	*part.Part
	area     *placement.Area
	zones    *placement.Electorate
	replica  *replica
	store    *actions.Store
	transfer *transfer

	static          map[state.ObjectID]*state.Object
	recentlyDormant recentlyDormant
	activated       []activation
	lateActivations []lateActivation
	handOffs
}

// recentlyDormant are the characters that fell asleep in one step where the node keeps them.
type recentlyDormant struct {
	of   int64
	them []*state.Object
}

// makeDormant stores the characters that have become static in the node's cell.
func (ds *dormantStore) makeDormant(c *state.Cell) {
	for _, o := range c.Dormant {
		if ds.area.Responsible(o.Pos) {
			ds.static[o.ID] = o
			ds.recentlyDormant.them = append(ds.recentlyDormant.them, o)
		}
	}
}

// dormantSince are the static objects of the node, those too that a farewell has only
// named, or those that fell asleep in a step.
func (ds *dormantStore) dormantSince(of int64) (out []*state.Object) {
	switch of {
	case 0:
		return slices.AppendSeq(slices.Collect(maps.Values(ds.static)), maps.Values(ds.namedClaims))
	case ds.recentlyDormant.of:
		for _, o := range ds.recentlyDormant.them {
			if ds.static[o.ID] == o {
				out = append(out, o)
			}
		}
	}
	return out
}

// addStatic adds static data that lies in the node's cell.
func (ds *dormantStore) addStatic(out outcome) {
	for _, o := range out.static {
		if o.Static && ds.area.Responsible(o.Pos) {
			ds.static[o.ID] = o
			delete(ds.namedClaims, o.ID)
		}
	}
	for _, b := range out.batches {
		if ds.area.Stores(b.Player) {
			ds.store.KeepPushed(b)
		}
	}
}

// addPushed adds what a neighbour has pushed to a node that is ready. In the hardened
// protocol that replaces nothing: what the node has, enough zones have agreed on. The
// rest is a claim until they are asked.
func (ds *dormantStore) addPushed(out outcome) {
	if ds.Hardened {
		out.static = slices.DeleteFunc(slices.Clone(out.static), func(o *state.Object) bool { return ds.static[o.ID] != nil })
		for _, o := range out.static {
			if o.Static && ds.area.Responsible(o.Pos) {
				ds.claims[o.ID] = true
			}
		}
	}
	ds.addStatic(out)
}

// releaseStatic removes static objects that a neighbour is now responsible for, and
// returns them in order.
func (ds *dormantStore) releaseStatic(to *overlay.Contact) (out []*state.Object) {
	for _, o := range ds.static {
		if ds.area.NearestTo(to, o.Pos) {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, state.ByID)
	for _, o := range out {
		delete(ds.static, o.ID)
	}
	return out
}
