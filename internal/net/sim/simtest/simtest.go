// Package simtest is what tests of simulations share.
package simtest

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
)

// Long skips a test that simulates for long under the race detector: a simulation
// has one goroutine, in which the detector finds nothing and which it makes ten
// times slower. So it does a test that starts real nodes by the dozen: two cores do
// not carry them with it. ./check runs these tests without it. It also skips the test in
// short mode. The names of such tests begin with TestLong.
func Long(t *testing.T) {
	t.Helper()
	slowtest.Skip(t, "a long simulation: run it without -short")
	if race {
		t.Skip("a long simulation, on one goroutine: run it without the race detector")
	}
}
