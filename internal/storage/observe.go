package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// Observation is what the last look at the surroundings of the player's character has
// brought (Config.Where), for people to see. Frozen.
type Observation struct {
	Of    int64
	Cells []ObservedCell // row by row
}

// ObservedCell is a cell of a Look.
type ObservedCell struct {
	X, Y  int32
	Voted bool               // enough zones agree; otherwise it is open what is there
	By    []*overlay.Contact // who keep it and have answered, zone by zone
}

// LastObservation returns it; nil: there was none.
func (n *Node) LastObservation() *Observation { return n.lastObservation }

// newObservation makes it of a retrieval that has ended. Seen is its result, nil if there
// is none.
func (n *Node) newObservation(q *query, seen *Snapshot) *Observation {
	l, side := &Observation{Of: q.Of}, n.world.Cell
	x0, y0, x1, y1 := cellsOver(&q.Area, &n.world, 0)
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			if relate(&q.Area, x*side, y*side, side) == outside {
				continue
			}
			c := ObservedCell{X: x, Y: y, Voted: seen != nil && seen.covers(x, y, side) != outside}
			for _, z := range q.zones {
				for _, r := range z.results {
					if n.fits(q, r) && r.Seen.through(&r.Seen.Cover, x, y, side) != outside {
						c.By = append(c.By, r.Around.Self)
					}
				}
			}
			l.Cells = append(l.Cells, c)
		}
	}
	return l
}

// PartOf returns the part of the world that this node or a neighbour keeps for
// its zone, as corners; nothing if its cell is not known.
func (n *Node) PartOf(c *overlay.Contact) geom.Polygon {
	var cell geom.Polygon
	if c.ID == n.Self().ID {
		cell = n.overlay.Cell(nil)
	} else {
		cell = n.overlay.CellOf(c.ID, nil)
	}
	if len(cell) == 0 {
		return nil
	}
	zone := n.space.SubArea(n.space.Zone(c.Pos))
	cell = cell.Intersect(zone.Polygon(nil), nil)
	out := make(geom.Polygon, 0, len(cell))
	for _, k := range cell {
		p := geom.Point{X: n.places.back(k.X - zone.Min.X), Y: n.places.back(k.Y - zone.Min.Y)}
		out = append(out, geom.Point{X: min(p.X, n.world.Side), Y: min(p.Y, n.world.Side)})
	}
	return out
}
