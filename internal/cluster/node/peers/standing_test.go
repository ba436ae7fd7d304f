package peers

import (
	"bytes"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// start is when these tests begin, self the node that knows others.
const start = machine.Time(1_700_000_000_000_000_000)

var self = machine.Peer{ID: id.Of([]byte("node 0"))}

// fixedClock is an environment of which only the time is used.
type fixedClock struct {
	machine.Env
	now machine.Time
}

func (c *fixedClock) Now() machine.Time { return c.now }

// TestStanding: who was known before a restart is no newcomer after it, and nodes that
// come later are for as long again as this node had been there.
func TestStanding(t *testing.T) {
	const day = 24 * time.Hour
	clock := &fixedClock{now: start}
	begin := func() *Standing {
		return newStanding(part.Part{Env: clock, Cfg: &part.Config{Self: self}})
	}
	s := begin()
	s.Load(nil)
	s.meet(id.ID{1})
	clock.now = clock.now.Add(2 * day)
	s.meet(id.ID{1})
	if !s.IsDue(clock.now) || s.IsDue(clock.now) {
		t.Error("the list is not written once an hour")
	}
	saved := []machine.KV{{Key: []byte(StandingKey), Value: s.Encode()}}
	again := begin()
	again.meet(id.ID{1}) // before the disk was read
	again.Load(saved)
	again.meet(id.ID{2})
	if again.IsNewcomer(id.ID{1}) || !again.IsNewcomer(id.ID{2}) {
		t.Errorf("known for %v and %v, newcomers: %v and %v", again.KnownFor(id.ID{1}), again.KnownFor(id.ID{2}), again.IsNewcomer(id.ID{1}), again.IsNewcomer(id.ID{2}))
	}
	clock.now = clock.now.Add(day)
	if !again.IsNewcomer(id.ID{2}) {
		t.Error("established after a day in a world of two days")
	}
	clock.now = clock.now.Add(day)
	if again.IsNewcomer(id.ID{2}) {
		t.Error("a newcomer after two days in a world of two days")
	}
	clock.now = clock.now.Add(standingFor)
	if again.IsDue(clock.now); again.KnownFor(id.ID{1}) != 0 {
		t.Error("a node that was silent for a month keeps its standing")
	}
}

// TestStandingIsBounded: a flood of keys takes nobody's standing.
func TestStandingIsBounded(t *testing.T) {
	clock := &fixedClock{now: start}
	s := newStanding(part.Part{Env: clock, Cfg: &part.Config{Self: self}})
	s.Load(nil)
	s.meet(id.ID{1})
	for i := range 2 * maxStanding {
		s.meet(id.ID{2, byte(i), byte(i >> 8)})
	}
	clock.now = clock.now.Add(2 * time.Hour)
	if len(s.nodes) != maxStanding || s.IsNewcomer(id.ID{1}) {
		t.Errorf("%d nodes; the first is a newcomer: %v", len(s.nodes), s.IsNewcomer(id.ID{1}))
	}
}

func FuzzDecodeStanding(f *testing.F) {
	s := newStanding(part.Part{Env: &fixedClock{now: start}, Cfg: &part.Config{Self: self}})
	s.meet(id.ID{1})
	s.meet(id.ID{2})
	f.Add(s.Encode())
	f.Add(s.Encode()[:40])
	f.Fuzz(func(t *testing.T, b []byte) {
		s.nodes = decodeStanding(b)
		if out := s.Encode(); len(out) > len(b) || len(s.nodes) > maxStanding || !bytes.Equal(out, encodeAgain(s, out)) {
			t.Errorf("%x became %x", b, out)
		}
	})
}

func encodeAgain(s *Standing, b []byte) []byte {
	s.nodes = decodeStanding(b)
	return s.Encode()
}
