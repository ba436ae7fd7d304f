package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestSilence: a leader that speaks each tick is missed after half a second, one
// that has nothing to say but once a second only when it has missed that, and
// one that had much to say lately soon again.
func TestSilence(t *testing.T) {
	f := &peers.Remote{}
	now := machine.Time(time.Hour)
	hear := func(every time.Duration, times int) {
		for range times {
			now = now.Add(every)
			f.RecordHeard(now)
		}
	}
	missed := func(want time.Duration) {
		t.Helper()
		for _, c := range []struct {
			after time.Duration
			is    bool
		}{{want - time.Millisecond, false}, {want, true}, {time.Hour, true}} {
			if f.IsSilent(now.Add(c.after)) != c.is {
				t.Errorf("silent for %v: missed: %v", c.after, !c.is)
			}
		}
	}
	hear(50*time.Millisecond, 100)
	missed(peers.SilentAfter)
	hear(time.Second, 1)
	missed(1500 * time.Millisecond)
	hear(50*time.Millisecond, 20)
	missed(peers.SilentAfter)
	for range 10 { // two regions that speak once a second
		hear(100*time.Millisecond, 1)
		hear(900*time.Millisecond, 1)
	}
	missed(1350 * time.Millisecond)
	hear(time.Minute, 1)
	missed(peers.SilentAtMost)
}
