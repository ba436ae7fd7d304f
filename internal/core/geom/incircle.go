package geom

import (
	"math"
	"math/bits"
)

// InCircle returns +1 if d lies inside the circle through a, b, c (which turn
// left), −1 if outside. It never returns 0 for four different points: points on
// the circle are perturbed as the package comment says.
func InCircle(a, b, c, d Point) int {
	if s := inCircleFloat(a, b, c, d); s != 0 {
		return s
	}
	if s := inCircleExact(a, b, c, d); s != 0 {
		return s
	}
	return perturbed(a, b, c, d)
}

// The determinant of the rows (x, y, x²+y²) of a, b, c relative to d. With
// coordinates below 2^26 differences are below 2^27, lifts below 2^55 and
// minors below 2^55: all exact in int64, but no longer in float64 beyond 2^53.
type minors struct {
	la, lb, lc int64 // lifts
	ma, mb, mc int64 // minors: twice the areas of the triangles with d
}

func minorsOf(a, b, c, d Point) minors {
	ax, ay := int64(a.X)-int64(d.X), int64(a.Y)-int64(d.Y)
	bx, by := int64(b.X)-int64(d.X), int64(b.Y)-int64(d.Y)
	cx, cy := int64(c.X)-int64(d.X), int64(c.Y)-int64(d.Y)
	return minors{
		la: ax*ax + ay*ay, lb: bx*bx + by*by, lc: cx*cx + cy*cy,
		ma: bx*cy - by*cx, mb: cx*ay - cy*ax, mc: ax*by - ay*bx,
	}
}

// inCircleFloat decides where the rounding errors cannot: five roundings of
// 2^-53 each on a sum of three products.
func inCircleFloat(a, b, c, d Point) int {
	m := minorsOf(a, b, c, d)
	pa, pb, pc := float64(m.la)*float64(m.ma), float64(m.lb)*float64(m.mb), float64(m.lc)*float64(m.mc)
	bound := (math.Abs(pa) + math.Abs(pb) + math.Abs(pc)) * 0x1p-50
	switch sum := pa + pb + pc; {
	case sum > bound:
		return 1
	case sum < -bound:
		return -1
	}
	return 0
}

func inCircleExact(a, b, c, d Point) int {
	m := minorsOf(a, b, c, d)
	var s int128
	s.addProduct(m.la, m.ma)
	s.addProduct(m.lb, m.mb)
	s.addProduct(m.lc, m.mc)
	return s.sign()
}

// perturbed decides four points of one circle: raising the lift of the greatest
// point by an infinitesimal changes the determinant by the sign of its
// cofactor. No three points of a circle are collinear, so it is not zero.
func perturbed(a, b, c, d Point) int {
	top := a
	for _, p := range [...]Point{b, c, d} {
		if top.Less(p) {
			top = p
		}
	}
	if top == d {
		return -1 // d itself is pushed outside
	}
	m := minorsOf(a, b, c, d)
	switch top {
	case a:
		return sign(m.ma)
	case b:
		return sign(m.mb)
	}
	return sign(m.mc)
}

// int128 is a two's complement sum of products, below 2^112 here.
type int128 struct {
	hi int64
	lo uint64
}

func (s *int128) addProduct(x, y int64) {
	hi, lo := bits.Mul64(uint64(abs(x)), uint64(abs(y)))
	if (x < 0) != (y < 0) {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, lo, 0)
	s.hi += int64(hi) + int64(carry)
}

func (s *int128) sign() int {
	switch {
	case s.hi < 0:
		return -1
	case s.hi > 0 || s.lo > 0:
		return 1
	}
	return 0
}

func abs(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}
