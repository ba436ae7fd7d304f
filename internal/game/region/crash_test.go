package region

import (
	"testing"
	"time"
)

// scenario is what is done before a crash, and what has to be true after it.
type scenario struct {
	do    func(tick int)
	whole func() // looks at the end, before the crash; may be nil
	check func(events int)
}

// crashes runs a scenario over and over, in a bed of its own each time, and crashes after
// every number of events, at last when all ticks have passed. There must be at least so
// many events.
func crashes(t *testing.T, ticks, least int, begin func(*bed) scenario) {
	t.Helper()
	all := crashAfter(newBed(t), -1, ticks, begin)
	if all < least {
		t.Fatalf("only %d events", all)
	}
	for n := range all {
		crashAfter(newBed(t), n, ticks, begin)
	}
}

// crashAfter crashes after n events, or at the end; it returns how many there were.
func crashAfter(b *bed, n, ticks int, begin func(*bed) scenario) (events int) {
	b.sync = 20 * time.Millisecond
	s := begin(b)
	for i := range ticks {
		s.do(i)
		for end := b.now.Add(TickLength); ; events++ {
			if events == n {
				s.check(events)
				return events
			}
			if !b.step(end) {
				break
			}
		}
	}
	if s.whole != nil {
		s.whole()
	}
	s.check(events)
	return events
}
