package worldlab

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// TestLongProgress: with each of five seeds a player who begins with nothing comes to an iron
// pickaxe within ten minutes of the world.
func TestLongProgress(t *testing.T) {
	simtest.Long(t)
	for seed := uint64(1); seed <= 5; seed++ {
		s := newSurvivor(seed)
		if s.p.Items != (world.Inventory{}) {
			t.Fatal("it has something")
		}
		for !s.done() && s.tick < 10*60*20 {
			s.step()
		}
		if !s.done() {
			t.Errorf("seed %d: still at %q at %v, health %d, %d deaths", seed, s.goal(), s.p.Body.Pos.Block(), s.p.Health, s.deaths)
			continue
		}
		t.Logf("seed %d: %.1f minutes, %d blocks broken, %d deaths", seed, minutesOf(s.tick), s.dug, s.deaths)
	}
}
