package state

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// Mapping is m = t∘s (thesis 5.2.1): s shrinks the world to the sub-area of the
// first zone, t moves it to another zone. The thesis prints the matrix of s with
// w/s, which would enlarge it; it must be s/w.
type Mapping struct {
	space overlay.Space
	side  int64 // w, of the world
	sub   int64 // s, of a sub-area
}

func NewMapping(space overlay.Space, world World) Mapping {
	return Mapping{space, int64(world.Side), int64(space.SubSide())}
}

// Key is where a place of the world lies in a zone.
func (m Mapping) Key(p geom.Point, zone int) geom.Point {
	min := m.space.SubArea(zone).Min
	return geom.Point{X: min.X + int32(int64(p.X)*m.sub/m.side), Y: min.Y + int32(int64(p.Y)*m.sub/m.side)}
}

// World is m⁻¹: the place whose key a node's place is, whatever its zone. Keys
// are coarser than places as a rule; the smallest of those that share the key.
func (m Mapping) World(key geom.Point) geom.Point {
	min := m.space.SubArea(m.space.Zone(key)).Min
	return geom.Point{X: m.Back(key.X - min.X), Y: m.Back(key.Y - min.Y)}
}

func (m Mapping) Back(k int32) int32 {
	return int32((int64(k)*m.side + m.sub - 1) / m.sub)
}

// Area is an area of the world in a zone, a little larger because of rounding.
func (m Mapping) Area(a *overlay.Area, zone int) overlay.Area {
	if len(a.Polygon) == 0 {
		r := (int64(a.Circle.R)*m.sub + m.side - 1) / m.side
		return overlay.Area{Circle: geom.Circle{C: m.KeyBeyond(a.Circle.C, zone), R: int32(r) + 1}}
	}
	out := overlay.Area{Polygon: make(geom.Polygon, 0, len(a.Polygon))}
	for _, p := range a.Polygon {
		k := m.Key(p, zone)
		if n := len(out.Polygon); n == 0 || out.Polygon[n-1] != k {
			out.Polygon = append(out.Polygon, k)
		}
	}
	return out
}

// KeyBeyond is key for places that may lie outside the world: they are moved to
// its edge, for every place that is asked for lies inside.
func (m Mapping) KeyBeyond(p geom.Point, zone int) geom.Point {
	p.X = min(max(p.X, 0), int32(m.side)-1)
	p.Y = min(max(p.Y, 0), int32(m.side)-1)
	return m.Key(p, zone)
}

// Polygon is a polygon of keys in the world.
func (m Mapping) Polygon(keys geom.Polygon) geom.Polygon {
	out := make(geom.Polygon, 0, len(keys))
	for _, k := range keys {
		out = append(out, m.World(k))
	}
	return out
}

// Home is the place in the world of a node that stands at a key (thesis 5.3.3).
func Home(space overlay.Space, world World, key geom.Point) geom.Point {
	return NewMapping(space, world).World(key)
}

// Touches reports whether a place lies in an area or beside it by no more than a
// polygon of keys loses when it is rounded to places: at the world's last edge, or
// between two cells. Who asks takes only what it is responsible for.
func (m Mapping) Touches(a *overlay.Area, p geom.Point) bool {
	if len(a.Polygon) == 0 {
		return a.Circle.Contains(p)
	}
	return a.Polygon.OverlapsCircle(geom.Circle{C: p, R: 2*m.Back(1) + 2})
}
