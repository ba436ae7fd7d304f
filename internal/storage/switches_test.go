package storage_test

import (
	"testing"
	"time"

	. "github.com/voxelpopuli/voxelpopuli/internal/storage"
)

// Without attackers every protocol keeps the world right: while nodes come and
// go, and exactly as the sequential replay has it once they stay.
func TestSwitchesAgreeWithSequentialReplay(t *testing.T) {
	protocols := []Protocol{ProtocolHardened}
	if !testing.Short() {
		for _, name := range Switches() {
			protocols = append(protocols, ProtocolThesis.With(name), ProtocolHardened.Without(name))
		}
	}
	for _, p := range protocols {
		t.Run(p.String(), func(t *testing.T) {
			b := newBed(t, 5, 4, 60, 4*time.Minute)
			b.protocol = p
			next := 60
			for of := int64(0); of <= 6; of++ {
				b.until(b.update(of))
				if of == 1 {
					for _, m := range b.live() {
						b.activate(m, of)
					}
				}
				b.play(of)
				if of >= 1 && of <= 3 {
					b.sim.At(b.update(of).Add(b.after(interval)), func() { b.start(next); next++ })
					b.sim.At(b.update(of).Add(b.after(interval)), func() {
						live := b.live()
						live[b.rand.Intn(len(live))].Stop()
					})
				}
				b.until(b.update(of).Add(3*DefaultLMax + time.Second))
				b.replay(of)
			}
			if n := b.agree(6); n > 0 {
				t.Errorf("%d of %d nodes have a wrong state", n, len(b.live()))
			}
			if n := b.zonesHold(6); n > 0 {
				t.Errorf("%d objects are missing in some zone", n)
			}
			// One certified copy of a player's actions is enough.
			answers, count := 0, 0
			for _, r := range b.reports {
				if r.Kind == ForActions {
					answers, count = answers+r.Answers, count+1
				}
			}
			if mean := float64(answers) / float64(count); p.Receipts != (mean < 1.5) {
				t.Errorf("retrievals of actions take %.2f answers", mean)
			}
		})
	}
}
