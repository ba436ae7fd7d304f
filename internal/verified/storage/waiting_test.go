package storage_test

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
)

// slow is a node that views do not reach for some time: it is unstable when a
// neighbour leaves, and all that is for its place waits (thesis 4.7.1).
type slow struct {
	spy
	on   *bool
	kept []func()
}

func (s *slow) Intercept(n *storage.Node, from machine.Peer, m machine.Message) bool {
	if _, is := m.(*overlay.NetworkView); !is || !*s.on {
		return false
	}
	s.kept = append(s.kept, func() { n.OnMessage(from, m) })
	return true
}

// Somebody leaves just before an update, and those around it have their places again
// only when it is too late to deposit anything. What came to them in time counts.
func TestWhatCameInTimeCounts(t *testing.T) {
	const of = 3
	b := newBed(t, 6, 4, 14, 2*time.Minute)
	on := false
	slows := map[int]*slow{}
	b.protocol, b.behave = storage.ProtocolHardened, func(i int) storage.Behaviour {
		slows[i] = &slow{on: &on}
		return slows[i]
	}
	b.until(b.update(1))
	b.replay(1)
	for _, m := range b.nodes[:3] {
		b.activate(m, 1)
	}
	b.until(b.update(2))
	b.replay(2)
	for _, m := range b.nodes[:3] { // these come when nobody has a place
		m.act(b.update(of).Add(-20*time.Millisecond), []byte{walk, 100, 0, 100, 0})
	}
	b.until(b.update(of).Add(-300 * time.Millisecond))
	on = true
	b.nodes[13].Stop()
	b.until(b.update(of))
	b.replay(of)
	b.until(b.update(of).Add(3300 * time.Millisecond))
	unstable := map[int]bool{}
	for _, m := range b.live() {
		if !m.node().Overlay().Stable() {
			unstable[b.space.Zone(m.self.Pos)] = true
		}
	}
	if len(unstable) < 4 {
		t.Fatal("not all zones have nodes that are unstable: this test shows nothing")
	}
	on = false
	for i, m := range b.nodes[:13] {
		for _, do := range slows[i].kept {
			m.Call(do)
		}
	}
	b.until(b.update(of).Add(3*storage.DefaultLMax + time.Second))
	if n := b.agree(of); n > 0 {
		t.Errorf("%d of %d nodes have a wrong state", n, len(b.live()))
	}
}
