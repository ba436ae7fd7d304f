package mmve

import (
	"math"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// leg is a straight walk. Where somebody is at a time follows from it alone, so
// that it does not matter in which steps a replay gets there.
type leg struct {
	from, to      geom.Point
	start, arrive machine.Time
}

// standing is the leg of somebody who does not move.
func standing(at geom.Point, now machine.Time) leg { return leg{at, at, now, now} }

// legTo begins a walk at a speed in centimetres a second.
func legTo(from, to geom.Point, now machine.Time, speed int64) leg {
	return leg{from, to, now, now + machine.Time(root(from.Dist2(to))*int64(time.Second)/speed)}
}

// at returns the place at a time. The product is below 2^62: a walk across the
// thesis' world takes less than 2^41 ns, one across the largest 2^42.
func (l *leg) at(t machine.Time) geom.Point {
	switch {
	case t >= l.arrive:
		return l.to
	case t <= l.start:
		return l.from
	}
	done, whole := int64(t-l.start), int64(l.arrive-l.start)
	return geom.Point{
		X: l.from.X + int32(int64(l.to.X-l.from.X)*done/whole),
		Y: l.from.Y + int32(int64(l.to.Y-l.from.Y)*done/whole),
	}
}

// root returns the integer square root. The float only guesses; what comes out
// is exact.
func root(n int64) int64 {
	r := int64(math.Sqrt(float64(n)))
	for r*r > n {
		r--
	}
	for (r+1)*(r+1) <= n {
		r++
	}
	return r
}

// near returns a random place at most far from another, in the world.
func (w *World) near(c geom.Point, far int32, r *rng.Rand) geom.Point {
	for {
		p := geom.Point{
			X: c.X - far + int32(r.Intn(int(2*far+1))),
			Y: c.Y - far + int32(r.Intn(int(2*far+1))),
		}
		if c.Dist2(p) <= int64(far)*int64(far) {
			return w.inside(p)
		}
	}
}

// anywhere returns a random place in the world.
func (w *World) anywhere(r *rng.Rand) geom.Point {
	return geom.Point{X: int32(r.Intn(int(w.side))), Y: int32(r.Intn(int(w.side)))}
}

// inside returns the place of the world that is nearest to p.
func (w *World) inside(p geom.Point) geom.Point {
	return geom.Point{X: max(0, min(p.X, w.side-1)), Y: max(0, min(p.Y, w.side-1))}
}
