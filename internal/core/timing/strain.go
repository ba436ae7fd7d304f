package timing

import "time"

// Strain tells whether a machine keeps up, by how late its timers are: on one
// that has no room left whatever is due at the same time waits for each other.
// The zero Strain keeps up.
type Strain struct {
	mean time.Duration // of how late timers were, the last ones counting most
	on   bool
	rest int // so many timers on it may change again
}

const (
	// strained is from when on a machine does not keep up, eased until when. What
	// it does about it makes it less late; far apart, the two do not take turns.
	strained = 8 * time.Millisecond
	eased    = 2 * time.Millisecond
	// One timer counts for a share of the mean, and for no more than latest: a
	// machine that was stopped for a while is not strained.
	strainShare = 16
	latest      = 100 * time.Millisecond
)

// Note counts a timer and how late it was. It reports whether On has changed;
// it stays then for the number of timers that the caller gives.
func (s *Strain) Note(late time.Duration, stays int) (changed bool) {
	s.mean += (min(max(late, 0), latest) - s.mean) / strainShare
	if s.rest > 0 {
		s.rest--
		return false
	}
	if s.on && s.mean >= eased || !s.on && s.mean < strained {
		return false
	}
	s.on, s.rest = !s.on, stays
	return true
}

// On reports whether there is more to do than can be done in time.
func (s *Strain) On() bool { return s.on }
