package storage

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// election is a retrieval in a network of nine zones, of which some have answered, each with
// one node that stands where the cell is and has all of it.
type election struct {
	*Node
	q *query
}

func newElection(own *state.Cell) election {
	n := newNode(part.Part{World: state.World{Side: 1000, Cell: 1000}, Space: overlay.SpaceFor(9)}, Config{Protocol: ProtocolHardened})
	n.part.Places = state.NewMapping(n.part.Space, n.part.World)
	if own != nil {
		n.replica.state = seenBy(own).results[0].Seen
		n.replica.state.Whole = true
	}
	area := overlay.Area{Circle: geom.Circle{R: 1000}}
	return election{n, &query{Retrieve: messages.Retrieve{Query: 1, Kind: messages.ForLook, Area: area, Of: 1}, zones: make([]zoneAnswer, 9)}}
}

// answer gives a zone's answer, and reports whether the retrieval is decided then.
func (e election) answer(zone int, c *state.Cell, woken ...*state.Object) bool {
	r := seenBy(c).results[0]
	r.Seen.Whole, r.Seen.Activated = true, woken
	at := e.part.Places.Key(geom.Point{X: 500, Y: 500}, zone)
	r.Around = &messages.Around{Self: &overlay.Contact{ID: id.ID{byte(zone + 1)}, Pos: at}}
	e.q.zones[zone] = zoneAnswer{results: []*messages.Result{r}, over: true}
	e.q.full++
	_, _, decided := e.ballot.countVotes(e.q, false)
	return decided && e.q.full >= e.zones.VotesNeeded()
}

// end is the result when the time is up.
func (e election) end() (*state.Snapshot, int) {
	out, votes, _ := e.ballot.countVotes(e.q, true)
	return out.seen, votes
}

func cellOf(versions ...byte) *state.Cell {
	var out []*state.Object
	for i, v := range versions {
		if v > 0 {
			out = append(out, thing(state.ObjectID(i+1), v))
		}
	}
	return state.NewCell(out)
}

// Four of nine do not decide: the node keeps what it has, or knows that it does not
// know. In the thesis the most votes count (5.2.2): see TestZonesVote.
func TestFewerThanHalfOfAllZonesDoNotDecide(t *testing.T) {
	bad, good := cellOf(2), cellOf(1)
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
	asleep := thing(7, 1)
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
			decided = e.answer(zone, cellOf(1, 1), woken...)
		}
		if decided == c.unsure {
			t.Errorf("%s: ended %v after %d answers", c.name, decided, answers)
		}
		if got, _ := e.end(); answers != c.ends || len(got.Activated) != c.woken || got.IsUnsure(0, 0) != c.unsure {
			t.Errorf("%s: after %d answers, not %d, %d are woken, unsure %v", c.name, answers, c.ends, len(got.Activated), got.IsUnsure(0, 0))
		}
	}
}

// Who was woken by majority and whom nobody sends is no reason to take the cell for one
// in which nobody is.
func TestWokenWhomNobodySends(t *testing.T) {
	probe := &lastReport{}
	n := newNode(part.Part{
		World: state.World{Side: 2000, Cell: 1000}, Space: overlay.SpaceFor(9), Env: frozen{},
		Cache: state.NewReplayCache(),
	}, Config{Settings: part.Settings{Rules: plainRules{}}, Probe: probe, Protocol: ProtocolHardened})
	asleep := thing(7, 1)
	s := state.NewSnapshot(1, []*state.Object{thing(1, 1)}, n.part.World)
	n.replica.state = state.NewSnapshot(1, []*state.Object{thing(1, 1)}, n.part.World)
	s.Activated = []*state.Object{asleep}
	q := &query{Retrieve: messages.Retrieve{Query: 1, Kind: messages.ForLook, Of: 1}, zones: make([]zoneAnswer, 9)}
	n.queries.running = append(n.queries.running, q)
	n.fetcher.startFetch(q, outcome{seen: s}, 9)
	if got := probe.reports[0].Seen; len(got.Activated) > 0 || !got.IsUnsure(0, 0) || got.IsUnsure(1, 1) || got.At(0, 0).Find(1) == nil {
		t.Errorf("%d are woken, unsure %v", len(got.Activated), got.Unsure)
	}
}

// Where cells are told as wholes, so are those who are woken in them: who lies in a cell
// that the area only touches takes part in the step as well, and his actions count.
func TestWokenInTouchedCellsCount(t *testing.T) {
	w := state.World{Side: 4000, Cell: 1000}
	area := overlay.Area{Circle: geom.Circle{C: geom.Point{X: 500, Y: 500}, R: 700}}
	o := thing(7, 1)
	o.Pos, o.Player = geom.Point{X: 1900, Y: 900}, &state.Player{ID: id.ID{7}}
	s := &state.Snapshot{Of: 1, Cover: area, Whole: true, Grid: state.GridOver(&area, &w, 0), Activated: []*state.Object{o}}
	if got := s.Players(&area, &w, nil); len(got) != 1 {
		t.Errorf("%d players are asked for", len(got))
	}
	c := s.Encode(&area, w)
	if got, err := state.DecodeSnapshot(1, &area, &area, c, w); err != nil || len(got.Activated) != 1 {
		t.Errorf("it is not sent: %v", err)
	}
	n := newNode(part.Part{World: w, Space: overlay.SpaceFor(4)}, Config{Protocol: ProtocolHardened})
	q := &query{Retrieve: messages.Retrieve{Of: 1, Area: area}, zones: make([]zoneAnswer, 4)}
	for i := range q.zones {
		q.zones[i] = zoneAnswer{results: []*messages.Result{{Seen: s}}, over: true}
	}
	if got, _ := n.ballot.countActivated(q); len(got) != 1 {
		t.Errorf("%d are woken", len(got))
	}
}
