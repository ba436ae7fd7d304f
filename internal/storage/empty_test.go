package storage_test

import (
	"testing"
	"time"

	. "github.com/voxelpopuli/voxelpopuli/internal/storage"
)

// A zone has become empty just now, and somebody leaves another one: of what was kept
// there two of four zones know, which is no majority. The third guesses what they say,
// and an update later the three are one.
func TestEmptyZone(t *testing.T) {
	for seed := uint64(1); seed <= 4; seed++ {
		emptyZone(t, seed, 5*time.Second, 14)
	}
}

// A zone has been empty for some time, and is known to be deserted: two of the other
// three are a majority, and whoever follows knows everything at the next update.
func TestDesertedZone(t *testing.T) {
	for seed := uint64(1); seed <= 4; seed++ {
		emptyZone(t, seed, 40*time.Second, 5)
	}
}

// emptyZone: one zone is empty, and somebody leaves another one, without a farewell that arrives.
func emptyZone(t *testing.T, seed uint64, before time.Duration, last int64) {
	b := newBed(t, seed, 4, 80, 2*time.Minute)
	b.protocol = ProtocolHardened
	b.behave = func(int) Behaviour { return &unheard{} }
	b.until(b.update(3).Add(-before - 20*time.Second))
	left := [4]int{12, 12, 8, 0}
	var other *member
	var empty []*member
	for _, m := range b.live() {
		zone := b.space.Zone(m.self.Pos)
		switch left[zone]--; {
		case left[zone] >= 0 && zone == 2:
			other = m
		case left[zone] >= 0:
		case zone == 3:
			empty = append(empty, m)
		default:
			m.Stop()
			b.until(b.sim.Now().Add(500 * time.Millisecond))
		}
	}
	b.until(b.update(3).Add(-before))
	for _, m := range empty {
		m.Stop()
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
	if n := b.zonesHold(last); n > 0 {
		t.Errorf("seed %d: %d objects are missing in some zone", seed, n)
	}
}
