package lab

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgressOfRuns: once in a while, and short ones not at all.
func TestProgressOfRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []float64
		ctx := withProgress(context.Background(), func(share float64, _ time.Duration) { said = append(said, share) })
		for done := range 100 {
			Progress(ctx, time.Duration(done)*time.Minute, 100*time.Minute)
			time.Sleep(time.Second / 2)
		}
		if want := []float64{0.3, 0.6, 0.9}; !slices.Equal(said, want) {
			t.Errorf("said %v, want %v", said, want)
		}
		Progress(context.Background(), 1, 2) // nobody listens
	})
}
