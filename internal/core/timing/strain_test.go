package timing

import (
	"testing"
	"time"
)

func TestStrain(t *testing.T) {
	const stays = 40
	for _, c := range []struct {
		what  string
		late  func(i int) time.Duration
		turns int // of 1000 timers
	}{
		{"in time", func(int) time.Duration { return 50 * time.Microsecond }, 0},
		{"a little late", func(int) time.Duration { return 7 * time.Millisecond }, 0},
		{"stopped once", func(i int) time.Duration { return time.Duration(i/500*(1-i%500)) * time.Hour }, 0},
		{"late", func(int) time.Duration { return 12 * time.Millisecond }, 1},
		{"every other one late", func(i int) time.Duration { return time.Duration(i%2) * 24 * time.Millisecond }, 1},
		{"late for a while", func(i int) time.Duration {
			if i < 300 {
				return 30 * time.Millisecond
			}
			return 0
		}, 2},
		{"early", func(int) time.Duration { return -time.Hour }, 0},
	} {
		var s Strain
		turns, last := 0, -1000
		for i := range 1000 {
			if s.Note(c.late(i), stays) {
				if i-last <= stays {
					t.Errorf("%s: turned after %d timers", c.what, i-last)
				}
				turns, last = turns+1, i
			}
			if s.On() != (turns%2 == 1) {
				t.Fatalf("%s: on is %t after %d turns", c.what, s.On(), turns)
			}
		}
		if turns != c.turns {
			t.Errorf("%s: turned %d times, want %d", c.what, turns, c.turns)
		}
	}
}
