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

// say lets one more node of a zone answer, which knows a cell or guesses it.
func (e election) say(zone int, c *state.Cell, guess bool) {
	z := &e.q.Zones[zone]
	r := statetest.Answers(c)[0]
	r.Seen.Whole = true
	if guess {
		r.Seen.SetTentative(0, 0, c)
	}
	at := e.Places.Key(geom.Point{X: 500, Y: 500}, zone)
	r.Around = &messages.Around{Self: &overlay.Contact{ID: id.ID{byte(zone + 1), byte(len(z.Results))}, Pos: at}}
	z.Results, z.Over = append(z.Results, r), true
}

// What a node takes for likely where no majority agrees (decision 104). The node is of
// zone 0.
func TestLikelyVersions(t *testing.T) {
	a, b := statetest.CellOf(1), statetest.CellOf(2)
	type answer struct {
		zone  int
		cell  *state.Cell
		guess bool
	}
	for _, c := range []struct {
		name    string
		own     *state.Cell // as the node guesses it; nil: it cannot
		answers []answer
		want    *state.Cell
	}{
		{"more zones for the one, more nodes for the other", nil,
			[]answer{{zone: 1, cell: a}, {zone: 2, cell: a}, {zone: 3, cell: b}, {zone: 3, cell: b}, {zone: 3, cell: b}}, a},
		{"the same the other way round", nil,
			[]answer{{zone: 1, cell: b}, {zone: 2, cell: b}, {zone: 3, cell: a}, {zone: 3, cell: a}, {zone: 3, cell: a}}, b},
		{"more zones against the own version", a, []answer{{zone: 1, cell: b}, {zone: 2, cell: b}, {zone: 3, cell: a}}, b},
		{"as many zones, the own version is the first", a, []answer{{zone: 1, cell: a}, {zone: 2, cell: b}, {zone: 2, cell: b}}, a},
		{"as many zones, the own version is the second", b, []answer{{zone: 1, cell: a}, {zone: 1, cell: a}, {zone: 2, cell: b}}, b},
		{"the own version before that of the zone", b, []answer{{zone: 0, cell: a}, {zone: 2, cell: b}}, b},
		{"as many zones, more nodes for the first", nil, []answer{{zone: 0, cell: b}, {zone: 2, cell: a}, {zone: 2, cell: a}}, a},
		{"as many zones, more nodes for the second", nil, []answer{{zone: 0, cell: a}, {zone: 2, cell: b}, {zone: 2, cell: b}}, b},
		{"as many nodes, the own zone says the first", nil, []answer{{zone: 0, cell: a}, {zone: 2, cell: b}}, a},
		{"as many nodes, the own zone says the second", nil, []answer{{zone: 0, cell: b}, {zone: 2, cell: a}}, b},
		{"one knows, the other guesses as the node does", b, []answer{{zone: 1, cell: a}, {zone: 2, cell: b, guess: true}}, b},
	} {
		e := newElection(nil)
		if c.own != nil {
			e.own.Tentative = statetest.Seen(c.own)
			e.own.Tentative.Whole = true
		}
		for _, o := range c.answers {
			e.say(o.zone, o.cell, o.guess)
		}
		got, _ := e.end()
		if !got.IsUnsure(0, 0) || !state.SameCellContent(got.Cells[0], c.want) {
			t.Errorf("%s: %v, unsure %v", c.name, got.Cells[0], got.IsUnsure(0, 0))
		}
	}
}

// Where nobody knows, all who hear the same take the same, whatever they thought before:
// so the doubt ends.
func TestGuessersFollowOneOrder(t *testing.T) {
	a, b := statetest.CellOf(1), statetest.CellOf(2)
	take := func(own *state.Cell) *state.Cell {
		e := newElection(nil)
		e.own.Tentative = statetest.Seen(own)
		e.own.Tentative.Whole = true
		e.say(0, own, true)
		e.say(1, a, true)
		e.say(2, b, true)
		if own == a {
			e.say(3, b, true)
		} else {
			e.say(3, a, true)
		}
		got, _ := e.end()
		return got.Cells[0]
	}
	if x, y := take(a), take(b); !state.SameCellContent(x, y) {
		t.Errorf("one takes %v for likely, the other %v", x, y)
	}
}

// Guesses do not overrule what the node knows; enough zones that know do.
func TestGuessesDoNotOverruleKnowledge(t *testing.T) {
	own, other := statetest.CellOf(1), statetest.CellOf(2)
	for _, guess := range []bool{true, false} {
		e := newElection(own)
		for zone := 1; zone <= 5; zone++ {
			e.say(zone, other, guess && zone > 2)
		}
		want := other
		if guess {
			want = own
		}
		if got, _ := e.end(); got.IsUnsure(0, 0) || !state.SameCellContent(got.Cells[0], want) {
			t.Errorf("guesses %v: %v, unsure %v", guess, got.Cells[0], got.IsUnsure(0, 0))
		}
	}
}
