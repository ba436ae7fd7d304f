// Package clock is the time of a node: the real clock, set right by NTP or, where
// there is none, by the median of the neighbours (the thesis
// asks for clocks within 10 ms, 3.2).
//
// Invariants:
//   - the clock never goes back: one that is ahead runs slower until it is right;
//   - one that is behind runs faster, so that no tick is left out. It jumps after
//     the machine was suspended, when that time has really passed, and if it is
//     behind by more than a minute;
//   - slewed clocks differ by less than the tenth that leases of groups allow for
//     (docs/protocols/group.md).
//   - that somebody sets the system's clock changes nothing by itself.
package clock

import (
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

const (
	// jump is the lead of the wall clock that shows that the machine was suspended.
	jump = time.Second
	// slew is the share by which the clock runs faster or slower while it is
	// corrected; fast is the share if it is off by more than far. One clock that
	// runs faster by fast and one that runs slower by it differ by a tenth.
	slew, fast = 200, 20
	far        = time.Second
	// step is the correction from which on a clock that is behind jumps: to be
	// slewed it would take twenty minutes and more.
	step = time.Minute
	// look is how often the wall clock is looked at.
	look = 10 * time.Millisecond
)

// Clock is a node's clock. It may be read from any goroutine.
type Clock struct {
	sys system

	mu     sync.Mutex
	now    machine.Time
	mono   time.Duration // when now was it
	looked time.Duration // when the wall clock was looked at; skew was its lead
	skew   time.Duration
	total  time.Duration // asleep since the machine started, when it was last asked
	rest   time.Duration // correction that is still to be made
	sleeps uint64
	woken  chan struct{}
}

// New returns a clock that begins with the system's time.
func New() *Clock {
	start := time.Now()
	return newClock(system{
		mono:   func() time.Duration { return time.Since(start) },
		wall:   func() time.Duration { return time.Duration(time.Now().UnixNano()) },
		asleep: asleep,
	})
}

// system are the clocks of a machine: the monotonic one, the wall clock (since
// 1970), and how long it was suspended altogether, if the system knows.
type system struct {
	mono, wall func() time.Duration
	asleep     func() (total time.Duration, known bool)
}

func newClock(sys system) *Clock {
	c := &Clock{sys: sys, woken: make(chan struct{}, 1)}
	c.mono = sys.mono()
	c.looked, c.now = c.mono, machine.Time(sys.wall())
	c.skew = time.Duration(c.now) - c.mono
	c.total, _ = sys.asleep()
	return c
}

// Now is the time.
func (c *Clock) Now() machine.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tick()
}

func (c *Clock) tick() machine.Time {
	mono := c.sys.mono()
	passed := mono - c.mono
	c.mono = mono
	if mono-c.looked >= look {
		passed += c.compare()
	}
	if c.rest != 0 {
		passed += c.correction(passed)
	}
	c.now += machine.Time(passed)
	return c.now
}

// compare looks at the wall clock: what it ran ahead by at once the machine may
// have slept.
func (c *Clock) compare() time.Duration {
	skew := c.sys.wall() - c.mono
	gap := skew - c.skew
	c.looked, c.skew = c.mono, skew
	if gap < jump {
		return 0
	}
	return c.slept(gap)
}

// slept returns how long the machine was suspended: the monotonic clock of most
// systems stands still meanwhile. gap is how far the wall clock ran ahead of it,
// which may also mean that somebody has set that one: a system that knows better
// is asked. A wall clock that was set back shows no gap.
func (c *Clock) slept(gap time.Duration) time.Duration {
	if total, known := c.sys.asleep(); known {
		gap = total - c.total
		c.total = total
	}
	if gap < jump {
		return 0
	}
	c.sleeps++
	select {
	case c.woken <- struct{}{}:
	default: // told already
	}
	return gap
}

// correction is what of the rest is made up for in a time that has passed.
func (c *Clock) correction(passed time.Duration) time.Duration {
	most := passed / slew
	if c.rest.Abs() > far {
		most = passed / fast
	}
	d := max(-most, min(most, c.rest))
	c.rest -= d
	return d
}

// Adjust corrects the clock by an offset that was measured just now: what must be
// added to it. What is left of an earlier correction is forgotten.
func (c *Clock) Adjust(offset time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tick()
	c.rest = offset
	if offset >= step {
		c.now += machine.Time(offset)
		c.rest = 0
	}
}

// Set corrects the clock at once, also backwards: for before a node starts.
func (c *Clock) Set(offset time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.tick() + machine.Time(offset)
	c.rest = 0
}

// Rest is the correction that is still to be made.
func (c *Clock) Rest() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rest
}

// Sleeps is how often the machine was suspended.
func (c *Clock) Sleeps() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sleeps
}

// Woken gets a value after the machine was suspended, once the clock was read.
func (c *Clock) Woken() <-chan struct{} { return c.woken }
