package lab

import (
	"context"
	"time"
)

// Sleep waits; its error says that it was interrupted.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// Duration is a time that a setting gives in seconds.
func Duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
