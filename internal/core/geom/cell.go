package geom

import "math/bits"

// Rect is an axis-parallel rectangle, corners inside: the world's bounds.
type Rect struct{ Min, Max Point }

// Contains reports whether p lies in r.
func (r Rect) Contains(p Point) bool {
	return p.X >= r.Min.X && p.X <= r.Max.X && p.Y >= r.Min.Y && p.Y <= r.Max.Y
}

// Holds reports whether the rectangle holds a point as one of those that tile a
// world: its greatest corner is not included.
func (r Rect) Holds(p Point) bool {
	return p.X >= r.Min.X && p.X < r.Max.X && p.Y >= r.Min.Y && p.Y < r.Max.Y
}

// Nearest returns the point of r nearest to p.
func (r Rect) Nearest(p Point) Point {
	return Point{min(max(p.X, r.Min.X), r.Max.X), min(max(p.Y, r.Min.Y), r.Max.Y)}
}

// Polygon is a convex polygon, counter-clockwise. One with fewer than three
// corners is empty.
type Polygon []Point

// Polygon appends the corners of r to out.
func (r Rect) Polygon(out Polygon) Polygon {
	return append(out, r.Min, Point{r.Max.X, r.Min.Y}, r.Max, Point{r.Min.X, r.Max.Y})
}

// Cell appends the Voronoi cell of p among its neighbours, cut at the world's
// bounds, to out (thesis 4.2.1). Corners are rounded to integers, so two cells
// that touch may overlap by a unit: who is responsible for a point is decided by
// Closer, never by cells.
func Cell(p Point, neighbours []Point, bounds Rect, out Polygon) Polygon {
	begin := len(out)
	out = bounds.Polygon(out)
	for _, n := range neighbours {
		if n == p {
			continue
		}
		out = cut(out, begin, bisector(p, n))
	}
	return out
}

// Intersect appends what poly and other share to out, corners rounded.
func (poly Polygon) Intersect(other, out Polygon) Polygon {
	begin := len(out)
	out = append(out, poly...)
	for i, a := range other {
		out = cut(out, begin, leftOf(a, other[(i+1)%len(other)]))
	}
	return out
}

// leftOf returns the points that are not right of a→b.
func leftOf(a, b Point) halfPlane {
	dx, dy := int64(b.X)-int64(a.X), int64(b.Y)-int64(a.Y)
	return halfPlane{dy, -dx, dy*int64(a.X) - dx*int64(a.Y)}
}

// halfPlane is the points where a·x + b·y <= c.
type halfPlane struct{ a, b, c int64 }

// bisector returns the points that are not nearer to n than to p.
func bisector(p, n Point) halfPlane {
	px, py, nx, ny := int64(p.X), int64(p.Y), int64(n.X), int64(n.Y)
	return halfPlane{2 * (nx - px), 2 * (ny - py), nx*nx + ny*ny - px*px - py*py}
}

// side is positive outside, below 2^57 in magnitude.
func (h halfPlane) side(p Point) int64 { return h.a*int64(p.X) + h.b*int64(p.Y) - h.c }

// cut keeps the part of poly[begin:] in h (Sutherland and Hodgman).
func cut(poly Polygon, begin int, h halfPlane) Polygon {
	if whole(poly[begin:], h) {
		return poly
	}
	end := len(poly)
	for i := begin; i < end; i++ {
		a, b := poly[i], poly[begin+(i-begin+1)%(end-begin)]
		sa, sb := h.side(a), h.side(b)
		if sa <= 0 {
			poly = appendCorner(poly, end, a)
		}
		if sa < 0 && sb > 0 || sa > 0 && sb < 0 {
			poly = appendCorner(poly, end, meet(a, b, sa, sb))
		}
	}
	n := copy(poly[begin:], poly[end:])
	poly = poly[:begin+n]
	if n > 1 && poly[begin] == poly[len(poly)-1] {
		poly = poly[:len(poly)-1]
	}
	return poly
}

func whole(poly Polygon, h halfPlane) bool {
	for _, p := range poly {
		if h.side(p) > 0 {
			return false
		}
	}
	return true
}

// appendCorner leaves out a corner that rounding has made equal to the last.
func appendCorner(poly Polygon, begin int, p Point) Polygon {
	if len(poly) > begin && poly[len(poly)-1] == p {
		return poly
	}
	return append(poly, p)
}

// meet returns the point of a–b where the side is zero, rounded.
func meet(a, b Point, sa, sb int64) Point {
	num, den := abs(sa), abs(sa)+abs(sb)
	return Point{
		a.X + int32(mulDiv(int64(b.X)-int64(a.X), num, den)),
		a.Y + int32(mulDiv(int64(b.Y)-int64(a.Y), num, den)),
	}
}

// mulDiv returns v·num/den rounded to nearest, halves away from zero;
// 0 <= num <= den, den > 0.
func mulDiv(v, num, den int64) int64 {
	hi, lo := bits.Mul64(uint64(abs(v)), uint64(num))
	var carry uint64
	lo, carry = bits.Add64(lo, uint64(den)/2, 0)
	q, _ := bits.Div64(hi+carry, lo, uint64(den))
	if v < 0 {
		return -int64(q)
	}
	return int64(q)
}

// Nearer returns the part of a polygon that is not nearer to q than to p.
func Nearer(poly Polygon, p, q Point) Polygon {
	return cut(append(Polygon(nil), poly...), 0, bisector(p, q))
}
