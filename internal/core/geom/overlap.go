package geom

import "math/bits"

// Circle is the points at a distance of at most R from C.
type Circle struct {
	C Point
	R int32
}

// Contains reports whether p lies in the circle.
func (c Circle) Contains(p Point) bool { return c.C.Dist2(p) <= int64(c.R)*int64(c.R) }

// Contains reports whether p lies in the polygon or on its edge.
func (poly Polygon) Contains(p Point) bool {
	if len(poly) < 3 {
		return false
	}
	for i, a := range poly {
		if Orient(a, poly[(i+1)%len(poly)], p) < 0 {
			return false
		}
	}
	return true
}

// OverlapsCircle reports whether the polygon and the circle share a point;
// exact for the polygon's integer corners.
func (poly Polygon) OverlapsCircle(c Circle) bool {
	if poly.Contains(c.C) {
		return true
	}
	for i, a := range poly {
		if nearSegment(a, poly[(i+1)%len(poly)], c) {
			return true
		}
	}
	return false
}

// InCircle reports whether the whole polygon lies in the circle.
func (poly Polygon) InCircle(c Circle) bool {
	for _, p := range poly {
		if !c.Contains(p) {
			return false
		}
	}
	return len(poly) > 0
}

// Overlaps reports whether two polygons share a point: no edge of either
// separates them.
func (poly Polygon) Overlaps(other Polygon) bool {
	return len(poly) > 2 && len(other) > 2 && !separates(poly, other) && !separates(other, poly)
}

// separates reports whether other lies wholly outside one edge of poly.
func separates(poly, other Polygon) bool {
	for i, a := range poly {
		b := poly[(i+1)%len(poly)]
		out := true
		for _, p := range other {
			if Orient(a, b, p) >= 0 {
				out = false
				break
			}
		}
		if out {
			return true
		}
	}
	return false
}

// nearSegment reports whether the segment a–b comes as near to c's centre as its
// radius.
func nearSegment(a, b Point, c Circle) bool {
	abx, aby := int64(b.X)-int64(a.X), int64(b.Y)-int64(a.Y)
	t := (int64(c.C.X)-int64(a.X))*abx + (int64(c.C.Y)-int64(a.Y))*aby
	len2 := abx*abx + aby*aby
	switch {
	case t <= 0:
		return c.Contains(a)
	case t >= len2:
		return c.Contains(b)
	}
	// distance² = cross²/len2 <= R²
	k := uint64(abs(cross(a, b, c.C)))
	hi1, lo1 := bits.Mul64(k, k)
	hi2, lo2 := bits.Mul64(uint64(c.R)*uint64(c.R), uint64(len2))
	return hi1 < hi2 || hi1 == hi2 && lo1 <= lo2
}
