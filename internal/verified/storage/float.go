package storage

import (
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
)

// What is computed here decides only whose answer is waited for, never what the
// world is.

// distance is that of c from the segment a–b.
func distance(a, b, c geom.Point) float64 {
	abx, aby := float64(b.X)-float64(a.X), float64(b.Y)-float64(a.Y)
	acx, acy := float64(c.X)-float64(a.X), float64(c.Y)-float64(a.Y)
	t := 0.0
	if l := abx*abx + aby*aby; l > 0 {
		t = min(max((acx*abx+acy*aby)/l, 0), 1)
	}
	return math.Hypot(acx-t*abx, acy-t*aby)
}

// depth is how far c lies to the left of the line p–q, less two units.
func depth(p, q, c geom.Point) float64 {
	dx, dy := float64(q.X)-float64(p.X), float64(q.Y)-float64(p.Y)
	l := math.Hypot(dx, dy)
	if l == 0 {
		return math.Inf(1)
	}
	return (dx*(float64(c.Y)-float64(p.Y))-dy*(float64(c.X)-float64(p.X)))/l - 2
}
