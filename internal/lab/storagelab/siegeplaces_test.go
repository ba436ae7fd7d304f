package storagelab

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// Of places drawn at random those are chosen that stand together: they have most of the
// votes on some place of the world in a majority of the zones, where as many of all of them have not.
func TestBestStands(t *testing.T) {
	const zones, side, want = 4, 1_000_000, 12
	draw := rng.New(3, 1)
	all := func(n int) (out []stand) {
		for k := range n {
			out = append(out, stand{&storageNode{}, k % zones, geom.Point{X: int32(draw.Intn(side)), Y: int32(draw.Intn(side))}})
		}
		return out
	}
	honest, offered := all(1000), all(1000)
	chosen := bestStands(honest, offered, zones, side, want)
	if len(chosen) != want {
		t.Fatalf("%d places are chosen, not %d", len(chosen), want)
	}
	most := func(of []stand) (votes int) {
		for y := range int32(placesTried) {
			for x := range int32(placesTried) {
				_, v := standsAround(geom.Point{X: (2*x + 1) * side / placesTried / 2, Y: (2*y + 1) * side / placesTried / 2}, honest, of, zones)
				votes = max(votes, v)
			}
		}
		return votes
	}
	if best, any := most(chosen), most(offered[:want]); best < 9 || any >= 9 {
		t.Errorf("the chosen places have %d votes in a majority of the zones, others %d; 9 of 16 decide", best, any)
	}
}
