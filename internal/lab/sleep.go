package lab

import (
	"context"
	"time"
)

// sleep waits; its error says that it was interrupted.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// duration is a time that a setting gives in seconds.
func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
