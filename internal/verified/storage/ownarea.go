package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// ownArea is what the node is responsible for at present, among its neighbours, and
// whose actions are stored there.
type ownArea struct {
	*part.Part
	part                 responsibility
	around               *messages.Around // the current neighbourhood; nil: to be made
	neighbourhoodChanged bool             // since part was calculated
}

// responsibility is what a node is responsible for: its Voronoi cell for static data,
// the smallest circle around it for dynamic data (thesis 5.3.4, 5.4.1).
type responsibility struct {
	cell       geom.Polygon // in the world
	circle     geom.Circle
	neighbours []*overlay.Contact // in the same zone
}

// computeResponsibility returns the territory among the present neighbours.
func (oa *ownArea) computeResponsibility() responsibility {
	var t responsibility
	var points []geom.Point
	for _, c := range oa.Overlay.Neighbours(nil) {
		if oa.Space.Zone(c.Pos) == oa.Zone {
			t.neighbours = append(t.neighbours, c)
			points = append(points, c.Pos)
		}
	}
	keys := geom.Cell(oa.Self.Pos, points, oa.Space.SubArea(oa.Zone), nil)
	t.cell = oa.Places.Polygon(keys)
	t.circle = geom.Enclosing(t.cell)
	t.circle.R += 2 // what rounding to keys may leave out
	return t
}

// responsible reports whether a place lies in the node's cell.
func (oa *ownArea) responsible(p geom.Point) bool {
	k := oa.Places.KeyBeyond(p, oa.Zone)
	for _, c := range oa.part.neighbours {
		if geom.Closer(k, c.Pos, oa.Self.Pos) {
			return false
		}
	}
	return true
}

// nearestTo reports whether a neighbour is responsible for a place rather than
// all the others.
func (oa *ownArea) nearestTo(who *overlay.Contact, p geom.Point) bool {
	k := oa.Places.KeyBeyond(p, oa.Zone)
	for _, c := range oa.part.neighbours {
		if c.ID != who.ID && geom.Closer(k, c.Pos, who.Pos) {
			return false
		}
	}
	return geom.Closer(k, who.Pos, oa.Self.Pos)
}

// successor is the neighbour that a place falls to without this node.
func (oa *ownArea) successor(p geom.Point) (best *overlay.Contact) {
	k := oa.Places.KeyBeyond(p, oa.Zone)
	for _, c := range oa.part.neighbours {
		if best == nil || geom.Closer(k, c.Pos, best.Pos) {
			best = c
		}
	}
	return best
}

// nearer is the part of the node's cell that is nearer to somebody who is not a
// neighbour any more: what was added by its leaving.
func (oa *ownArea) nearer(c *overlay.Contact) geom.Polygon {
	points := []geom.Point{oa.Self.Pos}
	for _, d := range oa.part.neighbours {
		points = append(points, d.Pos)
	}
	theirs := geom.Cell(c.Pos, points, oa.Space.SubArea(oa.Zone), nil)
	if len(theirs) < 3 {
		return nil
	}
	own := points[:0]
	for _, d := range oa.part.neighbours {
		own = append(own, d.Pos)
	}
	keys := geom.Cell(oa.Self.Pos, own, oa.Space.SubArea(oa.Zone), nil)
	return oa.Places.Polygon(geom.Nearer(keys, c.Pos, oa.Self.Pos))
}

func (oa *ownArea) neighbourhood() *messages.Around {
	if oa.around == nil {
		oa.around = messages.NewAround(oa.Self, oa.Overlay.Neighbours(nil), oa.Space.Bounds())
	}
	return oa.around
}

// homesOf is how many places a player's actions are stored at in each zone. With
// four zones, of which three have to agree, one more than with nine or sixteen.
func (oa *ownArea) homesOf() int {
	switch {
	case !oa.Hardened:
		return 1
	case oa.Space.Zones() < 9:
		return 3
	}
	return 2
}

// homes are these places in the world: the player's own, and others as far from
// each other as can be, so that neither storers nor paths are the same.
func (oa *ownArea) homes(p *state.Player) []geom.Point {
	out := [3]geom.Point{p.Home}
	count := oa.homesOf()
	for k := 1; k < count; k++ {
		far := int64(oa.World.Side) * int64(k) / int64(count)
		out[k] = geom.Point{
			X: int32((int64(p.Home.X) + far) % int64(oa.World.Side)),
			Y: int32((int64(p.Home.Y) + far) % int64(oa.World.Side)),
		}
	}
	return out[:count]
}

// stores reports whether a player's actions are any business of the node.
func (oa *ownArea) stores(p *state.Player) bool {
	for _, h := range oa.homes(p) {
		if oa.responsible(h) {
			return true
		}
	}
	return false
}

// Cell is the node's Voronoi cell in the world, Circle its maintenance area.
func (n *Node) Cell() geom.Polygon { return n.area.part.cell }

// Circle is the node's maintenance area (thesis 5.3.4).
func (n *Node) Circle() geom.Circle { return n.area.part.circle }

// StorePlaces are the keys in a zone at which a player's actions are stored.
func (n *Node) StorePlaces(p *state.Player, zone int) (keys []geom.Point) {
	for _, h := range n.area.homes(p) {
		keys = append(keys, n.part.Places.Key(h, zone))
	}
	return keys
}

// PartOf returns the part of the world that this node or a neighbour keeps for
// its zone, as corners; nothing if its cell is not known.
func (n *Node) PartOf(c *overlay.Contact) geom.Polygon {
	var cell geom.Polygon
	if c.ID == n.Self().ID {
		cell = n.part.Overlay.Cell(nil)
	} else {
		cell = n.part.Overlay.CellOf(c.ID, nil)
	}
	if len(cell) == 0 {
		return nil
	}
	zone := n.part.Space.SubArea(n.part.Space.Zone(c.Pos))
	cell = cell.Intersect(zone.Polygon(nil), nil)
	out := make(geom.Polygon, 0, len(cell))
	for _, k := range cell {
		p := geom.Point{X: n.part.Places.Back(k.X - zone.Min.X), Y: n.part.Places.Back(k.Y - zone.Min.Y)}
		out = append(out, geom.Point{X: min(p.X, n.part.World.Side), Y: min(p.Y, n.part.World.Side)})
	}
	return out
}

func isContact(c *overlay.Contact) func(*overlay.Contact) bool {
	return func(d *overlay.Contact) bool { return c.ID == d.ID }
}
