package node

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// fixedClock is an environment of which only the time is used.
type fixedClock struct {
	machine.Env
	now machine.Time
}

func (c *fixedClock) Now() machine.Time { return c.now }

func newTestSightings() (*peers.Sightings, *fixedClock) {
	clock := &fixedClock{now: singleNodeStart}
	s := peers.NewSightings(part.Part{Env: clock, Cfg: &part.Config{Self: nodePeer(0), GoneAfter: part.DefaultGoneAfter}})
	s.Start()
	return s, clock
}

// TestSightings: a silent node may return for five minutes, and is gone after
// Net.GoneAfter, unless most of the nodes of the last hour are silent.
func TestSightings(t *testing.T) {
	s, clock := newTestSightings()
	all := []machine.Peer{nodePeer(1), nodePeer(2), nodePeer(3)}
	gone := nodePeer(4)
	for _, p := range append(all, gone) {
		s.Record(p)
	}
	if got := s.Recent(); len(got) != 4 {
		t.Errorf("%d recent nodes, want 4", len(got))
	}
	clock.now = clock.now.Add(peers.RememberFor)
	if len(s.Recent()) != 0 || len(s.Silent()) != 4 || !s.IsPartitioned() {
		t.Errorf("after minutes of silence: %d recent, %d silent, partitioned %v", len(s.Recent()), len(s.Silent()), s.IsPartitioned())
	}
	clock.now = clock.now.Add(part.DefaultGoneAfter - peers.RememberFor)
	if s.AllGone([]machine.Peer{gone, nodePeer(1)}) != true {
		t.Error("nodes that were silent for hours are not gone")
	}
	for _, p := range all {
		s.Record(p)
	}
	if s.AllGone([]machine.Peer{gone, nodePeer(1)}) || !s.AllGone([]machine.Peer{gone}) {
		t.Error("only the node that has not returned is gone")
	}
	if !s.HasReturned(nodePeer(1).ID) || s.HasReturned(gone.ID) {
		t.Error("who has returned after hours is not who was heard again")
	}
	s.Expire(clock.now)
	if _, known := s.Peer(gone.ID); known || !slices.Contains(s.Recent(), nodePeer(1)) {
		t.Error("the node that is gone is still known, or another one is not")
	}
}

// TestAbsence: a node that starts knows how long it was off, and one whose machine was
// suspended notices it.
func TestAbsence(t *testing.T) {
	s, clock := newTestSightings()
	for _, c := range []struct {
		name       string
		until      machine.Time
		ran, known bool
		want       time.Duration
	}{
		{"it has never run", 0, false, false, 0},
		{"it ran an hour ago", singleNodeStart.Add(-time.Hour), true, true, time.Hour},
		{"a clock was wrong", singleNodeStart.Add(time.Hour), true, true, 0},
		{"it has not noted when", 0, true, false, 1<<63 - 1},
	} {
		if s.WasOff(c.until, c.ran, c.known); s.Absence() != c.want {
			t.Errorf("%s: %v, want %v", c.name, s.Absence(), c.want)
		}
	}
	s.StayAwake(clock.now)
	clock.now = clock.now.Add(time.Second)
	if s.StayAwake(clock.now); s.WasSuspended(clock.now) {
		t.Error("a second is no suspension")
	}
	clock.now = clock.now.Add(time.Hour)
	if s.StayAwake(clock.now); !s.WasSuspended(clock.now) || s.Absence() != time.Hour {
		t.Errorf("suspended for an hour: %v, %v", s.WasSuspended(clock.now), s.Absence())
	}
}
