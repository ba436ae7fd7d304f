package transport

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestTimersAfterSleep: the machine is suspended while the loop waits for a
// timer. The system's timers stand still meanwhile, so the loop must look at its
// clock by itself.
func TestTimersAfterSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asleep atomic.Int64
		began := time.Now()
		clock := func() machine.Time { return machine.Time(int64(time.Since(began)) + asleep.Load()) }
		fired := make(chan machine.Time, 1)
		f := &fake{}
		f.start = func() { f.env.SetTimer(machine.Time(2*time.Hour), machine.Timer{}) }
		f.timer = func(machine.Timer) { fired <- f.env.Now() }
		l := start(t, f, Config{Clock: clock})
		time.Sleep(time.Minute)
		select {
		case <-fired:
			t.Fatal("the timer is early")
		default:
		}
		asleep.Store(int64(8 * time.Hour))
		time.Sleep(longestSleep)
		synctest.Wait()
		select {
		case now := <-fired:
			if now < machine.Time(8*time.Hour) {
				t.Errorf("it fired at %v", time.Duration(now))
			}
		default:
			t.Error("the timer is late")
		}
		l.Stop()
	})
}
