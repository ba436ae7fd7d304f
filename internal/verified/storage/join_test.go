package storage

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// A neighbour that has just come itself pushes nothing: what nobody has told of is
// not empty, it is not known (5.4.1).
func TestWhatNobodyHasPushedIsNotKnown(t *testing.T) {
	w := state.World{Side: 10_000, Cell: 1000}
	box := func(x0, x1 int32) geom.Polygon {
		return geom.Rect{Min: geom.Point{X: x0}, Max: geom.Point{X: x1, Y: 2000}}.Polygon(nil)
	}
	n := newNode(part.Part{World: w}, Config{Protocol: ProtocolHardened})
	n.area.Now.Cell = box(0, 4000)
	left, right := &messages.Push{Area: overlay.Area{Polygon: box(0, 2000)}}, &messages.Push{Area: overlay.Area{Polygon: box(2001, 4000)}}
	left.Seen = state.NewSnapshot(3, []*state.Object{{ID: 1, Pos: geom.Point{X: 500, Y: 500}}}, w)
	n.transfer.pushes = []*messages.Push{left, right}
	s := n.transfer.mergePushes()
	if s == nil || s.Of != 3 || s.Covers(0, 0, w.Cell) == state.Outside || len(s.At(0, 0).Objects) != 1 {
		t.Fatalf("the part that was pushed is not there: %+v", s)
	}
	if how := s.Covers(3, 0, w.Cell); how != state.Outside {
		t.Errorf("the cell that nobody has pushed counts as known (%v)", how)
	}
}

// A character that two zones of four do not know to be woken is not: those who know
// it leave it asleep, so that all zones hold the same. While a zone has not answered
// it may be.
func TestWhomTooFewHaveWoken(t *testing.T) {
	o := thing(1, 1)
	for _, c := range []struct {
		over  [4]bool
		wakes bool
	}{
		{[4]bool{true, true, true, true}, false},
		{[4]bool{true, true, true, false}, false},
		{[4]bool{true, false, true, false}, true},
		{[4]bool{true, false, false, false}, true},
	} {
		n := newNode(part.Part{World: state.World{Side: 1000, Cell: 1000}, Space: overlay.SpaceFor(4)}, Config{Protocol: ProtocolHardened})
		n.dormant.static = map[state.ObjectID]*state.Object{1: o}
		n.dormant.activated = []activation{{1, o}}
		n.replica.state = &state.Snapshot{Of: 1, Activated: []*state.Object{o}}
		q := &query{Retrieve: messages.Retrieve{Of: 1, Area: overlay.Area{Circle: geom.Circle{R: 1000}}}, zones: make([]zoneAnswer, 4)}
		for zone, over := range c.over {
			z := seenBy(&state.Cell{})
			if zone == 0 || zone == 3 {
				z.results[0].Seen.Activated = []*state.Object{o}
			}
			if over {
				q.zones[zone] = *z
				q.zones[zone].over = true
			}
		}
		woken, _ := n.ballot.countActivated(q)
		if got := len(woken) == 1; got != c.wakes {
			t.Errorf("zones %v have answered: woken %v, want %v", c.over, got, c.wakes)
		}
		if n.dormant.dropActivated(&state.Snapshot{Of: 1, Activated: woken}); (n.dormant.static[1] == nil) != c.wakes || len(n.dormant.activated) > 0 {
			t.Errorf("zones %v have answered: sleeps %v", c.over, n.dormant.static[1] != nil)
		}
	}
}
