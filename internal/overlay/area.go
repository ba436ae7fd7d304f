package overlay

import "github.com/voxelpopuli/voxelpopuli/internal/geom"

// Area is what an areacast is for: a circle, or a convex polygon if there is one
// (thesis 4.7.2).
type Area struct {
	Circle  geom.Circle
	Polygon geom.Polygon
}

// centre is a place inside.
func (a *Area) centre() geom.Point {
	if len(a.Polygon) == 0 {
		return a.Circle.C
	}
	var x, y int64
	for _, p := range a.Polygon {
		x += int64(p.X)
		y += int64(p.Y)
	}
	k := int64(len(a.Polygon))
	return geom.Point{X: int32(x / k), Y: int32(y / k)}
}

// Overlaps reports whether a cell and the area share a point.
func (a *Area) Overlaps(cell geom.Polygon) bool {
	if len(a.Polygon) > 0 {
		return cell.Overlaps(a.Polygon)
	}
	return cell.OverlapsCircle(a.Circle)
}

// anchor is a point that lies both in the cell and in the area, which overlap:
// the centre if it is in the cell, otherwise the point of the cell nearest to it.
func (a *Area) anchor(cell geom.Polygon) geom.Point {
	c := a.centre()
	if cell.Contains(c) {
		return c
	}
	best, near := cell[0], int64(-1)
	for i, p := range cell {
		q := nearestOn(p, cell[(i+1)%len(cell)], c)
		if d := c.Dist2(q); near < 0 || d < near {
			best, near = q, d
		}
	}
	return best
}

// nearestOn returns the point of the segment a–b nearest to c, rounded.
func nearestOn(a, b, c geom.Point) geom.Point {
	abx, aby := int64(b.X)-int64(a.X), int64(b.Y)-int64(a.Y)
	t := (int64(c.X)-int64(a.X))*abx + (int64(c.Y)-int64(a.Y))*aby
	len2 := abx*abx + aby*aby
	switch {
	case t <= 0:
		return a
	case t >= len2:
		return b
	}
	// Products stay below 2^27 · 2^16 after scaling t to 16 bits of a fraction.
	f := t / (len2>>16 + 1)
	return geom.Point{X: a.X + int32(abx*f>>16), Y: a.Y + int32(aby*f>>16)}
}
