package bot

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// siteBlocks is flat ground with what was built on it.
type siteBlocks map[world.Pos]bool

func (s siteBlocks) Block(p world.Pos) (world.Block, bool) {
	if p.Y < 0 || s[p] {
		return world.Stone, true
	}
	return world.Air, true
}

// TestHouseIsBuiltInSight: a builder in the middle of its house sees each place that it
// builds at and the block that it builds against; the world refuses it otherwise, and
// the house has holes.
func TestHouseIsBuiltInSight(t *testing.T) {
	body := world.Body{Pos: centreOf(world.Pos{})}
	built := siteBlocks{}
	for i, b := range house(world.Pos{}) {
		if !world.Sees(built, body.Eye(), b.against) || !world.Sees(built, body.Eye(), b.at) {
			t.Errorf("brick %d, at %v against %v, is out of sight", i, b.at, b.against)
		}
		built[b.at] = true
	}
	if want := 5*5*4 - 3*3*3 - 2; len(built) != want {
		t.Errorf("%d bricks instead of %d", len(built), want)
	}
}
