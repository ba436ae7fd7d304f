package transport

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

type dueTimer struct {
	at    machine.Time
	seq   uint64 // timers for the same time fire in the order they were set
	timer machine.Timer
}

func (a *dueTimer) before(b *dueTimer) bool {
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

// timerHeap is a binary heap of values.
type timerHeap struct {
	a   []dueTimer
	seq uint64
}

// wait returns how long it is until the first timer, false if there is none.
func (h *timerHeap) wait(now machine.Time) (time.Duration, bool) {
	if len(h.a) == 0 {
		return 0, false
	}
	return h.a[0].at.Sub(now), true
}

func (h *timerHeap) push(at machine.Time, t machine.Timer) {
	h.seq++
	h.a = append(h.a, dueTimer{at, h.seq, t})
	i := len(h.a) - 1
	for i > 0 && h.a[i].before(&h.a[(i-1)/2]) {
		h.a[i], h.a[(i-1)/2] = h.a[(i-1)/2], h.a[i]
		i = (i - 1) / 2
	}
}

// pop takes the first timer; the heap must not be empty.
func (h *timerHeap) pop() dueTimer {
	top := h.a[0]
	n := len(h.a) - 1
	h.a[0] = h.a[n]
	h.a = h.a[:n]
	for i := 0; ; {
		c := 2*i + 1
		if c >= n {
			return top
		}
		if c+1 < n && h.a[c+1].before(&h.a[c]) {
			c++
		}
		if !h.a[c].before(&h.a[i]) {
			return top
		}
		h.a[i], h.a[c] = h.a[c], h.a[i]
		i = c
	}
}
