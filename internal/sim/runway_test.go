package sim

import (
	"slices"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
)

// TestAgenda: events come by their times, those of one time in the order in which
// they were pushed, also if they are pushed while later ones are on the runway.
func TestAgenda(t *testing.T) {
	for seed := range uint64(100) {
		draw := rng.New(seed, 1)
		var a agenda
		var want []due // what is to come
		var now machine.Time
		for seq := uint64(0); seq < 2000 || len(want) > 0; {
			for k := draw.Intn(6); k > 0 && seq < 2000; k-- {
				d := due{at: now + machine.Time(draw.Intn(40)), seq: seq}
				a.push(d)
				want = append(want, d)
				seq++
			}
			if len(want) == 0 {
				if a.next() != nil {
					t.Fatalf("seed %d: an event that was not pushed", seed)
				}
				continue
			}
			a.refill()
			first := slices.MinFunc(want, func(d, e due) int {
				if d.before(&e) {
					return -1
				}
				return 1
			})
			seen := *a.next()
			if got := a.take(); got != first || seen != first {
				t.Fatalf("seed %d: took %v, was shown %v, want %v", seed, got, seen, first)
			}
			now = first.at
			want = slices.DeleteFunc(want, func(d due) bool { return d == first })
		}
	}
}
