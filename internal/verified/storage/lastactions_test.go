package storage_test

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// What a player does last, before its node leaves, counts like all else: whenever in
// an interval that is.
func TestLongLastActions(t *testing.T) {
	simtest.Long(t)
	for seed := uint64(1); seed <= 3; seed++ {
		b := newBed(t, seed, 4, 40, 2*time.Minute)
		b.protocol = storage.ProtocolHardened
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
		b.until(b.update(last).Add(3*storage.DefaultLMax + time.Second)) // t^s is past: whoever had to wait for actions has made the update
		b.replay(last)
		if n := b.agree(last); n > 0 {
			t.Errorf("seed %d: %d of %d nodes have a wrong state", seed, n, len(b.live()))
		}
	}
}

// deaf is a storer that a player's deposits do not reach.
type deaf struct {
	spy
	to *state.Player
}

func (d *deaf) Intercept(_ *storage.Node, _ machine.Peer, m machine.Message) bool {
	u, ok := m.(*overlay.Unicast)
	if !ok {
		return false
	}
	switch body := u.Body.(type) {
	case *messages.Deposit:
		return body.Batch.Player.ID == d.to.ID
	case *messages.Store:
		return body.Action.Player.ID == d.to.ID
	}
	return false
}

// The last node of a zone leaves, and what its player has done last does not reach one
// of the other three. With its own receipt, which goes to the others with the batch,
// three of four zones have it.
func TestLastActionsOfAZone(t *testing.T) {
	const last = 5
	b := newBed(t, 3, 4, 48, 2*time.Minute)
	b.protocol = storage.ProtocolHardened
	alone := b.nodes[0]
	zone := b.space.Zone(alone.self.Pos)
	b.behave = func(i int) storage.Behaviour {
		if b.space.Zone(b.nodes[i].self.Pos) == (zone+1)%4 {
			return &deaf{to: alone.player}
		}
		return nil
	}
	b.until(b.update(0).Add(-50 * time.Second))
	for _, m := range b.live() {
		if m != alone && b.space.Zone(m.self.Pos) == zone {
			m.Stop()
			b.until(b.sim.Now().Add(time.Second))
		}
	}
	b.until(b.update(0))
	b.replay(0)
	b.until(b.update(1).Add(20 * time.Millisecond))
	b.replay(1)
	b.activate(alone, 1)
	b.until(b.update(2).Add(20 * time.Millisecond))
	b.replay(2)
	at := b.update(2).Add(4 * time.Second)
	alone.act(at, []byte{walk, 100, 0, 100, 0})
	b.sim.At(at.Add(time.Second), func() { alone.Stop() })
	b.until(b.update(last).Add(6500 * time.Millisecond))
	for of := int64(3); of <= last; of++ {
		b.replay(of)
	}
	if n := b.agree(last); n > 0 {
		t.Errorf("%d of %d nodes have a wrong state", n, len(b.live()))
	}
}
