package storage

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Whoever asks again and again is given a few times what a node holds in an interval; that
// is no matter of others, and another interval begins anew.
func TestBudget(t *testing.T) {
	var b budget
	greedy, other := id.ID{1}, id.ID{2}
	const held = 500
	given := 0
	for range 100 {
		if b.grants(greedy, 7, held, held) {
			given++
		}
	}
	if want := timesHeld + questionsFree/held; given != want {
		t.Errorf("all that a node holds was given %d times, want %d", given, want)
	}
	if !b.grants(other, 7, held, held) {
		t.Error("who has asked for nothing yet gets nothing")
	}
	if !b.grants(greedy, 8, held, held) {
		t.Error("in the next interval nothing is given")
	}
}
