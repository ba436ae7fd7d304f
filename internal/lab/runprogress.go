package lab

import (
	"context"
	"time"
)

// sayEvery is how often a long run says how far it is.
const sayEvery = 15 * time.Second

type progressKey struct{}

// withProgress lets a run say how far it is, once in a while.
func withProgress(ctx context.Context, say func(share float64, took time.Duration)) context.Context {
	began := time.Now()
	last := began
	return context.WithValue(ctx, progressKey{}, func(share float64) {
		if now := time.Now(); now.Sub(last) >= sayEvery {
			last = now
			say(share, now.Sub(began))
		}
	})
}

// Progress says which share of its simulated time a run has done.
func Progress(ctx context.Context, done, of time.Duration) {
	if say, ok := ctx.Value(progressKey{}).(func(float64)); ok {
		say(done.Seconds() / of.Seconds())
	}
}
