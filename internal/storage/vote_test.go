package storage

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// tallyOf answers a retrieval from the zones of a network of nine, each with one
// cell; nil: the zone does not answer. It returns the result when the time is up.
func tallyOf(t *testing.T, p Protocol, own *Cell, said ...*Cell) Report {
	t.Helper()
	probe := &lastReport{}
	n := newNode(core{
		world: World{Side: 1000, Cell: 1000}, space: overlay.SpaceFor(9), env: frozen{},
		cfg: Config{Probe: probe, Protocol: p},
	})
	if own != nil {
		n.replica.state = seenBy(own).results[0].Seen
	}
	area := overlay.Area{Circle: geom.Circle{R: 1000}}
	q := &query{Retrieve: Retrieve{Query: 1, Kind: ForLook, Area: area, Of: 1}, zones: make([]zoneAnswer, 9), keys: make([]overlay.Area, 9)}
	n.queries.running = append(n.queries.running, q)
	for zone, c := range said {
		if c == nil {
			continue
		}
		by := &overlay.Contact{ID: id.ID{byte(zone + 1)}, Pos: n.space.SubArea(zone).Min}
		r := seenBy(c).results[0]
		r.Query, r.Around = 1, &Around{Self: by}
		n.queries.onResult(by, r)
	}
	n.queries.conclude(q)
	return probe.reports[0]
}

func cellOf(versions ...byte) *Cell {
	var out []*Object
	for i, v := range versions {
		if v > 0 {
			out = append(out, thing(ObjectID(i+1), v))
		}
	}
	return NewCell(out)
}

// With the switch objects zones that are wrong about different things do not
// spoil what they are right about; without it their votes are lost.
func TestZonesVoteForEachObject(t *testing.T) {
	said := []*Cell{
		cellOf(2, 1, 1, 1), cellOf(1, 2, 1, 1), cellOf(1, 1, 2, 1), cellOf(1, 1, 1, 2), cellOf(0, 1, 1, 1),
		cellOf(9, 9, 9, 9), cellOf(9, 9, 9, 9), cellOf(1, 1, 1, 1), cellOf(1, 1, 1, 1),
	}
	right := cellOf(1, 1, 1, 1)
	for _, c := range []struct {
		p    Protocol
		want *Cell
	}{{Protocol{Objects: true}, right}, {Protocol{Objects: true, Majority: true}, right}, {ProtocolThesis, cellOf(9, 9, 9, 9)}} {
		got := tallyOf(t, c.p, nil, said...).Seen
		if got == nil || !sameWithin(nil, got.Cells[0], c.want, true) {
			t.Errorf("%v: %v", c.p, got)
		}
	}
}

// With the switch majority four of nine do not decide: the node keeps what it
// has, or knows that it does not know. Without it the most votes count (5.2.2).
func TestFewerThanHalfOfAllZonesDoNotDecide(t *testing.T) {
	bad, good := cellOf(2), cellOf(1)
	said := []*Cell{bad, bad, bad, bad, good, good, nil, nil, nil}
	if got := tallyOf(t, Protocol{Objects: true}, good, said...).Seen; !sameWithin(nil, got.Cells[0], bad, true) {
		t.Errorf("objects: %v", got.Cells[0])
	}
	p := Protocol{Objects: true, Majority: true}
	if got := tallyOf(t, p, good, said...).Seen; got.Unsure != nil || !sameWithin(nil, got.Cells[0], good, true) {
		t.Errorf("with an own state: %v", got.Cells[0])
	}
	if got := tallyOf(t, p, nil, said...).Seen; !got.unsure(0, 0) {
		t.Errorf("without an own state: %v", got.Cells[0])
	}
	if got := tallyOf(t, ProtocolThesis, good, said...).Seen; !sameWithin(nil, got.Cells[0], bad, true) {
		t.Errorf("thesis: %v", got.Cells[0])
	}
	if got := tallyOf(t, Protocol{Majority: true}, good, said...).Seen; got != nil {
		t.Errorf("majority of whole answers: %v", got)
	}
	said[6] = good
	said[7], said[8] = good, good
	if got := tallyOf(t, p, bad, said...); got.Votes != 5 || !sameWithin(nil, got.Seen.Cells[0], good, true) {
		t.Errorf("five of nine: %+v", got)
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
		probe := &lastReport{}
		n := newNode(core{
			world: World{Side: 1000, Cell: 1000}, space: overlay.SpaceFor(9), env: frozen{},
			cfg: Config{Probe: probe, Protocol: Protocol{Objects: true, Majority: true}},
		})
		area := overlay.Area{Circle: geom.Circle{R: 1000}}
		q := &query{Retrieve: Retrieve{Query: 1, Kind: ForLook, Area: area, Of: 1}, zones: make([]zoneAnswer, 9), keys: make([]overlay.Area, 9)}
		n.queries.running = append(n.queries.running, q)
		answers := 0
		for zone, woken := range c.reports {
			if q.done {
				break
			}
			answers++
			by := &overlay.Contact{ID: id.ID{byte(zone + 1)}, Pos: n.space.SubArea(zone).Min}
			r := seenBy(cellOf(1, 1)).results[0]
			r.Query, r.Around = 1, &Around{Self: by}
			if woken {
				r.Seen.Woken = []*Object{asleep}
			}
			n.queries.onResult(by, r)
		}
		if q.done == c.unsure {
			t.Errorf("%s: ended %v after %d answers", c.name, q.done, answers)
		}
		n.queries.conclude(q)
		if got := probe.reports[0].Seen; answers != c.ends || len(got.Woken) != c.woken || got.unsure(0, 0) != c.unsure {
			t.Errorf("%s: after %d answers, not %d, %d are woken, unsure %v", c.name, answers, c.ends, len(got.Woken), got.unsure(0, 0))
		}
	}
}

// Who was woken by majority and whom nobody sends is no reason to take the cell for one
// in which nobody is.
func TestWokenWhomNobodySends(t *testing.T) {
	probe := &lastReport{}
	n := newNode(core{
		world: World{Side: 2000, Cell: 1000}, space: overlay.SpaceFor(9), env: frozen{},
		cfg: Config{Probe: probe, Protocol: ProtocolHardened},
	})
	asleep := thing(7, 1)
	s := NewSnapshot(1, []*Object{thing(1, 1)}, n.world)
	n.replica.state = NewSnapshot(1, []*Object{thing(1, 1)}, n.world)
	s.Woken = []*Object{asleep}
	q := &query{Retrieve: Retrieve{Query: 1, Kind: ForLook, Of: 1}, zones: make([]zoneAnswer, 9)}
	n.queries.running = append(n.queries.running, q)
	n.fetcher.startFetch(q, outcome{seen: s}, 9)
	if got := probe.reports[0].Seen; len(got.Woken) > 0 || !got.unsure(0, 0) || got.unsure(1, 1) || got.At(0, 0).find(1) == nil {
		t.Errorf("%d are woken, unsure %v", len(got.Woken), got.Unsure)
	}
}
