package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// Farewells (Protocol.Farewell). In the thesis a node that leaves takes what it
// stores with it, and its neighbours ask the other zones (5.4.2). If the nodes of
// several zones that keep the same place leave within the time that this takes, no
// majority is left to tell. So who leaves hands what it has to its neighbours, each
// of which keeps what is its own from then on as a claim: what enough other zones
// do not know is dropped when they have answered. What would be too much to arrive is
// only named: that is as good for the vote, and the other zones have it.

// farewellBytes is how much static data a node hands to each neighbour when it leaves,
// if there is somebody else who has it. Whoever goes has no time to send more: a link
// over which something still comes is cut before it is through.
const farewellBytes = 1 << 20

// handOff hands static data and actions to those who keep them from now on.
func (n *Node) handOff() {
	if !n.cfg.Protocol.Farewell || !n.ready || !n.begun {
		return
	}
	for _, to := range n.part.neighbours {
		m := &Push{}
		for _, o := range n.static {
			if n.responsible(o.Pos) && n.successor(o.Pos) == to {
				m.Static = append(m.Static, o)
			}
		}
		slices.SortFunc(m.Static, byID)
		if n.cfg.Protocol.Digests && n.voters() > 1 {
			m.Static, m.Names = limitHandOff(m.Static)
		}
		m.Batches = n.batchesAt(func(h geom.Point) bool { return n.responsible(h) && n.successor(h) == to })
		if len(m.Static)+len(m.Batches) == 0 {
			continue
		}
		m.Seal(n.world)
		n.sendPush(to, m)
	}
	n.drain()
}

// limitHandOff leaves of static objects what a farewell has room for, and names the rest.
func limitHandOff(objects []*Object) (some []*Object, rest []DormantName) {
	bytes := 0
	for i, o := range objects {
		if bytes += o.Size; bytes > farewellBytes {
			return objects[:i], nameAll(objects[i:])
		}
	}
	return objects, nil
}

// successor is the neighbour that a place falls to without this node.
func (n *Node) successor(p geom.Point) (best *overlay.Contact) {
	k := n.places.keyBeyond(p, n.zone)
	for _, c := range n.part.neighbours {
		if best == nil || geom.Closer(k, c.Pos, best.Pos) {
			best = c
		}
	}
	return best
}

// keepHandOff keeps what a neighbour has pushed until it is known whether it leaves.
func (n *Node) keepHandOff(from *overlay.Contact, out outcome) {
	if n.cfg.Protocol.Farewell && slices.ContainsFunc(n.part.neighbours, isContact(from)) {
		n.wills[from.ID] = out
	}
}

// claimHandOffs claims what those have pushed who are not neighbours any more.
func (n *Node) claimHandOffs() {
	for _, who := range id.Sorted(n.wills) {
		if slices.ContainsFunc(n.part.neighbours, func(c *overlay.Contact) bool { return c.ID == who }) {
			continue
		}
		out := n.wills[who]
		delete(n.wills, who)
		for _, o := range out.static {
			if o.Static && n.responsible(o.Pos) && n.static[o.ID] == nil {
				n.claims[o.ID] = true
			}
		}
		for _, o := range out.names {
			if n.responsible(o.Pos) && n.static[o.ID] == nil {
				n.claims[o.ID], n.bequests[o.ID] = true, o
			}
		}
		n.addStatic(out)
	}
}

// dropClaims drops claims in an area that enough zones have answered about without
// naming them. Again: the area is going to be asked for once more.
func (n *Node) dropClaims(q *query, again bool) {
	for what := range n.claims {
		o, name := n.static[what], n.bequests[what]
		if name == nil {
			name = o
		}
		if name != nil && (o == nil && again || !n.places.touches(&q.Area, name.Pos)) {
			continue
		}
		delete(n.claims, what)
		delete(n.bequests, what)
		if o == nil {
			continue
		}
		without := 0
		for i := range q.zones {
			z := &q.zones[i]
			without += bit(z.over && !slices.ContainsFunc(z.results, func(r *Result) bool { return r.names(o) }))
		}
		if without >= n.votesNeeded() {
			delete(n.static, what)
		}
	}
}

// maxTries is how often static data is asked for again.
const maxTries = 5

// isFetchingStatic reports whether the node does not know yet who sleeps in some of an area.
func (n *Node) isFetchingStatic(a *overlay.Area) bool {
	for _, f := range n.fetches {
		if f.area.Overlaps(a.Polygon) {
			return true
		}
	}
	return slices.ContainsFunc(n.running, func(q *query) bool { return q.Kind.static() && q.Area.Polygon.Overlaps(a.Polygon) })
}

// unreported looks at the zones that do not report a static object. It is denied if one
// of them has answered, and the node there whose it would be is not asking itself;
// open, if one has not answered. When the nodes of several zones that keep a place
// leave together, those who follow them ask each other: that they know of nobody is
// no vote against who sleeps there (Protocol.Farewell).
func (n *Node) unreported(q *query, o *Object) (denied, open bool) {
	if !n.cfg.Protocol.Farewell {
		return true, false
	}
	for zone := range q.zones {
		z := &q.zones[zone]
		if slices.ContainsFunc(z.results, func(r *Result) bool { return r.names(o) }) {
			continue
		}
		k := n.places.keyBeyond(o.Pos, zone)
		var near *Result
		for _, r := range z.results {
			if near == nil || geom.Closer(k, r.Around.Self.Pos, near.Around.Self.Pos) {
				near = r
			}
		}
		open = open || !n.silent(q, zone)
		denied = denied || z.over && !near.Asking
	}
	return denied, open
}

// handOffs is what farewells leave with a node.
type handOffs struct {
	wills    map[id.ID]outcome    // of neighbours who may be leaving
	claims   map[ObjectID]bool    // static objects that only a farewell has told of
	bequests map[ObjectID]*Object // those of them that are only named
}
