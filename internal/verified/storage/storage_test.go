package storage_test

import (
	"testing"
	"time"
)

// Without churn every node's part of the world is, after every update, what the
// sequential replay of all actions makes it, and every zone holds everything
// (thesis 5.3, 5.6.1).
func TestZonesAgreeWithSequentialReplay(t *testing.T) {
	for seed := uint64(1); seed <= 2; seed++ {
		b := newBed(t, seed, 4, 36, 2*time.Minute)
		for of := int64(0); of <= 5; of++ {
			b.playAll(of)
			b.settle(of)
			if n := b.agree(of); n > 0 {
				t.Fatalf("seed %d: %d of %d nodes have a wrong state at t_%d", seed, n, len(b.live()), of)
			}
			if n := b.zonesHold(of); n > 0 {
				t.Fatalf("seed %d: %d objects are missing in some zone at t_%d", seed, n, of)
			}
		}
		if b.failed > 0 {
			t.Errorf("seed %d: %d updates failed", seed, b.failed)
		}
		t.Logf("seed %d: %d retrievals, %d replays, %d found", seed, len(b.reports), b.memo.Steps, b.memo.Hits)
	}
}
