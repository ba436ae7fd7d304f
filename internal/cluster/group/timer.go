package group

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// timer is the replica's one timer.
type timer struct {
	component

	armed machine.Time // 0: it is not set
	gen   uint32
}

// fired reports whether a timer is the one that was set last, and unsets it.
func (t *timer) fired(is machine.Timer) bool {
	if is.Gen != t.gen {
		return false
	}
	t.armed = 0
	return true
}

// set sets the timer to the earliest of some times, of which 0 means never. A timer
// that fires earlier stays.
func (t *timer) set(times ...machine.Time) {
	next := forever
	for _, at := range times {
		if at > 0 {
			next = min(next, at)
		}
	}
	if next == forever {
		return
	}
	next = max(next, t.now().Add(time.Millisecond)) // clocks may stand still for a moment
	if t.armed != 0 && t.armed <= next {
		return
	}
	t.armed = next
	t.gen++
	t.env.SetTimer(next, machine.Timer{Gen: t.gen})
}
