package transport

import (
	"context"

	"github.com/voxelpopuli/voxelpopuli/internal/core/timing"
)

// Histogram counts durations.
type Histogram = timing.Histogram

// stats are the loop's own counters.
type stats struct {
	late, timer, event, job Histogram
	received, sent, tooSlow uint64
	inbox                   int
	running                 int
}

// Stats says how a loop does, since it was started.
type Stats struct {
	Late     Histogram // how late timers (ticks) fired
	Timer    Histogram // how long handling a timer (a tick) took
	Event    Histogram // how long handling anything else took
	Job      Histogram // how long jobs took, from Do to OnDone
	Links    int       // sessions
	Timers   int       // timers that are set
	Jobs     int       // given and not done
	Inbox    int       // the most events that waited at once
	Received uint64    // messages from sessions
	Sent     uint64    // messages to sessions
	TooSlow  uint64    // links that failed because their session did not read
}

// Stats reads the loop's figures.
func (l *Loop) Stats(ctx context.Context) (Stats, error) {
	var s Stats
	err := l.Call(ctx, func() {
		c := &l.stats
		s = Stats{
			Late: c.late, Timer: c.timer, Event: c.event, Job: c.job,
			Links: len(l.links), Timers: len(l.timers.a), Jobs: c.running, Inbox: c.inbox,
			Received: c.received, Sent: c.sent, TooSlow: c.tooSlow,
		}
	})
	return s, err
}
