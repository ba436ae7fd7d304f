package overlay

import "github.com/voxelpopuli/voxelpopuli/internal/core/geom"

// Area is what an areacast is for: a circle, or a convex polygon if there is one
// (thesis 4.7.2).
type Area struct {
	Circle  geom.Circle
	Polygon geom.Polygon
}

// centre is a place in the area that is also in the world: where an areacast
// goes first. There is none for an area beyond the world's edge, or for one so
// thin that no whole point lies in it.
func (a *Area) centre(bounds geom.Rect) (geom.Point, bool) {
	if len(a.Polygon) == 0 {
		c := bounds.Nearest(a.Circle.C)
		return c, a.Circle.Contains(c)
	}
	inside := a.Polygon.Intersect(bounds.Polygon(nil), nil)
	if len(inside) == 0 {
		return geom.Point{}, false
	}
	var x, y int64
	for _, p := range inside {
		x += int64(p.X)
		y += int64(p.Y)
	}
	k := int64(len(inside))
	inside = append(inside, a.Polygon...)
	for _, c := range append(geom.Polygon{{X: int32(x / k), Y: int32(y / k)}}, inside...) {
		if bounds.Contains(c) && a.Contains(c) {
			return c, true
		}
	}
	return geom.Point{}, false
}

// Contains reports whether a place lies in the area.
func (a *Area) Contains(p geom.Point) bool {
	if len(a.Polygon) > 0 {
		return a.Polygon.Contains(p)
	}
	return a.Circle.Contains(p)
}

// Overlaps reports whether a cell and the area share a point.
func (a *Area) Overlaps(cell geom.Polygon) bool {
	if len(a.Polygon) > 0 {
		return cell.Overlaps(a.Polygon)
	}
	return cell.OverlapsCircle(a.Circle)
}

// nearest is the place nearest to c, or almost, that lies both in the cell and in
// the area. Corners are rounded, so it may lie just outside of either.
func (a *Area) nearest(cell geom.Polygon, c geom.Point) geom.Point {
	if len(a.Polygon) > 0 {
		cell = a.Polygon.Intersect(cell, nil)
	}
	best, near := c, int64(-1)
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

// towards returns the point that lies about d units from p on the way to q: away
// from the edge of a cell, where rounding decides on which side a point is.
func towards(p, q geom.Point, d int64) geom.Point {
	dx, dy := int64(q.X)-int64(p.X), int64(q.Y)-int64(p.Y)
	far := max(dx, -dx, dy, -dy)
	if far <= d {
		return q
	}
	return geom.Point{X: p.X + int32(dx*d/far), Y: p.Y + int32(dy*d/far)}
}
