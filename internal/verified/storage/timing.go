package storage

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// timing is the update cycle (thesis 5.3.5).
type timing struct {
	t0       machine.Time
	lmax     time.Duration
	deviates time.Duration // t_d
}

// newTiming is the cycle of a world that begins at t_0.
func newTiming(t0 machine.Time, lmax, deviates time.Duration) timing {
	return timing{t0, lmax, deviates}
}

// interval is I = 5·l_max.
func (t timing) interval() time.Duration { return 5 * t.lmax }

// update is t_i.
func (t timing) update(i int64) machine.Time { return t.t0.Add(time.Duration(i) * t.interval()) }

// actions is t^a_i = t_i + l_max, later by the deviation of clocks: all actions
// until t_i are stored.
func (t timing) actions(i int64) machine.Time { return t.update(i).Add(t.lmax + t.deviates) }

// state is t^s_i = t_i + 3·l_max, later by the deviation: everybody has the
// state of t_i.
func (t timing) state(i int64) machine.Time { return t.update(i).Add(3*t.lmax + t.deviates) }

// of is the update that an action belongs to: t_{of-1} < at <= t_of.
func (t timing) of(at machine.Time) int64 {
	d := int64(at.Sub(t.t0))
	n := int64(t.interval())
	if d <= 0 {
		return 0
	}
	return (d + n - 1) / n
}

// accepts reports whether an interval is one of those that actions are stored of now:
// the one before, whose update is being made, that of the present, and the next, for
// clocks differ. Of others nobody can make a node keep anything.
func (t timing) accepts(of int64, now machine.Time) bool {
	d := of - t.of(now)
	return d >= -1 && d <= 1
}

// begunBefore reports whether an interval had begun at a time.
func (t timing) begunBefore(of int64, at machine.Time) bool { return at > t.update(of-1) }

// late reports whether an action comes too late to be stored: who asks for the
// actions of its interval may have asked already.
func (t timing) late(a *Action, now machine.Time) bool { return now > t.actions(t.of(a.At)) }
