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

// Four of nine do not decide: the node keeps what it has, or knows that it does not
// know. In the thesis the most votes count (5.2.2): see TestZonesVote.
func TestFewerThanHalfOfAllZonesDoNotDecide(t *testing.T) {
	bad, good := statetest.CellOf(2), statetest.CellOf(1)
	said := []*state.Cell{bad, bad, bad, bad, good, good}
	tally := func(own *state.Cell, said ...*state.Cell) (*state.Snapshot, int) {
		e := newElection(own)
		for zone, c := range said {
			e.answer(zone, c)
		}
		return e.end()
	}
	if got, _ := tally(good, said...); got.Unsure != nil || !state.SameWithin(nil, got.Cells[0], good, true) {
		t.Errorf("with an own state: %v", got.Cells[0])
	}
	if got, _ := tally(nil, said...); !got.IsUnsure(0, 0) {
		t.Errorf("without an own state: %v", got.Cells[0])
	}
	if got, votes := tally(bad, append(said, good, good, good)...); votes != 5 || !state.SameWithin(nil, got.Cells[0], good, true) {
		t.Errorf("five of nine: %d votes for %+v", votes, got.Cells[0])
	}
}

// A retrieval does not end while it is open whether somebody was woken: cells may
// be agreed on before enough zones have reported it, and who is forgotten in the
// step that it is woken for is lost (thesis 5.4.1). If the time is up before, the node
// does not know what becomes of the cell.
func TestWokenAreWaitedFor(t *testing.T) {
	asleep := statetest.Thing(7, 1)
	for _, c := range []struct {
		name    string
		reports []bool // by zone, in the order in which they answer
		ends    int    // answers that it takes
		woken   int
		unsure  bool
	}{
		{"all report it", []bool{true, true, true, true, true, true, true, true, true}, 5, 1, false},
		{"one of the first does not", []bool{true, true, false, true, true, true, true, true, true}, 6, 1, false},
		{"two say what no majority will", []bool{true, true, false, false, false, false, false, false, false}, 7, 0, false},
		{"nobody reports anything", make([]bool, 9), 5, 0, false},
		{"the time is up before a majority may be", []bool{true, true, true, false, false, false}, 6, 0, true},
	} {
		e, answers, decided := newElection(nil), 0, false
		for zone, reports := range c.reports {
			if decided {
				break
			}
			var woken []*state.Object
			if reports {
				woken = append(woken, asleep)
			}
			answers++
			decided = e.answer(zone, statetest.CellOf(1, 1), woken...)
		}
		if decided == c.unsure {
			t.Errorf("%s: ended %v after %d answers", c.name, decided, answers)
		}
		if got, _ := e.end(); answers != c.ends || len(got.Activated) != c.woken || got.IsUnsure(0, 0) != c.unsure {
			t.Errorf("%s: after %d answers, not %d, %d are woken, unsure %v", c.name, answers, c.ends, len(got.Activated), got.IsUnsure(0, 0))
		}
	}
}

// Where cells are told as wholes, so are those who are woken in them: who lies in a cell
// that the area only touches takes part in the step as well, and his actions count.
func TestWokenInTouchedCellsCount(t *testing.T) {
	w := state.World{Side: 4000, Cell: 1000}
	area := overlay.Area{Circle: geom.Circle{C: geom.Point{X: 500, Y: 500}, R: 700}}
	o := statetest.Thing(7, 1)
	o.Pos, o.Player = geom.Point{X: 1900, Y: 900}, &state.Player{ID: id.ID{7}}
	s := &state.Snapshot{Of: 1, Cover: area, Whole: true, Grid: state.GridOver(&area, &w, 0), Activated: []*state.Object{o}}
	if got := s.Players(&area, &w, nil); len(got) != 1 {
		t.Errorf("%d players are asked for", len(got))
	}
	c := s.Encode(&area, w)
	if got, err := state.DecodeSnapshot(1, &area, &area, c, w); err != nil || len(got.Activated) != 1 {
		t.Errorf("it is not sent: %v", err)
	}
	n := newBare(w, 4, true)
	q := &Poll{Retrieve: messages.Retrieve{Of: 1, Area: area}, Zones: make([]Zone, 4)}
	for i := range q.Zones {
		q.Zones[i] = Zone{Results: []*messages.Result{{Seen: s}}, Over: true}
	}
	if got, _, _ := n.countActivated(q); len(got) != 1 {
		t.Errorf("%d are woken", len(got))
	}
}

// A zone whose nodes differ about a cell has no vote as a whole: its nodes are counted one
// by one.
func TestZonesThatDifferHaveNoVote(t *testing.T) {
	good, bad := statetest.CellOf(1), statetest.CellOf(2)
	e := newElection(nil)
	for range 5 {
		e.say(4, bad, false)
	}
	for zone := range 5 {
		e.say(zone, good, false)
	}
	if got, _ := e.end(); !got.IsUnsure(0, 0) {
		t.Errorf("half of the nodes decide: %v", got.Cells[0])
	}
}

// Guesses count when no more answers come, not before: those who know may still speak.
func TestGuessesWaitForKnowledge(t *testing.T) {
	e := newElection(nil)
	for zone := range 5 {
		e.say(zone, statetest.CellOf(1), zone > 1)
	}
	if _, _, decided := e.Count(e.q, false); decided {
		t.Error("guesses decide while answers are waited for")
	}
	if _, _, decided := e.Count(e.q, true); !decided {
		t.Error("guesses of a majority do not end the doubt")
	}
}

// What half of the zones know counts if the others are silent, and nobody knows or guesses
// anything else. The node is of another zone, and has nothing itself.
func TestSilenceOfHalfOfTheZonesHidesNothing(t *testing.T) {
	good, bad := statetest.CellOf(1), statetest.CellOf(2)
	for _, c := range []struct {
		name         string
		know, guess  int // zones that know the cell, and that guess it
		other        int // zones that know another version
		otherGuesses int
		counts       bool
	}{
		{"half of the zones", 2, 0, 0, 0, true},
		{"one zone", 1, 0, 0, 0, false},
		{"one knows, one guesses", 1, 1, 0, 0, false},
		{"a third knows another version", 2, 0, 1, 0, false},
		{"half know another version", 2, 0, 2, 0, false},
		{"a third guesses another version", 2, 0, 0, 1, false},
	} {
		n := newBare(small, 4, true)
		area := overlay.Area{Circle: geom.Circle{R: 1000}}
		e := election{n, &Poll{Retrieve: messages.Retrieve{Query: 1, Kind: messages.ForUpdate, Area: area, Of: 1}, Zones: make([]Zone, 4)}, 0}
		zone := 0
		say := func(zones int, cell *state.Cell, guess bool) {
			for range zones {
				e.say(zone, cell, guess)
				zone++
			}
		}
		say(c.know, good, false)
		say(c.guess, good, true)
		say(c.other, bad, false)
		say(c.otherGuesses, bad, true)
		got, _ := e.end()
		if counts := !got.IsUnsure(0, 0) && got.Cells[0] == good; counts != c.counts {
			t.Errorf("%s: counts %v, unsure %v", c.name, counts, got.IsUnsure(0, 0))
		}
	}
}

// Nobody waits for zones that are deserted.
func TestDesertedZonesAreNotWaitedFor(t *testing.T) {
	for _, c := range []struct{ zones, empty int }{{4, 0}, {4, 1}, {4, 2}, {4, 3}, {9, 1}, {16, 0}} {
		n := newBare(small, c.zones, true)
		for zone := range c.empty {
			n.electorate.SetDeserted(zone, true)
		}
		q := &Poll{Zones: make([]Zone, c.zones)}
		for zone := c.empty; zone < c.zones; zone++ {
			if q.AllSilent(n.electorate) {
				t.Errorf("%d of %d zones are deserted: zone %d is not waited for", c.empty, c.zones, zone)
			}
			q.Zones[zone].Over = true
		}
		if !q.AllSilent(n.electorate) {
			t.Errorf("%d of %d zones are deserted: those are waited for", c.empty, c.zones)
		}
	}
}

// A character that two zones of four do not know to be woken is not: those who know
// it leave it asleep, so that all zones hold the same. While a zone has not answered
// it may be.
func TestWhomTooFewHaveWoken(t *testing.T) {
	o := statetest.Thing(1, 1)
	for _, c := range []struct {
		over  [4]bool
		wakes bool
	}{
		{[4]bool{true, true, true, true}, false},
		{[4]bool{true, true, true, false}, false},
		{[4]bool{true, false, true, false}, true},
		{[4]bool{true, false, false, false}, true},
	} {
		n := newBare(small, 4, true)
		n.own.State = &state.Snapshot{Of: 1, Activated: []*state.Object{o}}
		q := &Poll{Retrieve: messages.Retrieve{Of: 1, Area: overlay.Area{Circle: geom.Circle{R: 1000}}}, Zones: make([]Zone, 4)}
		for zone, over := range c.over {
			z := seenBy(&state.Cell{})
			if zone == 0 || zone == 3 {
				z.Results[0].Seen.Activated = []*state.Object{o}
			}
			if over {
				q.Zones[zone] = *z
				q.Zones[zone].Over = true
			}
		}
		woken, claimed, _ := n.countActivated(q)
		if got := len(woken) == 1; got != c.wakes {
			t.Errorf("zones %v have answered: woken %v, want %v", c.over, got, c.wakes)
		}
		if got, want := len(claimed) == 1, c.over == [4]bool{true, true, true, true}; got != want {
			t.Errorf("zones %v have answered: claimed by half of them %v, want %v", c.over, got, want)
		}
	}
}
