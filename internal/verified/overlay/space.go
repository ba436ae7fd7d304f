package overlay

import (
	"fmt"
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
)

// Space is the key space (thesis 4.2.4): a square of Base^Digits units a side,
// cut into Base×Base zones, each of them again, Digits times. There are
// r = Base² zones on top, one for each replica of the storage. The thesis allows
// different bases for x and y and uses equal ones; so do we.
type Space struct {
	Base   int32 // 2, 3, 4 for r = 4, 9, 16
	Digits int   // length of a key in digits of Base
	Layers int   // layers of the routing table; the thesis uses 4 (6.2.5)
	// Narrow cuts sub-areas at the zones of the second layer of which they reach
	// less than half; it makes a difference with r = 9 only. The thesis' figures
	// for r = 9 can only be had so (24 of 32 entries at most, 6.3.2).
	Narrow bool
}

// SpaceFor returns the space with r zones, r a square, about a million units a
// side (geom.Limit leaves room for 67 million).
func SpaceFor(r int) Space {
	s := Space{Base: int32(math.Sqrt(float64(r)) + 0.5), Layers: 4}
	if s.Base < 2 {
		panic(fmt.Sprintf("overlay: a space of %d zones: want 4 or more", r))
	}
	for side := 1; side < 1<<20; side *= int(s.Base) {
		s.Digits++
	}
	return s
}

// Zones is r, the number of top-level zones.
func (s Space) Zones() int { return int(s.Base * s.Base) }

// Side is the length of the key space.
func (s Space) Side() int32 { return s.size(0) }

// size is the side of a zone of the layer above: size(0) is the whole space,
// size(1) a top-level zone.
func (s Space) size(layer int) int32 {
	n := int32(1)
	for range s.Digits - layer {
		n *= s.Base
	}
	return n
}

// Bounds is the square of all keys.
func (s Space) Bounds() geom.Rect {
	return geom.Rect{Max: geom.Point{X: s.Side() - 1, Y: s.Side() - 1}}
}

// Zone is the number of p's top-level zone, row by row.
func (s Space) Zone(p geom.Point) int {
	z := s.size(1)
	return int(p.Y/z*s.Base + p.X/z)
}

// SubSide is the side of a zone's sub-area, s = z/(1+√2) (thesis 4.5.4): far
// enough from the other sub-areas that the node nearest to a place in it always
// lies in the same zone, as long as there is one.
func (s Space) SubSide() int32 {
	side := float64(s.size(1)) / (1 + math.Sqrt2)
	if s.Narrow {
		side = min(side, math.Round(side/float64(s.size(2)))*float64(s.size(2)))
	}
	return int32(side)
}

// SubArea is the sub-area of a zone; it begins at the zone's smallest corner.
// Only keys in sub-areas are given to nodes.
func (s Space) SubArea(zone int) geom.Rect {
	z, side := s.size(1), s.SubSide()
	x, y := int32(zone)%s.Base*z, int32(zone)/s.Base*z
	return geom.Rect{Min: geom.Point{X: x, Y: y}, Max: geom.Point{X: x + side - 1, Y: y + side - 1}}
}

// Mirror is the place in another zone that lies there as p lies in its own.
func (s Space) Mirror(p geom.Point, zone int) geom.Point {
	z := s.size(1)
	return geom.Point{
		X: p.X%z + int32(zone)%s.Base*z,
		Y: p.Y%z + int32(zone)/s.Base*z,
	}
}

// Slot is the place of an entry in the routing table: column I, row J, layer.
type Slot struct {
	I, J  int32
	Layer int
}

// SlotOf returns the entry of p's table that q fits in: the layer is the first
// digit in which they differ, column and row are q's digits there (4.2.4). There
// is none for a node that is the same in all layers.
func (s Space) SlotOf(p, q geom.Point) (Slot, bool) {
	z := s.size(1)
	for k := range s.Layers {
		pi, pj, qi, qj := p.X/z, p.Y/z, q.X/z, q.Y/z
		if pi != qi || pj != qj {
			return Slot{qi % s.Base, qj % s.Base, k}, true
		}
		z /= s.Base
	}
	return Slot{}, false
}

// Target is the target position of p's entry: p with one digit changed, so that
// it mirrors p's own place (thesis 4.5.2).
func (s Space) Target(p geom.Point, e Slot) geom.Point {
	z := s.size(e.Layer + 1)
	return geom.Point{
		X: p.X + (e.I-p.X/z%s.Base)*z,
		Y: p.Y + (e.J-p.Y/z%s.Base)*z,
	}
}

// Empty reports whether no node can ever stand in the entry's zone, because it
// shares nothing with a sub-area (thesis 4.5.4): it is not asked for.
func (s Space) Empty(p geom.Point, e Slot) bool {
	if e.Layer == 0 {
		return false
	}
	area := s.AreaOf(p, e)
	return area.Min.X > area.Max.X || area.Min.Y > area.Max.Y
}

// AreaOf is where nodes that fit an entry of p's table may stand: what the
// entry's zone shares with the sub-area.
func (s Space) AreaOf(p geom.Point, e Slot) geom.Rect {
	z := s.size(e.Layer + 1)
	t := s.Target(p, e)
	lo := geom.Point{X: t.X / z * z, Y: t.Y / z * z}
	sub := s.SubArea(s.Zone(t))
	return geom.Rect{Min: lo, Max: geom.Point{X: min(lo.X+z-1, sub.Max.X), Y: min(lo.Y+z-1, sub.Max.Y)}}
}

// Slots are the entries of p's table that can be filled, top layer first.
func (s Space) Slots(p geom.Point) []Slot {
	var out []Slot
	for k := range s.Layers {
		for j := range s.Base {
			for i := range s.Base {
				e := Slot{i, j, k}
				if s.Target(p, e) != p && !s.Empty(p, e) {
					out = append(out, e)
				}
			}
		}
	}
	return out
}
