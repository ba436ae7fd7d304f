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
		zone  int
		x     int32 // where it stands
		cell  *state.Cell
		names []int32 // where its neighbours stand
	}
	for _, c := range []struct {
		name string
		all  []answer
		want *state.Cell // nil: not decided
	}{
		{"members hold the cell in two zones, and claim it in a third one", []answer{
			{0, 500, good, nil}, {0, 3500, nil, nil}, {0, 6500, bad, nil}, {1, 500, bad, nil}, {2, 500, good, nil}, {3, 500, bad, nil},
		}, nil},
		{"they claim it in two zones beside a holder, in a third one alone", []answer{
			{0, 500, good, nil}, {0, 3500, nil, nil}, {0, 6500, bad, nil}, {1, 500, good, nil}, {1, 3500, nil, nil}, {1, 6500, bad, nil}, {2, 500, good, nil}, {3, 6500, bad, nil},
		}, good},
		{"beside a holder, who names others that have not answered", []answer{
			{0, 500, good, []int32{1500}}, {0, 2600, bad, nil}, {1, 500, bad, nil}, {2, 500, good, nil}, {3, 500, bad, nil},
		}, nil},
		{"the same, and nobody is named", []answer{
			{0, 500, good, nil}, {0, 2600, bad, nil}, {1, 500, bad, nil}, {2, 500, good, nil}, {3, 500, bad, nil},
		}, bad},
		{"who stands farther away is not believed about who stands there", []answer{
			{0, 3000, good, nil}, {0, 9000, bad, []int32{2900}}, {1, 500, good, nil}, {2, 500, bad, nil}, {3, 500, bad, nil},
		}, nil},
		{"who holds it does not know it", []answer{
			{0, 500, nil, nil}, {0, 6500, good, nil}, {1, 500, nil, nil}, {1, 6500, good, nil}, {2, 500, good, nil}, {3, 500, bad, nil},
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
			contact := func(name byte, x int32) *overlay.Contact {
				return &overlay.Contact{ID: id.ID{name}, Pos: n.Places.Key(geom.Point{X: x, Y: 500}, a.zone)}
			}
			r.Around = &messages.Around{Self: contact(byte(i+1), a.x)}
			for k, x := range a.names {
				r.Around.Neighbours = append(r.Around.Neighbours, contact(byte(100+k), x))
			}
			q.Zones[a.zone].Results = append(q.Zones[a.zone].Results, r)
		}
		got, _, how := n.countOwners(q, 0, 0)
		if (how == elected) != (c.want != nil) || how == elected && got != c.want {
			t.Errorf("%s: %v, %d", c.name, got, how)
		}
	}
}

// Half of the zones, and most who hold a cell, decide what is stored there, but not what a
// player is shown. Who stands farther from a cell than who holds one does is none of these,
// though the answers that have come leave its whole zone to it.
func TestHalfOfTheZonesAndMostOfThoseWhoHoldACell(t *testing.T) {
	good, bad := statetest.CellOf(1), statetest.CellOf(2)
	for _, c := range []struct {
		kind   messages.Kind
		second int32 // where the second member of a zone stands
		how    verdict
	}{{messages.ForUpdate, 1500, kept}, {messages.ForLook, 1500, unknown}, {messages.ForUpdate, 2600, unknown}} {
		n := newBare(state.World{Side: 10_000, Cell: 1000}, 4, true)
		n.Self = &overlay.Contact{ID: id.ID{99}, Pos: n.Places.Key(geom.Point{X: 5000, Y: 5000}, 0)}
		for i, d := range []int32{-1000, 1000, 1100} {
			n.area.Now.Neighbours = append(n.area.Now.Neighbours, &overlay.Contact{ID: id.ID{byte(100 + i)}, Pos: n.Places.Key(geom.Point{X: 5000 + d, Y: 5000}, 0)})
		}
		q := &Poll{Retrieve: messages.Retrieve{Kind: c.kind, Of: 1}, Zones: make([]Zone, 4)}
		answer := func(zone int, x int32, cell *state.Cell) {
			r := statetest.Answers(cell)[0]
			r.Seen.Whole = true
			r.Around = &messages.Around{Self: &overlay.Contact{ID: id.ID{byte(zone + 1), byte(x >> 8), byte(x)}, Pos: n.Places.Key(geom.Point{X: x, Y: 500}, zone)}}
			q.Zones[zone].Results = append(q.Zones[zone].Results, r)
		}
		answer(0, 500, bad)
		answer(0, c.second, bad)
		answer(1, 500, bad)
		answer(2, 500, good)
		answer(3, 500, good)
		if got, _, how := n.countOwners(q, 0, 0); how != c.how {
			t.Errorf("%v, the second member stands at %d: %v, %d; want %d", c.kind, c.second, got, how, c.how)
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
