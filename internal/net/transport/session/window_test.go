package session

import (
	"math/rand/v2"
	"testing"
)

// TestWindow compares the window with a set of all numbers that have come.
func TestWindow(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		var w window
		came := map[uint64]bool{}
		var top uint64
		for range 5000 {
			var n uint64
			switch r.IntN(20) {
			case 0:
				n = top + r.Uint64N(3*windowSize)
			default:
				n = top + 40 - min(top+40, r.Uint64N(windowSize+200))
			}
			old := n+windowSize-64 < top+1
			if got, want := w.fresh(n), !came[n] && !old; got != want && len(came) > 0 {
				t.Fatalf("seed %d: %d with highest %d: fresh is %v, want %v", seed, n, top, got, want)
			}
			if w.fresh(n) {
				w.note(n)
				came[n] = true
				top = max(top, n)
			}
		}
	}
}
