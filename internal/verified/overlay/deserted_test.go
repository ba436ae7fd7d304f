package overlay_test

import (
	"testing"
	"time"
)

// deserted counts the nodes outside of a zone that say that nobody is in it.
func (b *bed) deserted(zone int) (count, of int) {
	for _, m := range b.live() {
		if b.space.Zone(m.self.Pos) == zone {
			continue
		}
		of++
		if m.node().Deserted(zone) {
			count++
		}
	}
	return count, of
}

// A zone counts as deserted for all some time after the last one has left it, not as
// soon as its entries are empty, and for nobody any more as soon as somebody comes.
// One in which somebody is left never does.
func TestDeserted(t *testing.T) {
	for seed := range seeds(t) {
		b := grown(t, seed, 4, 24)
		b.sim.Run(time.Minute)
		for zone := range b.space.Zones() {
			if n, of := b.deserted(zone); n > 0 {
				t.Fatalf("seed %d: %d of %d nodes say that zone %d is deserted", seed, n, of, zone)
			}
		}
		left := [4]int{-1, -1, 1, 0} // all others leave
		for _, m := range b.live() {
			if zone := b.space.Zone(m.self.Pos); left[zone] >= 0 {
				if left[zone]--; left[zone] < 0 {
					b.stop(m)
					left[zone] = 0
				}
			}
		}
		b.sim.Run(25 * time.Second)
		if n, of := b.deserted(3); n > 0 {
			t.Errorf("seed %d: %d of %d nodes say after 25 s that the zone is deserted", seed, n, of)
		}
		b.sim.Run(20 * time.Second)
		if n, of := b.deserted(3); n < of {
			t.Errorf("seed %d: %d of %d nodes say after 45 s that the zone is deserted", seed, n, of)
		}
		if n, of := b.deserted(2); n > 0 {
			t.Errorf("seed %d: %d of %d nodes say that nobody is where somebody is left", seed, n, of)
		}
		for b.space.Zone(b.places[len(b.all)]) != 3 {
			b.places = append(b.places[:len(b.all)], b.places[len(b.all)+1:]...)
		}
		b.add()
		b.sim.Run(10 * time.Second)
		if n, of := b.deserted(3); n > 0 {
			t.Errorf("seed %d: %d of %d nodes say that nobody is where somebody has come", seed, n, of)
		}
	}
}
