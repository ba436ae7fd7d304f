// Package dormant keeps what does not move: the characters whose players are away, in the
// cell of the node that is responsible for their place. It puts them to sleep, wakes them
// when their players come back, and keeps what a neighbour has handed over as a claim until
// other zones have been asked.
//
// Source: Schuster 2013, section 5.4.1; claims are of the hardened protocol
// (docs/protocols/storage-hardened.md).
//
// Invariants:
//   - only the node of its player, or one that may keep the place in another zone, wakes a
//     character, and not for an update that is past;
//   - what is pushed replaces nothing that the node has;
//   - a claim that enough zones have answered about without naming it is dropped.
//
// Start with Store, then Store.OnActivate.
package dormant

import (
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/actions"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/replica"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Store keeps the static objects of the node's cell.
type Store struct {
	*part.Part
	Surroundings

	static          map[state.ObjectID]*state.Object
	recentlyDormant recentlyDormant
	activated       []activation
	lateActivations []lateActivation
	handOffs
}

// Surroundings are the other components that this one uses.
type Surroundings struct {
	Area    *placement.Area
	Zones   *placement.Electorate
	Replica *replica.Replica
	Actions *actions.Store
	Known   *placement.Acquaintances
	// Responders are those of a zone who have answered about the update area.
	Responders func(zone int) []*overlay.Contact
	// Fetching reports whether the static data of a place has been asked for, or is going
	// to be, and has not come.
	Fetching func(geom.Point) bool
}

// Data is static data: what sleeps somewhere, and whose actions are stored there.
type Data struct {
	Objects []*state.Object
	Names   []*state.Object // that are only named
	Batches []*state.Batch
}

// New returns the store of a node that has nothing yet.
func New(p *part.Part, s Surroundings) *Store {
	return &Store{
		Part: p, Surroundings: s, static: map[state.ObjectID]*state.Object{},
		handOffs: handOffs{map[id.ID]Data{}, map[state.ObjectID]bool{}, map[state.ObjectID]*state.Object{}},
	}
}

// All are the static objects that the node stores, ascending by ID.
func (ds *Store) All() []*state.Object {
	return slices.SortedFunc(maps.Values(ds.static), state.ByID)
}

// Count is how many dormant characters the node keeps.
func (ds *Store) Count() int { return len(ds.static) }

// Object is one that the node stores; nil: it does not.
func (ds *Store) Object(what state.ObjectID) *state.Object { return ds.static[what] }

// BeginStep begins the step to an update: what falls asleep from now on does so in it.
func (ds *Store) BeginStep(of int64) { ds.recentlyDormant = recentlyDormant{of: of} }

// LastStep is the update of the last step that the node has made.
func (ds *Store) LastStep() int64 { return ds.recentlyDormant.of }

// Awake notes that characters are in the world, and so do not sleep.
func (ds *Store) Awake(them []*state.Object) {
	for _, o := range them {
		delete(ds.static, o.ID)
	}
}

// recentlyDormant are the characters that fell asleep in one step where the node keeps them.
type recentlyDormant struct {
	of   int64
	them []*state.Object
}

// MakeDormant stores the characters that have become static in the node's cell.
func (ds *Store) MakeDormant(c *state.Cell) {
	for _, o := range c.Dormant {
		if ds.Area.Responsible(o.Pos) {
			ds.static[o.ID] = o
			ds.recentlyDormant.them = append(ds.recentlyDormant.them, o)
		}
	}
}

// Since are the static objects of the node, those too that a farewell has only
// named, or those that fell asleep in a step.
func (ds *Store) Since(of int64) (out []*state.Object) {
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

// Fetched takes what zones have agreed on and a retrieval has fetched.
func (ds *Store) Fetched(objects []*state.Object, batches []*state.Batch) {
	ds.Add(Data{Objects: objects, Batches: batches})
}

// Add adds static data that lies in the node's cell.
func (ds *Store) Add(out Data) {
	for _, o := range out.Objects {
		if o.Static && ds.Area.Responsible(o.Pos) {
			ds.static[o.ID] = o
			delete(ds.namedClaims, o.ID)
		}
	}
	for _, b := range out.Batches {
		if ds.Area.Stores(b.Player) {
			ds.Actions.KeepPushed(b)
		}
	}
}

// AddPushed adds what a neighbour has pushed to a node that is ready. In the hardened
// protocol that replaces nothing: what the node has, enough zones have agreed on. The
// rest is a claim until they are asked.
func (ds *Store) AddPushed(out Data) {
	if ds.Hardened {
		out.Objects = slices.DeleteFunc(slices.Clone(out.Objects), func(o *state.Object) bool { return ds.static[o.ID] != nil })
		for _, o := range out.Objects {
			if o.Static && ds.Area.Responsible(o.Pos) {
				ds.claims[o.ID] = true
			}
		}
	}
	ds.Add(out)
}

// Release removes static objects that a neighbour is now responsible for, and
// returns them in order.
func (ds *Store) Release(to *overlay.Contact) (out []*state.Object) {
	for _, o := range ds.static {
		if ds.Area.NearestTo(to, o.Pos) {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, state.ByID)
	for _, o := range out {
		delete(ds.static, o.ID)
	}
	return out
}
