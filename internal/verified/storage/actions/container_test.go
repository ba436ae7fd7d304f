package actions

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// The action container holds a player's actions in order, once each, and forgets
// them when no update needs them (5.3.3, 5.4.1).
func TestActionContainer(t *testing.T) {
	var c container
	memo := state.NewReplayCache()
	p := &state.Player{ID: id.ID{7}}
	for _, seq := range []uint64{3, 1, 2, 2, 3} {
		c.add(1, &state.Action{Player: p, Seq: seq, At: machine.Time(seq)})
	}
	b := c.stored(p, 1, memo)
	if len(b.Actions) != 3 || b.Actions[0].Seq != 1 || b.Actions[1].Seq != 2 || b.Actions[2].Seq != 3 {
		t.Errorf("batch %v", b.Actions)
	}
	var other container
	other.merge(b)
	if other.stored(p, 1, memo) != b {
		t.Error("replicas of a simulation do not share a batch")
	}
	c.forget(2)
	if none := c.stored(p, 1, memo); len(none.Actions) != 0 || len(c.order) != 0 {
		t.Error("actions of before the last update are kept")
	}
}
