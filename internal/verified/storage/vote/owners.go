package vote

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Who of a zone has a say about a cell. An answer says itself which part of the world its
// sender holds; where the sender stands is certified.

// nearest is how many of the nodes of a zone have a say about a cell, those that
// stand nearest to it. More than these seldom hold it.
const nearest = 4

// isOwner reports whether an answer of a zone has a say about a cell: if its sender holds
// the cell by where it and others stand. Where nobody does who knows the cell, those who
// stand nearest have one: who holds it may be silent, or have just come.
func (bl *Ballot) isOwner(q *Poll, zone int, r *messages.Result, x, y int32) bool {
	z := &q.Zones[zone]
	mayHold := func(o *messages.Result) bool { return bl.knows(q, o, x, y) && bl.isNear(z, zone, o, x, y) }
	if !mayHold(r) {
		return false
	}
	return bl.holds(z, zone, r, x, y) || !slices.ContainsFunc(z.Results, func(o *messages.Result) bool { return mayHold(o) && bl.holds(z, zone, o, x, y) })
}

// knows reports whether an answer tells of all of a cell.
func (bl *Ballot) knows(q *Poll, r *messages.Result, x, y int32) bool {
	return q.Fits(r) && r.Seen.Covers(x, y, bl.World.Cell) == state.Inside
}

// holds reports whether a near node stands close enough to a cell of the world to hold it,
// and the cell touches the circle that the node answers for: among those that have answered,
// and those that it names itself or that somebody names who stands nearer to the cell.
func (bl *Ballot) holds(z *Zone, zone int, r *messages.Result, x, y int32) bool {
	at := bl.middle(zone, x, y)
	if !bl.area.MayHold(r.Around.Self, at) {
		return false
	}
	among := circleKey{of: r.Around}
	nearer := among.nearer[:0] // fewer than nearest, for the node is near
	for _, o := range z.Results {
		if geom.Closer(at, o.Around.Self.Pos, r.Around.Self.Pos) && len(nearer) < len(among.nearer) {
			nearer = append(nearer, o.Around)
		}
	}
	if z.circlesOf != len(z.Results) {
		z.circles, z.circlesOf = map[circleKey]geom.Circle{}, len(z.Results)
	}
	c, known := z.circles[among]
	if !known {
		c = bl.circleAmong(z, zone, &among)
		z.circles[among] = c
	}
	return state.Relate(&overlay.Area{Circle: c}, x*bl.World.Cell, y*bl.World.Cell, bl.World.Cell) != state.Outside
}

// circleKey is what a circle depends on besides who has answered: whose it is, and those nearer
// to a cell that are believed about who stands around it.
type circleKey struct {
	of     *messages.Around
	nearer [nearest - 1]*messages.Around
}

// circleAmong is the circle that a node of a zone answers for, as far as its neighbours are
// known.
func (bl *Ballot) circleAmong(z *Zone, zone int, among *circleKey) geom.Circle {
	self := among.of.Self
	var points []geom.Point
	add := func(c *overlay.Contact) {
		if c.ID != self.ID && bl.Space.Zone(c.Pos) == zone {
			points = append(points, c.Pos)
		}
	}
	for _, o := range z.Results {
		add(o.Around.Self)
	}
	for _, a := range append([]*messages.Around{among.of}, among.nearer[:]...) {
		if a != nil {
			for _, n := range a.Neighbours {
				add(n)
			}
		}
	}
	keys := geom.Cell(self.Pos, points, bl.Space.SubArea(zone), nil)
	c := geom.Enclosing(bl.Places.Polygon(keys))
	c.R += 2 // what rounding to keys may leave out
	return c
}

// middle is the key of the middle of a cell in a zone.
func (bl *Ballot) middle(zone int, x, y int32) geom.Point {
	half := bl.World.Cell / 2
	return bl.Places.KeyBeyond(geom.Point{X: x*bl.World.Cell + half, Y: y*bl.World.Cell + half}, zone)
}

// isNear reports whether fewer than nearest nodes of a zone are known that stand nearer to
// a cell: those that have answered, and those that they name as their neighbours. Only few
// nodes of a zone hold a cell, so that without those who are named, whoever claims it from
// far away would have a say beside them. Only who stands nearer itself is believed about who
// else does: from far away nobody takes a vote from anybody.
func (bl *Ballot) isNear(z *Zone, zone int, r *messages.Result, x, y int32) bool {
	at := bl.middle(zone, x, y)
	own := at.Dist2(r.Around.Self.Pos)
	var few [nearest]id.ID
	nearer := few[:0]
	count := func(c *overlay.Contact) {
		if len(nearer) < nearest && at.Dist2(c.Pos) < own && bl.Space.Zone(c.Pos) == zone && !slices.Contains(nearer, c.ID) {
			nearer = append(nearer, c.ID)
		}
	}
	for _, o := range z.Results {
		if at.Dist2(o.Around.Self.Pos) >= own {
			continue
		}
		count(o.Around.Self)
		for _, c := range o.Around.Neighbours {
			count(c)
		}
	}
	return len(nearer) < nearest
}
