package storage_test

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

// A zone has become empty just now, and somebody leaves another one: of what was kept
// there two of four zones know, which is no majority. The third guesses what they say,
// and an update later the three are one.
func TestLongEmptyZone(t *testing.T) {
	simtest.Long(t)
	for seed := uint64(3); seed <= 6; seed++ {
		emptyZone(t, seed, 5*time.Second, 8)
	}
}

// A zone has been empty for some time, and is known to be deserted: two of the other
// three are a majority, and whoever follows knows everything at the next update.
func TestLongDesertedZone(t *testing.T) {
	simtest.Long(t)
	for seed := uint64(3); seed <= 6; seed++ {
		emptyZone(t, seed, 40*time.Second, 5)
	}
}

// leaver is somebody whose farewells do not arrive from some time on.
type leaver struct {
	spy
	unheard *bool
}

func (l *leaver) Push(_ *storage.Node, _ *overlay.Contact, m *messages.Push) *messages.Push {
	if *l.unheard {
		return nil
	}
	return m
}

// emptyZone: nobody has been in one zone for some time when somebody leaves another one
// at t_3, with farewells that do not arrive.
func emptyZone(t *testing.T, seed uint64, since time.Duration, last int64) {
	b := newBed(t, seed, 4, 80, 2*time.Minute)
	unheard := false
	b.protocol, b.behave = storage.ProtocolHardened, func(int) storage.Behaviour { return &leaver{unheard: &unheard} }
	b.until(b.update(0).Add(-55 * time.Second))
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
			b.until(b.sim.Now().Add(time.Second))
		}
	}
	b.until(b.update(3).Add(-since))
	for _, m := range empty {
		m.Stop()
	}
	b.until(b.update(3))
	unheard = true
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
		t.Errorf("seed %d: %d of %d nodes have a wrong state", seed, n, len(b.live()))
	}
	if n := b.zonesHold(last); n > 0 {
		t.Errorf("seed %d: %d objects are missing in some zone", seed, n)
	}
}

// reader notes of how many zones the certificates have receipts that storers are handed.
type reader struct {
	spy
	most *int
}

func (r *reader) Intercept(_ *storage.Node, _ machine.Peer, m machine.Message) bool {
	if u, ok := m.(*overlay.Unicast); ok {
		if c, ok := u.Body.(*messages.Certified); ok {
			*r.most = max(*r.most, len(c.Certificate.Receipts))
		}
	}
	return false
}

// A zone has been empty for some time, and two of the other three are enough to certify
// what a player has done. Who has just come does not know that; receipts of all three
// are enough for everybody.
func TestCertificatesWhereAZoneIsDeserted(t *testing.T) {
	b := newBed(t, 3, 4, 40, 2*time.Minute)
	most := 0
	b.protocol, b.behave = storage.ProtocolHardened, func(int) storage.Behaviour { return &reader{most: &most} }
	b.until(b.update(0).Add(-50 * time.Second))
	for _, m := range b.live() {
		if b.space.Zone(m.self.Pos) == 3 {
			m.Stop()
		}
	}
	b.until(b.update(1))
	b.replay(1)
	b.activate(b.live()[0], 1)
	b.until(b.update(2).Add(2 * time.Second))
	if most != 3 {
		t.Errorf("certificates have receipts of %d zones at most, not of all three", most)
	}
}
