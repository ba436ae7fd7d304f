package storage_test

import (
	"slices"
	"testing"
	"time"

	. "github.com/voxelpopuli/voxelpopuli/internal/storage"
)

// Players come back just when the nodes that keep their characters in one of the
// zones have gone: who stands there now has not been told yet who sleeps there. The
// characters are woken in every zone all the same (thesis 5.4.1, 5.4.2), and nobody
// is lost.
func TestWakingWhileNeighboursChange(t *testing.T) {
	const wakes, zone = 3, 2
	b := newBed(t, 5, 4, 60, 2*time.Minute)
	b.protocol = ProtocolHardened.Without("farewell") // with it who stands there has been told
	b.until(b.update(1).Add(-700 * time.Millisecond))
	for _, m := range b.live()[:wakes] {
		for _, h := range b.live() {
			if h != m && b.space.Zone(h.self.Pos) == zone && h.node().Keeps(m.bedAt) {
				h.Stop()
			}
		}
	}
	for of := int64(1); of <= 4; of++ {
		b.until(b.update(of))
		b.replay(of)
		if of == 1 {
			for _, m := range b.live()[:wakes] {
				b.activate(m, of)
			}
		}
		b.play(of)
		if of == 1 {
			b.until(b.update(1).Add(3 * DefaultLMax))
			for _, o := range b.woken[1] {
				for _, h := range b.live() {
					if h.node().Keeps(o.Pos) && !slices.ContainsFunc(h.node().State().Woken, func(w *Object) bool { return w.Digest == o.Digest }) {
						t.Errorf("node %s of zone %d has not woken %d", h.self.ID.Short(), b.space.Zone(h.self.Pos), o.ID)
					}
				}
			}
		}
	}
	b.until(b.update(4).Add(5 * time.Second))
	awake := 0
	for _, o := range b.truth[4] {
		if o.Player != nil && !o.Static {
			awake++
		}
	}
	if awake != wakes {
		t.Fatalf("%d characters are in the world, not %d: this test shows nothing", awake, wakes)
	}
	if n := b.agree(4); n > 0 {
		t.Errorf("%d of %d nodes have a wrong state", n, len(b.live()))
	}
	if n := b.zonesHold(4); n > 0 {
		t.Errorf("%d objects are missing in some zone", n)
	}
}

// The nodes of two zones that have just woken a character leave, and with them the
// wakening: it is woken in every zone all the same.
func TestWakingIsSaidTwice(t *testing.T) {
	b := newBed(t, 5, 4, 60, 2*time.Minute)
	b.protocol = ProtocolHardened
	b.until(b.update(1))
	b.replay(1)
	m := b.live()[0]
	b.activate(m, 1)
	b.until(b.update(1).Add(400 * time.Millisecond))
	for _, h := range b.live() {
		if zone := b.space.Zone(h.self.Pos); h != m && zone > 0 && zone < 3 && h.node().Keeps(m.bedAt) {
			h.Stop()
		}
	}
	for of := int64(2); of <= 4; of++ {
		b.until(b.update(of))
		b.replay(of)
	}
	b.until(b.update(4).Add(5 * time.Second))
	if n := b.agree(4); n > 0 {
		t.Errorf("%d of %d nodes have a wrong state", n, len(b.live()))
	}
	if n := b.zonesHold(4); n > 0 {
		t.Errorf("%d objects are missing in some zone", n)
	}
}
