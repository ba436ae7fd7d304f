// Package placement is what a node knows of who stores what: which places of the world it
// is responsible for itself, who can be responsible for one in another zone, and which
// zones have nodes and so a vote (docs/protocols/storage-hardened.md). It changes nothing
// of the world.
//
// Start with Area; Acquaintances judges others, Electorate counts zones.
package placement

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Area is what the node is responsible for at present, among its neighbours, and
// whose actions are stored there.
type Area struct {
	*part.Part
	Now                  Responsibility
	around               *messages.Around // the current neighbourhood; nil: to be made
	NeighbourhoodChanged bool             // since Now was calculated
}

// Responsibility is what a node is responsible for: its Voronoi cell for static data,
// the smallest circle around it for dynamic data (thesis 5.3.4, 5.4.1).
type Responsibility struct {
	Cell       geom.Polygon // in the world
	Circle     geom.Circle
	Neighbours []*overlay.Contact // in the same zone
}

// ComputeResponsibility returns the territory among the present neighbours.
func (oa *Area) ComputeResponsibility() Responsibility {
	var t Responsibility
	var points []geom.Point
	for _, c := range oa.Overlay.Neighbours(nil) {
		if oa.Space.Zone(c.Pos) == oa.Zone {
			t.Neighbours = append(t.Neighbours, c)
			points = append(points, c.Pos)
		}
	}
	keys := geom.Cell(oa.Self.Pos, points, oa.Space.SubArea(oa.Zone), nil)
	t.Cell = oa.Places.Polygon(keys)
	t.Circle = geom.Enclosing(t.Cell)
	t.Circle.R += 2 // what rounding to keys may leave out
	return t
}

// Responsible reports whether a place lies in the node's cell.
func (oa *Area) Responsible(p geom.Point) bool {
	k := oa.Places.KeyBeyond(p, oa.Zone)
	for _, c := range oa.Now.Neighbours {
		if geom.Closer(k, c.Pos, oa.Self.Pos) {
			return false
		}
	}
	return true
}

// NearestTo reports whether a neighbour is responsible for a place rather than
// all the others.
func (oa *Area) NearestTo(who *overlay.Contact, p geom.Point) bool {
	k := oa.Places.KeyBeyond(p, oa.Zone)
	for _, c := range oa.Now.Neighbours {
		if c.ID != who.ID && geom.Closer(k, c.Pos, who.Pos) {
			return false
		}
	}
	return geom.Closer(k, who.Pos, oa.Self.Pos)
}

// Successor is the neighbour that a place falls to without this node.
func (oa *Area) Successor(p geom.Point) (best *overlay.Contact) {
	k := oa.Places.KeyBeyond(p, oa.Zone)
	for _, c := range oa.Now.Neighbours {
		if best == nil || geom.Closer(k, c.Pos, best.Pos) {
			best = c
		}
	}
	return best
}

// Nearer is the part of the node's cell that is nearer to somebody who is not a
// neighbour any more: what was added by its leaving.
func (oa *Area) Nearer(c *overlay.Contact) geom.Polygon {
	points := []geom.Point{oa.Self.Pos}
	for _, d := range oa.Now.Neighbours {
		points = append(points, d.Pos)
	}
	theirs := geom.Cell(c.Pos, points, oa.Space.SubArea(oa.Zone), nil)
	if len(theirs) < 3 {
		return nil
	}
	own := points[:0]
	for _, d := range oa.Now.Neighbours {
		own = append(own, d.Pos)
	}
	keys := geom.Cell(oa.Self.Pos, own, oa.Space.SubArea(oa.Zone), nil)
	return oa.Places.Polygon(geom.Nearer(keys, c.Pos, oa.Self.Pos))
}

// NoteChange notes that the neighbourhood has changed.
func (oa *Area) NoteChange() { oa.around, oa.NeighbourhoodChanged = nil, true }

// Neighbourhood is the node with its neighbours, as it tells others.
func (oa *Area) Neighbourhood() *messages.Around {
	if oa.around == nil {
		oa.around = messages.NewAround(oa.Self, oa.Overlay.Neighbours(nil), oa.Space.Bounds())
	}
	return oa.around
}

// HomesOf is how many places a player's actions are stored at in each zone. With
// four zones, of which three have to agree, one more than with nine or sixteen.
func (oa *Area) HomesOf() int {
	switch {
	case !oa.Hardened:
		return 1
	case oa.Space.Zones() < 9:
		return 3
	}
	return 2
}

// Homes are these places in the world: the player's own, and others as far from
// each other as can be, so that neither storers nor paths are the same.
func (oa *Area) Homes(p *state.Player) []geom.Point {
	out := [3]geom.Point{p.Home}
	count := oa.HomesOf()
	for k := 1; k < count; k++ {
		far := int64(oa.World.Side) * int64(k) / int64(count)
		out[k] = geom.Point{
			X: int32((int64(p.Home.X) + far) % int64(oa.World.Side)),
			Y: int32((int64(p.Home.Y) + far) % int64(oa.World.Side)),
		}
	}
	return out[:count]
}

// Stores reports whether a player's actions are any business of the node.
func (oa *Area) Stores(p *state.Player) bool {
	for _, h := range oa.Homes(p) {
		if oa.Responsible(h) {
			return true
		}
	}
	return false
}

func IsContact(c *overlay.Contact) func(*overlay.Contact) bool {
	return func(d *overlay.Contact) bool { return c.ID == d.ID }
}
