// Package geom is the plane geometry of the overlay: exact predicates on integer
// points, the Delaunay star of one node among its candidates, Voronoi cells and
// what overlaps them (thesis 4.2.1, 4.2.3; de Berg et al., Computational
// Geometry, chapters 7 and 9).
//
// Coordinates are integers below 2^26 in magnitude (Limit). Orientation fits
// into 64 bits; the in-circle test has a float filter with 128 bits behind it,
// so no answer depends on rounding.
//
// Deviation from the textbook: four points on one circle have no unique
// triangulation. Every node must choose the same one, so lifts are perturbed
// symbolically by the points' order (Less): the greatest of the four counts as
// lying a little outside the circle of the others.
package geom

// Limit bounds coordinates: |x| and |y| stay below it.
const Limit = 1 << 26

// Point is a place in the plane.
type Point struct{ X, Y int32 }

// Less orders points: leftmost first, then topmost (smaller y), the thesis'
// rule for ties (4.2.1).
func (p Point) Less(q Point) bool { return p.X < q.X || p.X == q.X && p.Y < q.Y }

// Dist2 returns the square of the distance from p to q, below 2^56.
func (p Point) Dist2(q Point) int64 {
	dx, dy := int64(p.X)-int64(q.X), int64(p.Y)-int64(q.Y)
	return dx*dx + dy*dy
}

// Closer reports whether a is responsible for p rather than b: nearer, and at
// the same distance first by Less (thesis 4.2.1).
func Closer(p, a, b Point) bool {
	da, db := p.Dist2(a), p.Dist2(b)
	return da < db || da == db && a.Less(b)
}

// Orient returns +1 if a, b, c turn left (counter-clockwise with y up), −1 if
// they turn right and 0 if they lie on one line.
func Orient(a, b, c Point) int {
	return sign(cross(a, b, c))
}

func cross(a, b, c Point) int64 {
	return (int64(b.X)-int64(a.X))*(int64(c.Y)-int64(a.Y)) -
		(int64(b.Y)-int64(a.Y))*(int64(c.X)-int64(a.X))
}

func sign(v int64) int {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}
