package geom

import (
	"math"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

var bounds = Rect{Point{0, 0}, Point{100000, 80000}}

func cells(all []Point) []Polygon {
	var out []Polygon
	for _, p := range all {
		out = append(out, Cell(p, neighbours(p, all), bounds, nil))
	}
	return out
}

// TestCellsTileTheWorld: every point of the world lies in the cell of the node
// that is closest to it, and the cells' areas add up to the world's.
func TestCellsTileTheWorld(t *testing.T) {
	for seed := range uint64(20) {
		r := rng.New(seed, 1)
		in := func() Point { return Point{int32(r.Intn(100001)), int32(r.Intn(80001))} }
		all := scatter(2+r.Intn(60), in)
		cs := cells(all)
		var area int64
		for _, c := range cs {
			area += area2(c)
		}
		if world := int64(2 * 100000 * 80000); math.Abs(float64(area-world)) > 1e-4*float64(world) {
			t.Errorf("seed %d: areas add up to %d, the world has %d", seed, area, world)
		}
		for range 500 {
			p := in()
			owner := nearest(p, all)
			if all[nearestOf(p, all)] == p {
				owner = nearestOf(p, all)
			}
			if !grown(cs[owner], 2).Contains(p) {
				t.Errorf("seed %d: %v is nearest to %v but not in its cell %v", seed, p, all[owner], cs[owner])
			}
		}
	}
}

func nearestOf(p Point, all []Point) int {
	best := 0
	for i, c := range all {
		if Closer(p, c, all[best]) {
			best = i
		}
	}
	return best
}

func area2(poly Polygon) (sum int64) {
	for i := range poly {
		a, b := poly[i], poly[(i+1)%len(poly)]
		sum += int64(a.X)*int64(b.Y) - int64(a.Y)*int64(b.X)
	}
	return sum
}

// grown pushes the corners of a cell out by about d units, for the rounding.
func grown(poly Polygon, d float64) Polygon {
	var mx, my float64
	for _, p := range poly {
		mx, my = mx+float64(p.X)/float64(len(poly)), my+float64(p.Y)/float64(len(poly))
	}
	out := Polygon{}
	for _, p := range poly {
		dx, dy := float64(p.X)-mx, float64(p.Y)-my
		k := 1 + 50*d/math.Hypot(dx, dy)
		out = append(out, Point{int32(mx + k*dx), int32(my + k*dy)})
	}
	return out
}

func TestCellOfOneNodeIsTheWorld(t *testing.T) {
	if got := Cell(Point{5, 5}, nil, bounds, nil); area2(got) != 2*100000*80000 {
		t.Errorf("cell %v", got)
	}
}

func TestCellOfTwo(t *testing.T) {
	got := Cell(Point{25000, 40000}, []Point{{75000, 40000}}, bounds, nil)
	want := Polygon{{0, 0}, {50000, 0}, {50000, 80000}, {0, 80000}}
	if len(got) != 4 {
		t.Fatalf("cell %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("cell %v, want %v", got, want)
			break
		}
	}
}

func TestOverlapsCircle(t *testing.T) {
	square := Rect{Point{0, 0}, Point{10, 10}}.Polygon(nil)
	for _, c := range []struct {
		circle Circle
		want   bool
	}{
		{Circle{Point{5, 5}, 1}, true},
		{Circle{Point{5, 5}, 100}, true},
		{Circle{Point{15, 5}, 5}, true},
		{Circle{Point{15, 5}, 4}, false},
		{Circle{Point{13, 14}, 5}, true},
		{Circle{Point{13, 15}, 5}, false},
		{Circle{Point{-3, -4}, 5}, true},
		{Circle{Point{-4, -4}, 5}, false},
	} {
		if got := square.OverlapsCircle(c.circle); got != c.want {
			t.Errorf("%v: %v, want %v", c.circle, got, c.want)
		}
	}
}

// TestOverlapsAgainstSampling: two polygons overlap iff some integer point near
// their common part says so; checked with brute force on small ones.
func TestOverlapsAgainstSampling(t *testing.T) {
	r := rng.New(11)
	triangle := func() Polygon {
		for {
			p := Polygon{{int32(r.Intn(30)), int32(r.Intn(30))}, {int32(r.Intn(30)), int32(r.Intn(30))}, {int32(r.Intn(30)), int32(r.Intn(30))}}
			if Orient(p[0], p[1], p[2]) > 0 {
				return p
			}
		}
	}
	for range 2000 {
		a, b := triangle(), triangle()
		shared := false
		for x := range int32(30) {
			for y := range int32(30) {
				shared = shared || a.Contains(Point{x, y}) && b.Contains(Point{x, y})
			}
		}
		if shared && !a.Overlaps(b) {
			t.Fatalf("%v and %v share a point but do not overlap", a, b)
		}
		if a.Overlaps(b) != b.Overlaps(a) {
			t.Fatalf("%v and %v: overlap is not symmetric", a, b)
		}
		far := Polygon{}
		for _, p := range b {
			far = append(far, Point{p.X + 40, p.Y})
		}
		if a.Overlaps(far) {
			t.Fatalf("%v overlaps %v", a, far)
		}
	}
}

func TestEnclosing(t *testing.T) {
	for seed := range uint64(200) {
		r := rng.New(seed, 2)
		points := scatter(1+r.Intn(12), func() Point { return Point{int32(r.Intn(5000)), int32(r.Intn(5000))} })
		c := Enclosing(points)
		for _, p := range points {
			if !c.Contains(p) {
				t.Fatalf("seed %d: %v does not hold %v", seed, c, p)
			}
		}
		if best := smallest(points); float64(c.R) > best+2 {
			t.Errorf("seed %d: radius %d, the smallest is %.2f", seed, c.R, best)
		}
	}
}

// smallest tries every pair and triple of points.
func smallest(points []Point) float64 {
	best := math.Inf(1)
	try := func(d disc) {
		for _, p := range points {
			if !d.holds(p) {
				return
			}
		}
		best = min(best, math.Sqrt(d.r2))
	}
	for _, p := range points {
		try(disc{x: float64(p.X), y: float64(p.Y)})
		for _, q := range points {
			try(discOf2(p, q))
			for _, s := range points {
				try(discOf3(p, q, s))
			}
		}
	}
	return best
}
