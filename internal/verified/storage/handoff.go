package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Hand-offs. In the thesis a node that leaves takes what it
// stores with it, and its neighbours ask the other zones (5.4.2). If the nodes of
// several zones that keep the same place leave within the time that this takes, no
// majority is left to tell. So in the hardened protocol who leaves hands what it has to its neighbours, each
// of which keeps what is its own from then on as a claim: what enough other zones
// do not know is dropped when they have answered. What would be too much to arrive is
// only named: that is as good for the vote, and the other zones have it.

// farewellBytes is how much static data a node hands to each neighbour when it leaves,
// if there is somebody else who has it. Whoever goes has no time to send more: a link
// over which something still comes is cut before it is through.
const farewellBytes = 1 << 20

// handOff hands static data and actions to those who keep them from now on.
func (tr *transfer) handOff() {
	if !tr.Hardened || !tr.Ready || !tr.Begun {
		return
	}
	for _, to := range tr.area.Now.Neighbours {
		m := &messages.Push{}
		for _, o := range tr.dormant.static {
			if tr.area.Responsible(o.Pos) && tr.area.Successor(o.Pos) == to {
				m.Static = append(m.Static, o)
			}
		}
		slices.SortFunc(m.Static, state.ByID)
		if tr.zones.Voters() > 1 {
			m.Static, m.Names = limitHandOff(m.Static)
		}
		m.Batches = tr.store.BatchesAt(func(h geom.Point) bool { return tr.area.Responsible(h) && tr.area.Successor(h) == to })
		if len(m.Static)+len(m.Batches) == 0 {
			continue
		}
		m.Seal(tr.World)
		tr.sendPush(to, m)
	}
}

// limitHandOff leaves of static objects what a farewell has room for, and names the rest.
func limitHandOff(objects []*state.Object) (some []*state.Object, rest []messages.DormantName) {
	bytes := 0
	for i, o := range objects {
		if bytes += o.Size; bytes > farewellBytes {
			return objects[:i], messages.NameAll(objects[i:])
		}
	}
	return objects, nil
}

// keepHandOff keeps what a neighbour has pushed until it is known whether it leaves.
func (ds *dormantStore) keepHandOff(from *overlay.Contact, out outcome) {
	if ds.Hardened && slices.ContainsFunc(ds.area.Now.Neighbours, placement.IsContact(from)) {
		ds.offered[from.ID] = out
	}
}

// claimHandOffs claims what those have pushed who are not neighbours any more.
func (ds *dormantStore) claimHandOffs() {
	for _, who := range id.Sorted(ds.offered) {
		if slices.ContainsFunc(ds.area.Now.Neighbours, func(c *overlay.Contact) bool { return c.ID == who }) {
			continue
		}
		out := ds.offered[who]
		delete(ds.offered, who)
		for _, o := range out.static {
			if o.Static && ds.area.Responsible(o.Pos) && ds.static[o.ID] == nil {
				ds.claims[o.ID] = true
			}
		}
		for _, o := range out.names {
			if ds.area.Responsible(o.Pos) && ds.static[o.ID] == nil {
				ds.claims[o.ID], ds.namedClaims[o.ID] = true, o
			}
		}
		ds.addStatic(out)
	}
}

// dropClaims drops claims in an area that enough zones have answered about without
// naming them. Again: the area is going to be asked for once more.
func (ds *dormantStore) dropClaims(q *query, again bool) {
	for what := range ds.claims {
		o, name := ds.static[what], ds.namedClaims[what]
		if name == nil {
			name = o
		}
		if name != nil && (o == nil && again || !ds.Places.Touches(&q.Area, name.Pos)) {
			continue
		}
		delete(ds.claims, what)
		delete(ds.namedClaims, what)
		if o == nil {
			continue
		}
		without := 0
		for i := range q.zones {
			z := &q.zones[i]
			without += state.Indicator(z.over && !slices.ContainsFunc(z.results, func(r *messages.Result) bool { return r.HasStatic(o) }))
		}
		if without >= ds.zones.VotesNeeded() {
			delete(ds.static, what)
		}
	}
}

// handOffs is what farewells leave with a node.
type handOffs struct {
	offered     map[id.ID]outcome                // of neighbours who may be leaving
	claims      map[state.ObjectID]bool          // static objects that only a farewell has told of
	namedClaims map[state.ObjectID]*state.Object // those of them that are only named
}
