package transport

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestTicksDoNotDrift runs a machine that ticks 20 times a second as regions
// do, the next tick counted from the epoch: handling takes time, a stall skips
// ticks, and neither moves the later ones.
func TestTicksDoNotDrift(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const length = 50 * time.Millisecond
		var epoch machine.Time
		var ticks []uint64
		f := &fake{}
		next := func() {
			n := uint64(f.env.Now().Sub(epoch)/length) + 1
			f.env.SetTimer(epoch.Add(time.Duration(n)*length), machine.Timer{Arg: n})
		}
		f.start = func() { epoch = f.env.Now(); next() }
		f.timer = func(tm machine.Timer) {
			ticks = append(ticks, tm.Arg)
			switch tm.Arg {
			case 100:
				time.Sleep(time.Second) // a stall: 20 ticks are missed
			default:
				time.Sleep(30 * time.Millisecond)
			}
			next()
		}
		l := start(t, f, Config{})
		time.Sleep(10*time.Second + time.Millisecond)
		s, err := l.Stats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		l.Stop()
		if last := ticks[len(ticks)-1]; last != 200 {
			t.Errorf("the last tick is %d, want 200", last)
		}
		if n := len(ticks); n < 179 || n > 181 {
			t.Errorf("%d ticks, want 180: those of the stall are skipped", n)
		}
		if s.Late.Quantile(0.9) > time.Millisecond {
			t.Errorf("ticks are late by %v", s.Late.Quantile(0.9))
		}
		if q := s.Timer.Quantile(0.5); q < 30*time.Millisecond || q > 34*time.Millisecond {
			t.Errorf("a tick takes %v, want 30 ms", q)
		}
		if s.Timer.Max != time.Second {
			t.Errorf("the longest tick took %v", s.Timer.Max)
		}
	})
}
