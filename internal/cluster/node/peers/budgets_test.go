package peers

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Each node has a budget of its own, which fills up again; what there is no room for is
// counted.
func TestBudgets(t *testing.T) {
	clock := &stoppedClock{now: machine.Time(time.Hour)}
	c := part.Part{Env: clock, Counts: &part.Counts{}}
	b := NewBudgets(c, &Links{}, 2, 10)
	one, other := &Remote{}, &Remote{}
	if !b.Take(one, 10) || b.Take(one, 1) || !b.Take(other, 1) || c.Counts.Dropped != 1 {
		t.Fatalf("%d dropped", c.Counts.Dropped)
	}
	clock.now = clock.now.Add(time.Second)
	if !b.Take(one, 2) || b.Take(one, 1) || c.Counts.Dropped != 2 {
		t.Errorf("after a second: %d dropped", c.Counts.Dropped)
	}
}

// stoppedClock is an environment of which only the clock is used.
type stoppedClock struct {
	machine.Env
	now machine.Time
}

func (s *stoppedClock) Now() machine.Time { return s.now }
