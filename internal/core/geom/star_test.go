package geom

import (
	"math/big"
	"slices"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// Independent oracle: an edge p–q is Delaunay iff some circle through p and q
// holds no other point. In parameter form the empty circles are an interval of
// centres on the bisector; with perturbed lifts ties resolve as for triangles.
// Computed in big rationals, it shares nothing with the code under test.
func oracleNeighbours(p Point, all []Point) []Point {
	var out []Point
	for _, q := range all {
		if q != p && oracleEdge(p, q, all) {
			out = append(out, q)
		}
	}
	return out
}

// value is a + b·ε with one ε for each point, compared by the greatest point
// first; a lift perturbation is (1 for that point).
type value struct {
	a   *big.Rat
	eps map[Point]*big.Rat
}

func oracleEdge(p, q Point, all []Point) bool {
	// Centre c(t) = mid + t·n; r is outside iff t·A(r) < B(r) for A = 2(r−p)·n
	// and B = |r|'² − 2 r·mid …; both sides linear in the lifts.
	lo, hi := []value{}, []value{}
	for _, r := range all {
		if r == p || r == q {
			continue
		}
		s := cross(p, q, r)
		// f(r) = lift(r−p) − lift part on the line p..q: power of r against the
		// circle with centre parameter 0 (diameter pq), minus t·2·cross.
		dx, dy := int64(r.X)-int64(p.X), int64(r.Y)-int64(p.Y)
		ex, ey := int64(r.X)-int64(q.X), int64(r.Y)-int64(q.Y)
		power := new(big.Rat).SetInt64(dx*ex + dy*ey)
		// perturbation: lift of r up by ε_r, lifts of p and q shift the circle.
		// Along pq the circle's power at r changes by the affine interpolation
		// of ε_p and ε_q at r's projection.
		len2 := p.Dist2(q)
		w := big.NewRat(dx*(int64(q.X)-int64(p.X))+dy*(int64(q.Y)-int64(p.Y)), len2)
		eps := map[Point]*big.Rat{r: big.NewRat(1, 1), q: new(big.Rat).Neg(w), p: new(big.Rat).Sub(w, big.NewRat(1, 1))}
		v := value{power, eps}
		switch sign(s) {
		case 0:
			if v.cmpZero() < 0 {
				return false
			}
		case 1: // t < v/s
			hi = append(hi, v.div(s))
		default: // t > v/s
			lo = append(lo, v.div(s))
		}
	}
	for _, l := range lo {
		for _, h := range hi {
			if l.sub(h).cmpZero() >= 0 {
				return false
			}
		}
	}
	return true
}

func (v value) div(s int64) value {
	k := big.NewRat(1, s)
	out := value{new(big.Rat).Mul(v.a, k), map[Point]*big.Rat{}}
	for p, e := range v.eps {
		out.eps[p] = new(big.Rat).Mul(e, k)
	}
	return out
}

func (v value) sub(w value) value {
	out := value{new(big.Rat).Sub(v.a, w.a), map[Point]*big.Rat{}}
	for p, e := range v.eps {
		out.eps[p] = new(big.Rat).Set(e)
	}
	for p, e := range w.eps {
		if out.eps[p] == nil {
			out.eps[p] = new(big.Rat)
		}
		out.eps[p].Sub(out.eps[p], e)
	}
	return out
}

func (v value) cmpZero() int {
	if s := v.a.Sign(); s != 0 {
		return s
	}
	keys := make([]Point, 0, len(v.eps))
	for p := range v.eps {
		keys = append(keys, p)
	}
	slices.SortFunc(keys, func(a, b Point) int {
		if a.Less(b) {
			return 1
		}
		return -1
	})
	for _, k := range keys {
		if s := v.eps[k].Sign(); s != 0 {
			return s
		}
	}
	return 0
}

func neighbours(p Point, all []Point) []Point {
	var out []Point
	for _, i := range Star(p, all, nil) {
		out = append(out, all[i])
	}
	return out
}

func sorted(ps []Point) []Point {
	ps = slices.Clone(ps)
	slices.SortFunc(ps, func(a, b Point) int {
		if a.Less(b) {
			return -1
		}
		return 1
	})
	return ps
}

func checkAll(t *testing.T, name string, all []Point) {
	t.Helper()
	for _, p := range all {
		got, want := sorted(neighbours(p, all)), sorted(oracleNeighbours(p, all))
		if !slices.Equal(got, want) {
			t.Fatalf("%s: star of %v among %v:\n got %v\nwant %v", name, p, all, got, want)
		}
	}
}

// scatter returns n different points, drawn by next.
func scatter(n int, next func() Point) []Point {
	seen := map[Point]bool{}
	var all []Point
	for len(all) < n {
		if p := next(); !seen[p] {
			seen[p] = true
			all = append(all, p)
		}
	}
	return all
}

func TestStarAgainstOracle(t *testing.T) {
	for seed := range uint64(40) {
		r := rng.New(seed)
		coord := func(n int) int32 { return int32(r.Intn(2*n) - n) }
		kinds := map[string]func() Point{
			"random":         func() Point { return Point{coord(Limit), coord(Limit)} },
			"small grid":     func() Point { return Point{coord(4), coord(4)} },
			"far away grid":  func() Point { return Point{Limit - 10 + int32(r.Intn(8)), -Limit + 10 + int32(r.Intn(8))} },
			"nearly in line": func() Point { x := coord(Limit); return Point{x, x/2 + int32(r.Intn(2))} },
			"in line":        func() Point { x := coord(1000); return Point{2 * x, 3 * x} },
			"on a circle":    func() Point { return circle65[r.Intn(len(circle65))] },
		}
		for _, name := range []string{"random", "small grid", "far away grid", "nearly in line", "in line", "on a circle"} {
			checkAll(t, name, scatter(3+r.Intn(12), kinds[name]))
		}
	}
}

// circle65 are integer points at distance 65 from the origin.
var circle65 = func() (out []Point) {
	for x := int32(-65); x <= 65; x++ {
		for y := int32(-65); y <= 65; y++ {
			if x*x+y*y == 65*65 {
				out = append(out, Point{x, y})
			}
		}
	}
	return out
}()

// TestStarIsSymmetric: if q is a neighbour of p, then p is one of q; the overlay
// cannot be stable otherwise (thesis 4.3.1).
func TestStarIsSymmetric(t *testing.T) {
	r := rng.New(7)
	all := scatter(300, func() Point { return Point{int32(r.Intn(40)), int32(r.Intn(40))} })
	edges := map[[2]Point]bool{}
	for _, p := range all {
		for _, q := range neighbours(p, all) {
			edges[[2]Point{p, q}] = true
		}
	}
	for e := range edges {
		if !edges[[2]Point{e[1], e[0]}] {
			t.Errorf("%v has %v as a neighbour, but not the other way", e[0], e[1])
		}
	}
	if got, limit := len(edges)/2, 3*len(all)-6; got > limit {
		t.Errorf("%d edges in a planar graph of %d points, at most %d possible", got, len(all), limit)
	}
}

// TestReach: nobody beyond the reach of a star enters it, however near the
// others are to one circle or one line.
func TestReach(t *testing.T) {
	for seed := range uint64(200) {
		r := rng.New(seed)
		side := []int{8, 100, 1 << 20, Limit}[seed%4]
		draw := func() Point { return Point{int32(r.Intn(2*side) - side), int32(r.Intn(2*side) - side)} }
		all := scatter(20, draw)
		p, star := all[0], neighbours(all[0], all)
		reach := Reach(p, star)
		for range 50 {
			q := draw()
			if slices.Contains(neighbours(p, append(slices.Clone(star), q)), q) && q != p && !slices.Contains(star, q) && p.Dist2(q) > reach {
				t.Fatalf("seed %d: %v is a neighbour of %v beside %v, but the reach is only %d", seed, q, p, star, reach)
			}
		}
	}
}

func TestStarOrderIsCounterClockwise(t *testing.T) {
	r := rng.New(3)
	all := scatter(60, func() Point { return Point{int32(r.Intn(1000)), int32(r.Intn(1000))} })
	for _, p := range all {
		ns := neighbours(p, all)
		if len(ns) < 3 {
			continue
		}
		turns := 0 // steps that do not turn left: at most the gap on the hull
		for i, q := range ns {
			if Orient(p, q, ns[(i+1)%len(ns)]) <= 0 {
				turns++
			}
		}
		if turns > 1 {
			t.Errorf("star of %v is not in order: %v", p, ns)
		}
	}
}

func TestStarPassesOverItselfAndRepeats(t *testing.T) {
	p := Point{0, 0}
	all := []Point{p, {10, 0}, {10, 0}, {-10, 1}, {0, 9}, {0, 9}, p, {1, -12}}
	if got := neighbours(p, all); len(got) != 4 {
		t.Errorf("neighbours %v, want the four different points", got)
	}
	if got := Star(p, []Point{p, p}, nil); len(got) != 0 {
		t.Errorf("alone, but with neighbours %v", got)
	}
}

func FuzzInCircleAgrees(f *testing.F) {
	f.Add(int32(0), int32(0), int32(10), int32(0), int32(0), int32(10), int32(10), int32(10))
	f.Fuzz(func(t *testing.T, ax, ay, bx, by, cx, cy, dx, dy int32) {
		cut := func(v int32) int32 { return v % Limit }
		a, b, c, d := Point{cut(ax), cut(ay)}, Point{cut(bx), cut(by)}, Point{cut(cx), cut(cy)}, Point{cut(dx), cut(dy)}
		if Orient(a, b, c) <= 0 {
			return
		}
		if fl := inCircleFloat(a, b, c, d); fl != 0 && fl != inCircleExact(a, b, c, d) {
			t.Fatalf("the filter says %d for %v %v %v %v, the exact test %d", fl, a, b, c, d, inCircleExact(a, b, c, d))
		}
		m := minorsOf(a, b, c, d)
		sum := new(big.Int).Mul(big.NewInt(m.la), big.NewInt(m.ma))
		sum.Add(sum, new(big.Int).Mul(big.NewInt(m.lb), big.NewInt(m.mb)))
		sum.Add(sum, new(big.Int).Mul(big.NewInt(m.lc), big.NewInt(m.mc)))
		if got := inCircleExact(a, b, c, d); got != sum.Sign() {
			t.Fatalf("exact test %d, big integers %d", got, sum.Sign())
		}
	})
}

func BenchmarkStar(b *testing.B) {
	for _, n := range []int{12, 25, 40} {
		r := rng.New(1)
		all := scatter(n, func() Point { return Point{int32(r.Intn(1 << 20)), int32(r.Intn(1 << 20))} })
		b.Run(map[int]string{12: "12", 25: "25", 40: "40"}[n], func(b *testing.B) {
			b.ReportAllocs()
			out := make([]int, 0, 40)
			p := Point{1 << 19, 1 << 19}
			for b.Loop() {
				out = Star(p, all, out[:0])
			}
		})
	}
}
