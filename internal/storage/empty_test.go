package storage_test

import (
	"testing"
	"time"

	. "github.com/voxelpopuli/voxelpopuli/internal/storage"
)

// One zone is empty, and somebody leaves another one: of what was kept there two of
// four zones know, which is no majority. The third guesses what they say, and an
// update later the three are one.
func TestEmptyZone(t *testing.T) {
	for seed := uint64(1); seed <= 4; seed++ {
		emptyZone(t, seed)
	}
}

func emptyZone(t *testing.T, seed uint64) {
	const last = 14
	b := newBed(t, seed, 4, 80, 2*time.Minute)
	b.protocol = ProtocolHardened
	b.until(b.update(0).Add(-40 * time.Second))
	left := [4]int{12, 12, 8, 0}
	var other *member
	for _, m := range b.live() {
		zone := b.space.Zone(m.self.Pos)
		if left[zone]--; left[zone] < 0 {
			m.Stop()
			b.until(b.sim.Now().Add(time.Second))
		} else if zone == 2 {
			other = m
		}
	}
	b.until(b.update(3))
	other.Stop()
	for of := int64(1); of <= last; of++ {
		b.replay(of)
	}
	b.until(b.update(last).Add(5 * time.Second))
	for _, m := range b.live() {
		if m.node().Doubts() {
			t.Errorf("node %s (seed %d) is still unsure about something", m.self.ID.Short(), seed)
		}
	}
	if n := b.agree(last); n > 0 {
		t.Errorf("%d of %d nodes have a wrong state", n, len(b.live()))
	}
}
