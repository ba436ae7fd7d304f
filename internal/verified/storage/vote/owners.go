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
// the cell by where it and the others stand that have answered. Where nobody does who knows
// the cell, those who stand nearest have one: who holds it may be silent, or have just come.
func (bl *Ballot) isOwner(q *Poll, zone int, r *messages.Result, x, y int32) bool {
	if !bl.knows(q, r, x, y) || !bl.isNear(q, zone, r, x, y) {
		return false
	}
	z := &q.Zones[zone]
	return bl.holds(z, zone, r, x, y) || !slices.ContainsFunc(z.Results, func(o *messages.Result) bool { return bl.knows(q, o, x, y) && bl.holds(z, zone, o, x, y) })
}

// knows reports whether an answer tells of all of a cell.
func (bl *Ballot) knows(q *Poll, r *messages.Result, x, y int32) bool {
	return q.Fits(r) && r.Seen.Covers(x, y, bl.World.Cell) == state.Inside
}

// holds reports whether a cell of the world touches the circle that a node answers for,
// among those that have answered and those that it names itself.
func (bl *Ballot) holds(z *Zone, zone int, r *messages.Result, x, y int32) bool {
	if z.circlesOf != len(z.Results) {
		z.circles, z.circlesOf = map[*messages.Around]geom.Circle{}, len(z.Results)
	}
	c, known := z.circles[r.Around]
	if !known {
		var points []geom.Point
		for _, o := range z.Results {
			if o.Around.Self.ID != r.Around.Self.ID {
				points = append(points, o.Around.Self.Pos)
			}
		}
		for _, n := range r.Around.Neighbours {
			if bl.Space.Zone(n.Pos) == zone {
				points = append(points, n.Pos)
			}
		}
		keys := geom.Cell(r.Around.Self.Pos, points, bl.Space.SubArea(zone), nil)
		c = geom.Enclosing(bl.Places.Polygon(keys))
		c.R += 2 // what rounding to keys may leave out
		z.circles[r.Around] = c
	}
	return state.Relate(&overlay.Area{Circle: c}, x*bl.World.Cell, y*bl.World.Cell, bl.World.Cell) != state.Outside
}

// isNear reports whether fewer than nearest nodes of a zone are known that stand nearer to
// a cell: those that have answered, and those that they name as their neighbours. Only few
// nodes of a zone hold a cell, so that without those who are named, whoever claims it from
// far away would have a say beside them. Only who stands nearer itself is believed about who
// else does: from far away nobody takes a vote from anybody.
func (bl *Ballot) isNear(q *Poll, zone int, r *messages.Result, x, y int32) bool {
	half := bl.World.Cell / 2
	at := bl.Places.KeyBeyond(geom.Point{X: x*bl.World.Cell + half, Y: y*bl.World.Cell + half}, zone)
	own := at.Dist2(r.Around.Self.Pos)
	var few [nearest]id.ID
	nearer := few[:0]
	count := func(c *overlay.Contact) {
		if len(nearer) < nearest && at.Dist2(c.Pos) < own && bl.Space.Zone(c.Pos) == zone && !slices.Contains(nearer, c.ID) {
			nearer = append(nearer, c.ID)
		}
	}
	for _, o := range q.Zones[zone].Results {
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
