package clock

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// system is a machine's clocks for tests.
type fake struct {
	mono, wall, slept time.Duration
	knows             bool
}

func (s *fake) clock() *Clock {
	return newClock(system{
		mono:   func() time.Duration { return s.mono },
		wall:   func() time.Duration { return s.wall },
		asleep: func() (time.Duration, bool) { return s.slept, s.knows },
	})
}

func (s *fake) pass(d time.Duration) { s.mono += d; s.wall += d }

// sleep: whoever looks does so a moment after the machine has woken up.
func (s *fake) sleep(d time.Duration) { s.pass(look); s.wall += d - look; s.slept += d - look }

// since checks how far the clock went while something happened.
func since(t *testing.T, what string, c *Clock, want time.Duration, do func()) {
	t.Helper()
	before := c.Now()
	do()
	if got := c.Now().Sub(before); got != want {
		t.Errorf("%s: the clock went %v, want %v", what, got, want)
	}
}

func TestClockFollowsTheMonotonicClock(t *testing.T) {
	s := &fake{wall: 1000 * time.Hour}
	c := s.clock()
	if c.Now() != machine.Time(1000*time.Hour) {
		t.Errorf("it begins at %v", c.Now())
	}
	since(t, "an hour", c, time.Hour, func() { s.pass(time.Hour) })
	since(t, "the wall clock set back", c, look, func() { s.pass(look); s.wall -= time.Hour })
	since(t, "after that", c, time.Second, func() { s.pass(time.Second) })
	since(t, "the wall clock slewed", c, look, func() { s.pass(look); s.wall += jump - 1 })
}

func TestClockJumpsAfterSleep(t *testing.T) {
	for _, knows := range []bool{true, false} {
		s := &fake{wall: 1000 * time.Hour, knows: knows, slept: 5 * time.Hour}
		c := s.clock()
		since(t, "a night", c, 8*time.Hour+time.Minute, func() { s.pass(time.Minute); s.sleep(8 * time.Hour) })
		if c.Sleeps() != 1 {
			t.Errorf("slept %d times", c.Sleeps())
		}
		select {
		case <-c.Woken():
		default:
			t.Error("nobody was told")
		}
		since(t, "a second night", c, time.Hour, func() { s.sleep(time.Hour) })
	}
	s := &fake{knows: true}
	c := s.clock()
	since(t, "the wall clock set on", c, look, func() { s.pass(look); s.wall += time.Hour })
	since(t, "asleep after that", c, time.Hour, func() { s.sleep(time.Hour) })
	if c.Sleeps() != 1 {
		t.Errorf("slept %d times", c.Sleeps())
	}
}

func TestClockIsSlewed(t *testing.T) {
	for _, c := range []struct {
		name          string
		offset        time.Duration
		pass, want    time.Duration
		rest, settled time.Duration // settled: after an hour more
	}{
		{"a little behind", 100 * time.Millisecond, 10 * time.Second, 10*time.Second + 50*time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond},
		{"a little ahead", -100 * time.Millisecond, 10 * time.Second, 10*time.Second - 50*time.Millisecond, -50 * time.Millisecond, -100 * time.Millisecond},
		{"far behind", time.Minute, 10 * time.Second, 10*time.Second + time.Minute, 0, time.Minute},
		{"behind", 30 * time.Second, 10 * time.Second, 10*time.Second + 500*time.Millisecond, 29*time.Second + 500*time.Millisecond, 30 * time.Second},
		{"far ahead", -time.Minute, 10 * time.Second, 9*time.Second + 500*time.Millisecond, -59*time.Second - 500*time.Millisecond, -time.Minute},
		{"right", 0, 10 * time.Second, 10 * time.Second, 0, 0},
	} {
		s := &fake{}
		k := s.clock()
		since(t, c.name, k, c.want, func() { k.Adjust(c.offset); s.pass(c.pass) })
		if k.Rest() != c.rest {
			t.Errorf("%s: %v is left, want %v", c.name, k.Rest(), c.rest)
		}
		for range 3600 {
			before := k.Now()
			s.pass(time.Second)
			if k.Now() < before {
				t.Fatalf("%s: the clock goes back", c.name)
			}
		}
		if got := k.Now().Sub(machine.Time(s.mono)); got != c.settled {
			t.Errorf("%s: after an hour it is off by %v, want %v", c.name, got, c.settled)
		}
	}
	s := &fake{}
	k := s.clock()
	k.Set(-time.Hour)
	if k.Now() != machine.Time(-time.Hour) {
		t.Errorf("set back an hour: %v", k.Now())
	}
}

func TestRealClock(t *testing.T) {
	c := New()
	last := c.Now()
	if d := time.Duration(time.Now().UnixNano() - int64(last)).Abs(); d > time.Hour {
		t.Errorf("%v away from the system's clock", d)
	}
	for range 1000 {
		now := c.Now()
		if now < last {
			t.Fatal("the clock goes back")
		}
		last = now
	}
	if _, known := asleep(); known && c.Sleeps() != 0 {
		t.Error("it slept")
	}
}

func BenchmarkNow(b *testing.B) {
	c := New()
	for b.Loop() {
		c.Now()
	}
}
