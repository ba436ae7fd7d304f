// Package simtest is what tests of simulations share.
package simtest

import "testing"

// Long skips a test that simulates for long, if it runs under the race detector:
// a simulation has one goroutine, in which there is nothing for it to find, and
// takes ten times as long. ./check runs these tests without it.
func Long(t *testing.T) {
	t.Helper()
	if race {
		t.Skip("a long simulation, on one goroutine: run it without the race detector")
	}
}
