package storage_test

import (
	"testing"
	"time"

	. "github.com/voxelpopuli/voxelpopuli/internal/storage"
)

// What a player does last, before its node leaves, counts like all else: whenever in
// an interval that is.
func TestLastActions(t *testing.T) {
	for seed := uint64(1); seed <= 3; seed++ {
		b := newBed(t, seed, 4, 40, 2*time.Minute)
		b.protocol = ProtocolHardened
		b.until(b.update(0))
		b.replay(0)
		b.until(b.update(1).Add(20 * time.Millisecond))
		b.replay(1)
		for _, m := range b.live()[:24] {
			b.activate(m, 1)
		}
		const last = 7
		for of := int64(1); of < last; of++ {
			b.until(b.update(of).Add(20 * time.Millisecond))
			if of > 1 {
				b.replay(of)
			}
			b.play(of)
			if of < 2 || of >= last-1 {
				continue
			}
			for k := range 2 {
				m := b.nodes[2*int(of)+k]
				if m.node() == nil {
					continue
				}
				at := b.update(of).Add(time.Duration(500+b.rand.Intn(9000)) * time.Millisecond)
				m.act(at, []byte{walk, 100, 0, 100, 0})
				b.sim.At(at+1, func() { m.Stop() })
			}
		}
		b.until(b.update(last).Add(6 * time.Second))
		b.replay(last)
		if n := b.agree(last); n > 0 {
			t.Errorf("seed %d: %d of %d nodes have a wrong state", seed, n, len(b.live()))
		}
	}
}
