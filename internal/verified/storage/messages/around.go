package messages

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// saltedDigest is that of a neighbourhood, by which who has been told it before is told it
// again.
func (a *Around) saltedDigest() state.SaltedDigest {
	b := []byte{state.HashAround}
	for _, c := range append([]*overlay.Contact{a.Self}, a.Neighbours...) {
		b = append(b, c.ID[:]...)
		b = binary.BigEndian.AppendUint64(b, uint64(uint32(c.Pos.X))<<32|uint64(uint32(c.Pos.Y)))
	}
	d := id.Of(b)
	return state.SaltedDigest(d[:])
}

// Meets reports whether the node's cell overlaps an area of keys.
func (a *Around) Meets(area *overlay.Area) bool {
	if slices.ContainsFunc(a.Borders, func(b border) bool { return Touches(area, b.A, b.B) }) {
		return true
	}
	at := Middle(area)
	return !slices.ContainsFunc(a.Neighbours, func(c *overlay.Contact) bool { return geom.Closer(at, c.Pos, a.Self.Pos) })
}

// Middle is a place in an area.
func Middle(area *overlay.Area) geom.Point {
	if len(area.Polygon) == 0 {
		return area.Circle.C
	}
	var x, y int64
	for _, p := range area.Polygon {
		x, y = x+int64(p.X), y+int64(p.Y)
	}
	return geom.Point{X: int32(x / int64(len(area.Polygon))), Y: int32(y / int64(len(area.Polygon)))}
}

// Touches reports whether the side a–b of a cell lies in an area by more than
// rounding.
func Touches(area *overlay.Area, a, b geom.Point) bool {
	if len(area.Polygon) == 0 {
		c := area.Circle
		c.R -= 3
		return c.R > 0 && distance(a, b, c.C) < float64(c.R)
	}
	// Clip a–b with each side of the polygon, moved inwards by two units.
	t0, t1 := 0.0, 1.0
	for i, p := range area.Polygon {
		q := area.Polygon[(i+1)%len(area.Polygon)]
		fa, fb := depth(p, q, a), depth(p, q, b)
		switch {
		case fa <= 0 && fb <= 0:
			return false
		case fa < 0:
			t0 = max(t0, fa/(fa-fb))
		case fb < 0:
			t1 = min(t1, fa/(fa-fb))
		}
	}
	return t0 < t1
}

// Around is a node's neighbourhood, by which the receiver of a Result judges
// whose answers are missing (thesis 5.2.2).
type Around struct {
	Self       *overlay.Contact
	Neighbours []*overlay.Contact
	Borders    []border
}

// border is the side that a cell shares with a neighbour's.
type border struct {
	A, B geom.Point
	With *overlay.Contact
}

// NewAround returns a neighbourhood; bounds is the space of keys.
func NewAround(self *overlay.Contact, neighbours []*overlay.Contact, bounds geom.Rect) *Around {
	a := &Around{Self: self, Neighbours: neighbours}
	points := make([]geom.Point, len(neighbours))
	for i, n := range neighbours {
		points[i] = n.Pos
	}
	cell := geom.Cell(self.Pos, points, bounds, nil)
	for i, p := range cell {
		q := cell[(i+1)%len(cell)]
		if w := a.across(p, q); w != nil {
			a.Borders = append(a.Borders, border{p, q, w})
		}
	}
	return a
}

// across is the neighbour on the other side of a side of the cell, nil if it is
// the edge of the space.
func (a *Around) across(p, q geom.Point) (with *overlay.Contact) {
	mid := geom.Point{X: p.X + (q.X-p.X)/2, Y: p.Y + (q.Y-p.Y)/2}
	own, least := mid.Dist2(a.Self.Pos), int64(-1)
	for _, n := range a.Neighbours {
		d := mid.Dist2(n.Pos) - own
		if d < 0 {
			d = -d
		}
		if least < 0 || d < least {
			least, with = d, n
		}
	}
	// Rounding moves a corner by less than a unit, and with it the distances by
	// less than their sum.
	if least < 0 || least > 8*(int64(isqrt(own))+1) {
		return nil
	}
	return with
}

func isqrt(v int64) int64 {
	if v <= 0 {
		return 0
	}
	r := int64(1)
	for r*r < v {
		r *= 2
	}
	for lo := r / 2; lo < r; {
		mid := (lo + r) / 2
		if mid*mid < v {
			lo = mid + 1
		} else {
			r = mid
		}
	}
	return r
}

// distance is that of c from the segment a–b.
func distance(a, b, c geom.Point) float64 {
	abx, aby := float64(b.X)-float64(a.X), float64(b.Y)-float64(a.Y)
	acx, acy := float64(c.X)-float64(a.X), float64(c.Y)-float64(a.Y)
	t := 0.0
	if l := abx*abx + aby*aby; l > 0 {
		t = min(max((acx*abx+acy*aby)/l, 0), 1)
	}
	return math.Hypot(acx-t*abx, acy-t*aby)
}

// depth is how far c lies to the left of the line p–q, less two units.
func depth(p, q, c geom.Point) float64 {
	dx, dy := float64(q.X)-float64(p.X), float64(q.Y)-float64(p.Y)
	l := math.Hypot(dx, dy)
	if l == 0 {
		return math.Inf(1)
	}
	return (dx*(float64(c.Y)-float64(p.Y))-dy*(float64(c.X)-float64(p.X)))/l - 2
}
