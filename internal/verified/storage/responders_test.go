package storage_test

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
)

// Who answered the last time may hold nothing of the update area any more, and have
// no neighbour that does, because all others have left. Such an answer does not
// complete a zone: two zones that are taken for complete are enough to leave a node
// without a majority for ever.
func TestPinsThatHoldNothing(t *testing.T) {
	b := newBed(t, 11, 4, 60, 2*time.Minute)
	b.protocol = storage.ProtocolHardened
	b.until(b.update(1))
	m := b.live()[0]
	b.until(b.update(1).Add(4*storage.DefaultLMax - time.Second))
	own := b.space.Zone(m.self.Pos)
	for _, zone := range []int{(own + 1) % 4, (own + 2) % 4} {
		far := m
		for _, o := range b.live() {
			if b.space.Zone(o.self.Pos) == zone && (far == m || o.node().Home().Dist2(m.node().Home()) > far.node().Home().Dist2(m.node().Home())) {
				far = o
			}
		}
		m.node().Misplace(far.self)
	}
	for of := int64(1); of <= 5; of++ {
		b.settle(of)
	}
	s := m.node().State()
	for _, o := range b.truth[5] {
		if !o.Static && m.node().Circle().Contains(o.Pos) && !s.Knows(o.Pos, b.toy.World()) {
			t.Fatalf("the node does not know what is at %v, in its own part", o.Pos)
		}
	}
	if n := b.agree(5); n > 0 {
		t.Errorf("%d of %d nodes have a wrong state", n, len(b.live()))
	}
}
