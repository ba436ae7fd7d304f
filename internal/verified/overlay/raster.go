package overlay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// Raster returns n places for nodes (thesis 6.2.5): evenly in all sub-areas, one
// in each cell of a grid, in random order, so that no two are very near. It is
// what an authority gives out.
func (s Space) Raster(n int, r *rng.Rand) []geom.Point {
	m := int32(1)
	for int(m*m)*s.Zones() < n {
		m++
	}
	cell := s.SubSide() / m
	var out []geom.Point
	for zone := range s.Zones() {
		min := s.SubArea(zone).Min
		for k := range m * m {
			// In the middle half of the cell: at least half a cell apart.
			out = append(out, geom.Point{
				X: min.X + k%m*cell + cell/4 + int32(r.Intn(int(cell/2))),
				Y: min.Y + k/m*cell + cell/4 + int32(r.Intn(int(cell/2))),
			})
		}
	}
	for i := len(out) - 1; i > 0; i-- {
		j := r.Intn(i + 1)
		out[i], out[j] = out[j], out[i]
	}
	return out[:n]
}
