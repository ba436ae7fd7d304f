package state

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// The influence radius of the thesis' scenario is 100 m (6.4.1).
func TestReach(t *testing.T) {
	w := World{Speed: 600, Range: 4000}
	if got := w.Reach(10 * time.Second); got != 10000 {
		t.Fatalf("reach %d cm, want 10000", got)
	}
}

func TestActionsAreReplayedByTimePlayerAndNumber(t *testing.T) {
	a, b := &Player{ID: id.ID{1}}, &Player{ID: id.ID{2}}
	ordered := []*Action{
		{Player: b, Seq: 9, At: 1},
		{Player: a, Seq: 1, At: 2}, {Player: a, Seq: 2, At: 2},
		{Player: b, Seq: 0, At: 2},
		{Player: a, Seq: 0, At: 3},
	}
	for i, x := range ordered {
		for j, y := range ordered {
			if x.Before(y) != (i < j) {
				t.Errorf("%d before %d: %v", i, j, x.Before(y))
			}
		}
	}
}
