package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Cell is the node's Voronoi cell in the world, Circle its maintenance area.
func (n *Node) Cell() geom.Polygon { return n.area.Now.Cell }

// Circle is the node's maintenance area (thesis 5.3.4).
func (n *Node) Circle() geom.Circle { return n.area.Now.Circle }

// StorePlaces are the keys in a zone at which a player's actions are stored.
func (n *Node) StorePlaces(p *state.Player, zone int) (keys []geom.Point) {
	for _, h := range n.area.Homes(p) {
		keys = append(keys, n.part.Places.Key(h, zone))
	}
	return keys
}

// Actions returns the actions that the node stores.
func (n *Node) Actions() []*state.Batch { return n.actions.Store.All() }

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
