package storage_test

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Players leave the world in the interval in which the nodes go that keep the places
// where their characters are, in one of the zones: those who follow them have asked
// for other update areas, and ask the other zones too early to hear of it. Everybody
// sleeps in all zones all the same.
func TestLongFallingAsleepWhileNeighboursLeave(t *testing.T) {
	simtest.Long(t)
	const last = 4
	for _, left := range []time.Duration{500 * time.Millisecond, 2 * time.Second, 4500 * time.Millisecond, 6500 * time.Millisecond} {
		b := newBed(t, 5, 4, 60, 2*time.Minute)
		b.protocol = storage.ProtocolHardened
		b.until(b.update(1))
		b.replay(1)
		sleepers := b.live()[:8]
		for _, m := range sleepers {
			b.activate(m, 1)
		}
		for of := int64(2); of < last; of++ {
			b.until(b.update(of))
			b.replay(of)
		}
		for _, m := range sleepers {
			m.act(b.update(last-1).Add(time.Second), []byte{sleep})
		}
		b.until(b.update(last - 1).Add(3*storage.DefaultLMax + left))
		for _, m := range sleepers {
			b.leaveTogether(m.bedAt, 2)
		}
		b.until(b.update(last))
		b.replay(last)
		b.until(b.update(last + 1))
		b.replay(last + 1)
		b.until(b.update(last + 1).Add(5 * time.Second))
		for _, o := range b.truth[last+1] {
			if o.Player != nil && !o.Static {
				t.Fatal("a character does not sleep: this test shows nothing")
			}
		}
		for _, r := range b.reports {
			if r.Kind == messages.ForFailure && r.Of > 0 && len(r.Static) > len(sleepers) {
				t.Errorf("left %v after t^s: %d sleepers were told, of %d who fell asleep", left, len(r.Static), len(sleepers))
			}
		}
		if n := b.zonesHoldOf(last+1, func(o *state.Object) bool { return o.Static }); n > 0 {
			t.Errorf("left %v after t^s: %d sleepers are missing in some zone", left, n)
		}
		if n := b.agree(last + 1); n > 0 {
			t.Errorf("left %v after t^s: %d of %d nodes have a wrong state", left, n, len(b.live()))
		}
	}
}
