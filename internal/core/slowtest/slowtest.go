// Package slowtest leaves slow tests out of short runs.
package slowtest

import "testing"

// Skip skips a test in short mode; why says what takes its time.
func Skip(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip(why)
	}
}
