package sim

import (
	"math"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// Clocks says how nodes' clocks go wrong and are set right (thesis 6.1.4): each
// runs at a rate of its own and is set by something like NTP from time to time.
// A clock that is behind jumps; one that is ahead goes slowly for as long as it
// is ahead, so that it never goes back.
type Clocks struct {
	Drift, MaxDrift float64       // σ of the rate around 1, and its bound
	Every           time.Duration // of the clock itself between two settings
	Accuracy        time.Duration // σ of what the setting is wrong by
}

// ThesisClocks returns the parameters of the thesis (6.2.2).
func ThesisClocks() *Clocks {
	return &Clocks{Drift: 0.001, MaxDrift: 0.01, Every: 10 * time.Second, Accuracy: 3 * time.Millisecond}
}

// slow is how fast a clock goes that is ahead ("drastically reduced").
const slow = 0.1

// clock is a node's clock. It is a piecewise line and brought up to date when it
// is read: setting it costs no events.
type clock struct {
	cfg   *Clocks
	rand  rng.Rand
	rate  float64
	at    machine.Time // true time of the last piece's beginning
	local machine.Time // what it showed then
	until machine.Time // true time until which it goes slowly
	set   machine.Time // true time of the next setting
}

func newClock(cfg *Clocks, now machine.Time, r rng.Rand) clock {
	c := clock{cfg: cfg, rand: r, at: now, local: now}
	d := cfg.Drift * normal(&c.rand)
	c.rate = 1 + max(-cfg.MaxDrift, min(cfg.MaxDrift, d))
	c.adjust(now)
	return c
}

// read returns what the clock shows at a true time, never less than before.
func (c *clock) read(now machine.Time) machine.Time {
	for c.set <= now {
		c.advance(c.set)
		c.adjust(c.at)
	}
	c.advance(now)
	return c.local
}

// advance moves the beginning of the last piece to t.
func (c *clock) advance(t machine.Time) {
	if slowEnd := min(t, c.until); slowEnd > c.at {
		c.local += machine.Time(float64(slowEnd-c.at) * c.rate * slow)
		c.at = slowEnd
	}
	if t > c.at {
		c.local += machine.Time(float64(t-c.at) * c.rate)
		c.at = t
	}
}

// adjust sets the clock.
func (c *clock) adjust(now machine.Time) {
	right := now.Add(time.Duration(normal(&c.rand) * float64(c.cfg.Accuracy)))
	if right >= c.local {
		c.local, c.until = right, now
	} else {
		c.until = now.Add(c.trueTime(c.local.Sub(right)))
	}
	c.set = now.Add(c.trueTime(c.cfg.Every))
}

// trueTime is how long a local timer takes: timers follow the drift alone.
func (c *clock) trueTime(local time.Duration) time.Duration {
	return time.Duration(float64(local) / c.rate)
}

// normal draws from the standard normal distribution (Box and Muller).
func normal(r *rng.Rand) float64 {
	return math.Sqrt(-2*math.Log(1-r.Float64())) * math.Cos(2*math.Pi*r.Float64())
}
