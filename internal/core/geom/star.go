package geom

import "math"

// Star appends to out the indices of p's neighbours in the Delaunay graph of p
// and the candidates, counter-clockwise (thesis 4.2.3). Candidates equal to p
// and repeated candidates are passed over. It allocates nothing if out has
// room.
//
// It wraps round p: the nearest candidate is always a neighbour, and from one
// neighbour q the next is the candidate left of p→q whose circle with p and q
// holds no other. Where nothing lies left, p is on the hull and the wrap goes
// on clockwise from the first.
func Star(p Point, candidates []Point, out []int) []int {
	first := nearest(p, candidates)
	if first < 0 {
		return out
	}
	begin := len(out)
	out = append(out, first)
	for at := first; ; {
		next := wrap(p, candidates, at, 1)
		if next < 0 {
			break
		}
		if next == first || candidates[next] == candidates[first] {
			return out
		}
		out = append(out, next)
		at = next
	}
	left := len(out)
	for at := first; ; {
		next := wrap(p, candidates, at, -1)
		if next < 0 {
			break
		}
		out = append(out, next)
		at = next
	}
	if len(out)-begin == 1 {
		return appendOpposite(p, candidates, first, out)
	}
	rotate(out[begin:], left-begin)
	return out
}

// Reach returns the square of a distance from p beyond which no further candidate
// can enter its star, which is given counter-clockwise: who enters lies in the
// circle through p and two that follow each other. It is a little too much
// rather than too little, and without bound where p is on the hull.
func Reach(p Point, star []Point) int64 {
	var most float64
	for i, a := range star {
		b := star[(i+1)%len(star)]
		k := cross(p, a, b)
		if k <= 0 {
			return math.MaxInt64
		}
		// (2R)² is the product of the squared sides over the squared cross product.
		d := float64(p.Dist2(a)) / float64(k) * float64(p.Dist2(b)) / float64(k) * float64(a.Dist2(b))
		most = max(most, d)
	}
	if most *= 1.0001; most < 1<<60 {
		return int64(most) + 1
	}
	return math.MaxInt64
}

func nearest(p Point, candidates []Point) int {
	best := -1
	for i, c := range candidates {
		if c == p {
			continue
		}
		if best < 0 || Closer(p, c, candidates[best]) {
			best = i
		}
	}
	return best
}

// wrap returns the neighbour of p that follows at, counter-clockwise for side
// +1 and clockwise for −1, or −1 where the hull ends.
func wrap(p Point, candidates []Point, at, side int) int {
	q := candidates[at]
	best := -1
	for i, c := range candidates {
		if Orient(p, q, c) != side {
			continue
		}
		if best < 0 || inside(p, q, candidates[best], c, side) {
			best = i
		}
	}
	return best
}

// inside reports whether d lies in the circle of p, q, r, which turn to side.
func inside(p, q, r, d Point, side int) bool {
	if r == d {
		return false
	}
	if side > 0 {
		return InCircle(p, q, r, d) > 0
	}
	return InCircle(q, p, r, d) > 0
}

// appendOpposite serves points in one line: the neighbours are the nearest on
// either side.
func appendOpposite(p Point, candidates []Point, first int, out []int) []int {
	q, best := candidates[first], -1
	for i, c := range candidates {
		away := (int64(c.X)-int64(p.X))*(int64(q.X)-int64(p.X)) + (int64(c.Y)-int64(p.Y))*(int64(q.Y)-int64(p.Y))
		if c != p && away < 0 && (best < 0 || p.Dist2(c) < p.Dist2(candidates[best])) {
			best = i
		}
	}
	if best >= 0 {
		out = append(out, best)
	}
	return out
}

// rotate turns [first, ccw…, cw…] into counter-clockwise order: the clockwise
// part reversed, then the first and the rest.
func rotate(s []int, left int) {
	reverse(s[:left])
	reverse(s)
}

func reverse(s []int) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}
