package timing

import "time"

// Span is how long a Window remembers at the least; at most twice that.
const Span = time.Minute

// Window counts the durations of the last one to two minutes. Its clock is the
// caller's and must not go back.
type Window struct {
	since       time.Duration // when now began
	now, before Histogram
}

// Add counts a duration at a time.
func (w *Window) Add(at, took time.Duration) {
	w.turn(at)
	w.now.Add(took)
}

// Recent returns what was counted lately.
func (w *Window) Recent(at time.Duration) Histogram {
	w.turn(at)
	h := w.before
	h.Merge(&w.now)
	return h
}

func (w *Window) turn(at time.Duration) {
	switch passed := at - w.since; {
	case passed < Span:
		return
	case passed < 2*Span:
		w.before = w.now
	default:
		w.before = Histogram{}
	}
	w.now = Histogram{}
	w.since = at - at%Span
}
