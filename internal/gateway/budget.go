package gateway

import "time"

// budget is a token bucket: rate tokens a second, at most burst at a time. It
// begins full.
type budget struct {
	rate, burst float64
	tokens      float64
	at          time.Time
}

func newBudget(rate, burst float64) budget { return budget{rate: rate, burst: burst, tokens: burst} }

// take takes n tokens, or none and reports false if there are too few.
func (b *budget) take(n float64, now time.Time) bool {
	b.fill(now)
	if b.tokens < n {
		return false
	}
	b.tokens -= n
	return true
}

func (b *budget) fill(now time.Time) {
	if !b.at.IsZero() {
		b.tokens = min(b.burst, b.tokens+b.rate*now.Sub(b.at).Seconds())
	}
	b.at = now
}

// full reports that nothing was taken for long.
func (b *budget) full(now time.Time) bool {
	b.fill(now)
	return b.tokens >= b.burst
}
