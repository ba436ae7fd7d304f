package vote

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state/statetest"
)

// Several nodes of a zone report the same objects: a majority of versions wins,
// a tie discards the zone's result, a missing object counts as a version (5.3.4).
func TestDuplicatesAreVotedOn(t *testing.T) {
	n := newBare(small, 4, false)
	q := &Poll{Retrieve: messages.Retrieve{Area: overlay.Area{Circle: geom.Circle{R: 1000}}, Of: 1}}
	good, bad, both := statetest.Thing(1, 1), statetest.Thing(1, 2), statetest.Thing(2, 1)
	for _, c := range []struct {
		name string
		in   []*state.Cell
		want []*state.Object // nil: discarded
	}{
		{"all the same", []*state.Cell{state.NewCell([]*state.Object{good}), state.NewCell([]*state.Object{good})}, []*state.Object{good}},
		{"two against one", []*state.Cell{state.NewCell([]*state.Object{good}), state.NewCell([]*state.Object{bad}), state.NewCell([]*state.Object{good})}, []*state.Object{good}},
		{"one against one", []*state.Cell{state.NewCell([]*state.Object{good}), state.NewCell([]*state.Object{bad})}, nil},
		{"one of two misses it", []*state.Cell{state.NewCell([]*state.Object{good, both}), state.NewCell([]*state.Object{both})}, nil},
		{"one of three misses it", []*state.Cell{state.NewCell([]*state.Object{good, both}), state.NewCell([]*state.Object{both}), state.NewCell([]*state.Object{good, both})}, []*state.Object{good, both}},
		{"two of three miss it", []*state.Cell{state.NewCell([]*state.Object{good, both}), state.NewCell([]*state.Object{both}), state.NewCell([]*state.Object{both})}, []*state.Object{both}},
		{"three versions", []*state.Cell{state.NewCell([]*state.Object{good}), state.NewCell([]*state.Object{bad}), state.NewCell([]*state.Object{statetest.Thing(1, 3)})}, nil},
	} {
		out, ok := n.Assemble(q, seenBy(c.in...))
		if ok != (c.want != nil) {
			t.Errorf("%s: discarded %v", c.name, !ok)
			continue
		}
		if ok && !state.SameWithin(nil, out.Seen.Cells[0], state.NewCell(c.want), true) {
			t.Errorf("%s: got %v", c.name, out.Seen.Cells[0].Objects)
		}
	}
}

// An answer of another update time spoils its zone's vote (5.4.1).
func TestOldStateHasNoVote(t *testing.T) {
	n := newBare(small, 4, false)
	q := &Poll{Retrieve: messages.Retrieve{Area: overlay.Area{Circle: geom.Circle{R: 1000}}, Of: 2}}
	if _, ok := n.Assemble(q, seenBy(state.NewCell([]*state.Object{statetest.Thing(1, 1)}))); ok {
		t.Error("a zone with the state of t_1 votes on t_2")
	}
}
