package storagelab

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
)

// What the choice among certificates buys: how often six of a thousand nodes stand nearest to
// some place of the world in three of four zones, by the number of places that they choose
// among. Without a choice that is rare, with a thousand certain.
func TestWhatAChoiceOfPlacesBuys(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	const nodes, members, zones, side, draws = 1000, 6, 4, 1_000_000, 10
	owned := map[int]int{}
	choices := []int{members, 4 * members, 100, certificates}
	for seed := range uint64(draws) {
		draw := rng.New(seed, 2)
		all := func(n int) (out []stand) {
			for k := range n {
				out = append(out, stand{&storageNode{}, k % zones, geom.Point{X: int32(draw.Intn(side)), Y: int32(draw.Intn(side))}})
			}
			return out
		}
		honest, offered := all(nodes-members), all(certificates)
		for _, among := range choices {
			chosen := bestStands(honest, offered[:among], zones, side, members)
			if ownsAPlace(honest, chosen, zones, side) {
				owned[among]++
			}
		}
	}
	for _, among := range choices {
		t.Logf("%d of %d nodes chosen among %d places own a place in %d of %d draws", members, nodes, among, owned[among], draws)
	}
	if owned[members] > draws/5 || owned[certificates] < draws {
		t.Errorf("in how many of %d draws a place is owned, by the number of places to choose from: %v", draws, owned)
	}
}

// ownsAPlace reports whether some stand nearest to a place of the world in a majority of
// the zones.
func ownsAPlace(honest, own []stand, zones int, side int32) bool {
	for y := range int32(placesTried) {
		for x := range int32(placesTried) {
			at := geom.Point{X: (2*x + 1) * (side / placesTried / 2), Y: (2*y + 1) * (side / placesTried / 2)}
			held := 0
			for zone := range zones {
				mine, others := nearest(at, own, zone), nearest(at, honest, zone)
				if len(mine) > 0 && (len(others) == 0 || mine[0].home.Dist2(at) < others[0].home.Dist2(at)) {
					held++
				}
			}
			if held > zones/2 {
				return true
			}
		}
	}
	return false
}
