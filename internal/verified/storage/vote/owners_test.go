package vote

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state/statetest"
)

// Who claims a cell that others hold, by where they stand who have answered, has no say
// about it, even where few have answered; where none of those knows it, who stands
// nearest has.
func TestWhoHoldsACellDecides(t *testing.T) {
	good, bad := statetest.CellOf(1), statetest.CellOf(2)
	type answer struct {
		zone int
		x    int32 // where it stands
		cell *state.Cell
	}
	for _, c := range []struct {
		name string
		all  []answer
		want *state.Cell // nil: not decided
	}{
		{"members hold the cell in two zones, and claim it in a third one", []answer{
			{0, 500, good}, {0, 3500, nil}, {0, 6500, bad}, {1, 500, bad}, {2, 500, good}, {3, 500, bad},
		}, nil},
		{"they claim it in two zones beside a holder, in a third one alone", []answer{
			{0, 500, good}, {0, 3500, nil}, {0, 6500, bad}, {1, 500, good}, {1, 3500, nil}, {1, 6500, bad}, {2, 500, good}, {3, 6500, bad},
		}, good},
		{"who holds it does not know it", []answer{
			{0, 500, nil}, {0, 6500, good}, {1, 500, nil}, {1, 6500, good}, {2, 500, good}, {3, 500, bad},
		}, good},
	} {
		n := newBare(state.World{Side: 10_000, Cell: 1000}, 4, true)
		q := &Poll{Retrieve: messages.Retrieve{Of: 1}, Zones: make([]Zone, 4)}
		for i, a := range c.all {
			r := statetest.Answers(a.cell)[0]
			r.Seen.Whole = true
			if a.cell == nil {
				r.Seen.MarkUnsure(0, 0)
			}
			r.Around = &messages.Around{Self: &overlay.Contact{ID: id.ID{byte(i + 1)}, Pos: n.Places.Key(geom.Point{X: a.x, Y: 500}, a.zone)}}
			q.Zones[a.zone].Results = append(q.Zones[a.zone].Results, r)
		}
		got, _, how := n.countOwners(q, 0, 0)
		if (how == elected) != (c.want != nil) || how == elected && got != c.want {
			t.Errorf("%s: %v, %d", c.name, got, how)
		}
	}
}

// Of what sleeps in a zone those tell who stand nearest of all that have answered, but who
// has just come and asks itself takes nothing from them.
func TestWhoStandsNearestTellsWhoSleeps(t *testing.T) {
	real, made := statetest.Thing(1, 1), statetest.Thing(1, 2)
	for _, asks := range []bool{false, true} {
		n := newBare(state.World{Side: 10_000, Cell: 1000}, 4, true)
		q := &Poll{Retrieve: messages.Retrieve{Kind: messages.ForJoin}, Zones: make([]Zone, 4)}
		answer := func(zone int, x int32, asking bool, o ...*state.Object) {
			at := n.Places.KeyBeyond(geom.Point{X: x}, zone)
			r := &messages.Result{Around: &messages.Around{Self: &overlay.Contact{ID: id.ID{byte(zone), byte(x >> 8), byte(x)}, Pos: at}}, Static: o, Asking: asking}
			q.Zones[zone].Results = append(q.Zones[zone].Results, r)
			q.Zones[zone].Over = true
		}
		for zone := range 4 {
			if asks {
				answer(zone, 100, true) // it has just come
			}
			answer(zone, 9000, false, made)
			answer(zone, 500, false, real)
		}
		out, _, _ := n.countStatic(q)
		if len(out.Static) != 1 || out.Static[0] != real {
			t.Errorf("somebody who asks stands nearest %v: %v", asks, out.Static)
		}
	}
}
