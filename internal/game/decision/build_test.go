package decision

import (
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestBuildable: sources of fluids are built like blocks; who names what cannot stand anywhere
// is told why.
func TestBuildable(t *testing.T) {
	parse := func(words string) (Building, error) {
		return ParseBuilding(strings.Split(words, " "))
	}
	for _, block := range []world.Block{world.Air, world.Water, world.Lava, world.Stone} {
		if b, err := parse("fill 1 2 3 4 5 6 " + block.String()); err != nil || b.Block != block {
			t.Errorf("%s: %v, %v", block, b.Block, err)
		}
	}
	for block, why := range map[world.Block]string{
		world.Flames: "burns out by itself",
		world.Water1: "name its source",
		world.Lava2:  "name its source",
		world.RedBed: "has two halves",
		world.Poppy:  "does not stand by itself",
	} {
		if _, err := parse("fill 1 2 3 4 5 6 " + block.String()); err == nil || !strings.Contains(err.Error(), block.String()) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", block, err)
		}
		if _, err := parse("replace 1 2 3 4 5 6 " + block.String() + " air"); err != nil {
			t.Errorf("%s that is replaced: %v", block, err)
		}
	}
}
