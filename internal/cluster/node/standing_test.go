package node

import (
	"bytes"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestStanding: who was known before a restart is no newcomer after it, and nodes that
// come later are for as long again as this node had been there.
func TestStanding(t *testing.T) {
	const day = 24 * time.Hour
	clock := &fixedClock{now: singleNodeStart}
	begin := func() *standing {
		return newStanding(part.Part{Env: clock, Cfg: &part.Config{Self: nodePeer(0)}})
	}
	s := begin()
	s.load(nil)
	s.meet(id.ID{1})
	clock.now = clock.now.Add(2 * day)
	s.meet(id.ID{1})
	if !s.isDue(clock.now) || s.isDue(clock.now) {
		t.Error("the list is not written once an hour")
	}
	saved := []machine.KV{{Key: []byte(standingKey), Value: s.encode()}}
	again := begin()
	again.meet(id.ID{1}) // before the disk was read
	again.load(saved)
	again.meet(id.ID{2})
	if again.isNewcomer(id.ID{1}) || !again.isNewcomer(id.ID{2}) {
		t.Errorf("known for %v and %v, newcomers: %v and %v", again.knownFor(id.ID{1}), again.knownFor(id.ID{2}), again.isNewcomer(id.ID{1}), again.isNewcomer(id.ID{2}))
	}
	clock.now = clock.now.Add(day)
	if !again.isNewcomer(id.ID{2}) {
		t.Error("established after a day in a world of two days")
	}
	clock.now = clock.now.Add(day)
	if again.isNewcomer(id.ID{2}) {
		t.Error("a newcomer after two days in a world of two days")
	}
	clock.now = clock.now.Add(standingFor)
	if again.isDue(clock.now); again.knownFor(id.ID{1}) != 0 {
		t.Error("a node that was silent for a month keeps its standing")
	}
}

// TestStandingIsBounded: a flood of keys takes nobody's standing.
func TestStandingIsBounded(t *testing.T) {
	clock := &fixedClock{now: singleNodeStart}
	s := newStanding(part.Part{Env: clock, Cfg: &part.Config{Self: nodePeer(0)}})
	s.load(nil)
	s.meet(id.ID{1})
	for i := range 2 * maxStanding {
		s.meet(id.ID{2, byte(i), byte(i >> 8)})
	}
	clock.now = clock.now.Add(2 * time.Hour)
	if len(s.nodes) != maxStanding || s.isNewcomer(id.ID{1}) {
		t.Errorf("%d nodes; the first is a newcomer: %v", len(s.nodes), s.isNewcomer(id.ID{1}))
	}
}

func FuzzDecodeStanding(f *testing.F) {
	s := newStanding(part.Part{Env: &fixedClock{now: singleNodeStart}, Cfg: &part.Config{Self: nodePeer(0)}})
	s.meet(id.ID{1})
	s.meet(id.ID{2})
	f.Add(s.encode())
	f.Add(s.encode()[:40])
	f.Fuzz(func(t *testing.T, b []byte) {
		s.nodes = decodeStanding(b)
		if out := s.encode(); len(out) > len(b) || len(s.nodes) > maxStanding || !bytes.Equal(out, encodeAgain(s, out)) {
			t.Errorf("%x became %x", b, out)
		}
	})
}

func encodeAgain(s *standing, b []byte) []byte {
	s.nodes = decodeStanding(b)
	return s.encode()
}
