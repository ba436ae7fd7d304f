package storage_test

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
)

// Nodes come and go between updates; two intervals after the last change every
// node's part of the world is again what the sequential replay makes it, and
// every zone holds everything: dynamic data by the update, static data by what
// is pushed and fetched (thesis 5.4, 5.4.3).
func TestLongZonesRecoverFromChurn(t *testing.T) {
	simtest.Long(t)
	for seed := uint64(1); seed <= 2; seed++ {
		b := newBed(t, seed, 4, 60, 2*time.Minute)
		next := 60
		for of := int64(0); of <= 7; of++ {
			b.playAll(of)
			if of >= 1 && of <= 4 { // one comes and two leave, at any time
				b.sim.At(b.update(of).Add(b.after(interval)), func() { b.start(next); next++ })
				for range 2 {
					b.sim.At(b.update(of).Add(b.after(interval)), func() { b.any().Stop() })
				}
			}
			b.settle(of)
		}
		if n := b.agree(7); n > 0 {
			t.Errorf("seed %d: %d of %d nodes have a wrong state", seed, n, len(b.live()))
		}
		if n := b.zonesHold(7); n > 0 {
			t.Errorf("seed %d: %d objects are missing in some zone", seed, n)
		}
		t.Logf("seed %d: %d updates failed on the way", seed, b.failed)
	}
}

// A node that is ready only after the others have asked for the state catches up:
// its first update is the next one, and its zone has no hole until then.
func TestNewcomersCatchUp(t *testing.T) {
	b := newBed(t, 3, 4, 40, 2*time.Minute)
	b.protocol = storage.ProtocolHardened
	for of := int64(0); of <= 2; of++ {
		b.until(b.update(of).Add(3*storage.DefaultLMax + 100*time.Millisecond))
		b.replay(of)
	}
	b.start(40)
	m := b.nodes[40]
	b.until(b.update(3))
	if !m.node().Ready() {
		t.Fatal("the node is not ready in time: this test shows nothing")
	}
	b.settle(3)
	if why := b.differs(m, 3); why != "" || b.failed > 0 {
		t.Errorf("%s, %d updates failed", why, b.failed)
	}
	if n := b.zonesHold(3); n > 0 {
		t.Errorf("%d objects are missing in some zone", n)
	}
}

// A node that starts a moment before t_0 makes the initial world itself, when it
// has found its neighbours: they push to who is new to them, and it is not (thesis
// 5.3.6).
func TestWhoComesJustBeforeTheBeginning(t *testing.T) {
	b := newBed(t, 1, 4, 40, 2*time.Minute)
	b.protocol = storage.ProtocolHardened
	for i := range 20 {
		b.sim.At(b.begin.Add(-time.Duration(i)*150*time.Millisecond), func() { b.start(40 + i) })
	}
	for of := int64(0); of <= 2; of++ {
		b.until(b.update(of))
		b.play(of)
		b.settle(of)
	}
	b.worldIsWhole(2)
}
