package storage_test

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

// blocker keeps back looks that come through the overlay on the straight way.
type blocker struct {
	spy
	dropped int
}

func (k *blocker) Intercept(_ *storage.Node, _ machine.Peer, m machine.Message) bool {
	cast, ok := m.(*overlay.Areacast)
	if !ok {
		return false
	}
	q, ok := cast.Body.(*messages.Retrieve)
	if !ok || q.Kind != messages.ForLook {
		return false
	}
	k.dropped++
	return true
}

// A player's first look goes to each zone in two ways at once. With the straight way blocked
// everywhere some find what is asked for by the other one, before anybody is asked again: a
// quarter at least, for the other way leads to one node of each zone, and many zones are
// complete only with its neighbours.
func TestFirstLooksTakeTwoWays(t *testing.T) {
	b := newBed(t, 6, 4, 40, 2*time.Minute)
	b.protocol = storage.ProtocolHardened
	way := &blocker{}
	b.behave = func(int) storage.Behaviour { return way }
	b.until(b.update(1))
	b.replay(1)
	for _, m := range b.live()[:20] {
		b.activate(m, 1)
	}
	b.until(b.update(2))
	b.replay(2)
	b.until(b.update(2).Add(4*storage.DefaultLMax + time.Second))
	looks, quick := 0, 0
	for _, r := range b.reports {
		if r.Kind == messages.ForLook {
			looks++
			if r.Took < time.Second && r.Votes >= 3 {
				quick++
			}
		}
	}
	if looks < 10 || way.dropped < looks {
		t.Fatalf("%d looks, %d messages were dropped: this test shows nothing", looks, way.dropped)
	}
	if 4*quick < looks {
		t.Errorf("%d of %d first looks have a majority within a second", quick, looks)
	}
}
