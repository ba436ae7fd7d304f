package geom

import "math"

// Enclosing returns a circle that holds all points and is at most two units
// larger than the smallest such circle (the thesis' maintenance circle, 5.3.2).
// No points give the zero Circle.
//
// The centre is found in floating point (Welzl's move-to-front order is not
// needed for the dozen corners of a cell) and rounded; the radius is then
// measured exactly from that centre, so that enclosing is certain.
func Enclosing(points []Point) Circle {
	if len(points) == 0 {
		return Circle{}
	}
	c := disc{x: float64(points[0].X), y: float64(points[0].Y)}
	for i, p := range points {
		if c.holds(p) {
			continue
		}
		c = disc{x: float64(p.X), y: float64(p.Y)}
		for j, q := range points[:i] {
			if c.holds(q) {
				continue
			}
			c = discOf2(p, q)
			for _, r := range points[:j] {
				if !c.holds(r) {
					c = discOf3(p, q, r)
				}
			}
		}
	}
	return c.rounded(points)
}

type disc struct{ x, y, r2 float64 }

func (d disc) holds(p Point) bool {
	dx, dy := float64(p.X)-d.x, float64(p.Y)-d.y
	return float64(dx*dx)+float64(dy*dy) <= d.r2*(1+1e-12)+1e-6
}

func discOf2(p, q Point) disc {
	x, y := (float64(p.X)+float64(q.X))/2, (float64(p.Y)+float64(q.Y))/2
	return disc{x, y, float64(p.Dist2(q)) / 4}
}

// discOf3 returns the circle through three points; in one line, that of the two
// that are farthest apart.
func discOf3(p, q, r Point) disc {
	area := float64(2 * cross(p, q, r))
	if area == 0 {
		best := discOf2(p, q)
		for _, d := range [...]disc{discOf2(p, r), discOf2(q, r)} {
			if d.r2 > best.r2 {
				best = d
			}
		}
		return best
	}
	bx, by := float64(q.X)-float64(p.X), float64(q.Y)-float64(p.Y)
	cx, cy := float64(r.X)-float64(p.X), float64(r.Y)-float64(p.Y)
	b2, c2 := float64(p.Dist2(q)), float64(p.Dist2(r))
	ux := (float64(cy*b2) - float64(by*c2)) / area
	uy := (float64(bx*c2) - float64(cx*b2)) / area
	return disc{float64(p.X) + ux, float64(p.Y) + uy, float64(ux*ux) + float64(uy*uy)}
}

func (d disc) rounded(points []Point) Circle {
	c := Circle{C: Point{int32(math.Round(d.x)), int32(math.Round(d.y))}}
	var far int64
	for _, p := range points {
		far = max(far, c.C.Dist2(p))
	}
	r := int64(math.Sqrt(float64(far)))
	for r*r < far {
		r++
	}
	for r > 0 && (r-1)*(r-1) >= far {
		r--
	}
	c.R = int32(r)
	return c
}
