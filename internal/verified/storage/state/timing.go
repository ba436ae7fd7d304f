package state

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Timing is the update cycle (thesis 5.3.5).
type Timing struct {
	T0       machine.Time
	LMax     time.Duration
	Deviates time.Duration // t_d
}

// NewTiming is the cycle of a world that begins at t_0.
func NewTiming(t0 machine.Time, lmax, deviates time.Duration) Timing {
	return Timing{t0, lmax, deviates}
}

// Interval is I = 5·l_max.
func (t Timing) Interval() time.Duration { return 5 * t.LMax }

// Update is t_i.
func (t Timing) Update(i int64) machine.Time { return t.T0.Add(time.Duration(i) * t.Interval()) }

// Actions is t^a_i = t_i + l_max, later by the deviation of clocks: all actions
// until t_i are stored.
func (t Timing) Actions(i int64) machine.Time { return t.Update(i).Add(t.LMax + t.Deviates) }

// State is t^s_i = t_i + 3·l_max, later by the deviation: everybody has the
// state of t_i.
func (t Timing) State(i int64) machine.Time { return t.Update(i).Add(3*t.LMax + t.Deviates) }

// Of is the update that an action belongs to: t_{of-1} < at <= t_of.
func (t Timing) Of(at machine.Time) int64 {
	d := int64(at.Sub(t.T0))
	n := int64(t.Interval())
	if d <= 0 {
		return 0
	}
	return (d + n - 1) / n
}

// Accepts reports whether an interval is one of those that actions are stored of now:
// the one before, whose update is being made, that of the present, and the next, for
// clocks differ. Of others nobody can make a node keep anything.
func (t Timing) Accepts(of int64, now machine.Time) bool {
	d := of - t.Of(now)
	return d >= -1 && d <= 1
}

// BegunBefore reports whether an interval had begun at a time.
func (t Timing) BegunBefore(of int64, at machine.Time) bool { return at > t.Update(of-1) }

// Late reports whether an action comes too late to be stored: who asks for the
// actions of its interval may have asked already.
func (t Timing) Late(a *Action, now machine.Time) bool { return now > t.Actions(t.Of(a.At)) }
