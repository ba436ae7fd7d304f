package storage

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// versions of a cell for the tests of duplicates: everybody sees all of it.
func seenBy(cells ...*state.Cell) *zoneAnswer {
	z := &zoneAnswer{}
	for _, c := range cells {
		s := &state.Snapshot{Of: 1, Cover: overlay.Area{Circle: geom.Circle{R: 1000}}, Grid: state.Grid{W: 1, H: 1, Cells: []*state.Cell{c}}}
		z.results = append(z.results, &messages.Result{Seen: s})
	}
	return z
}

func thing(n state.ObjectID, version byte) *state.Object {
	return &state.Object{ID: n, Pos: geom.Point{X: int32(n)}, Digest: state.Digest{version}}
}

// Several nodes of a zone report the same objects: a majority of versions wins,
// a tie discards the zone's result, a missing object counts as a version (5.3.4).
func TestDuplicatesAreVotedOn(t *testing.T) {
	n := newNode(part.Part{World: state.World{Side: 1000, Cell: 1000}}, Config{})
	q := &query{Retrieve: messages.Retrieve{Area: overlay.Area{Circle: geom.Circle{R: 1000}}, Of: 1}}
	good, bad, both := thing(1, 1), thing(1, 2), thing(2, 1)
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
		{"three versions", []*state.Cell{state.NewCell([]*state.Object{good}), state.NewCell([]*state.Object{bad}), state.NewCell([]*state.Object{thing(1, 3)})}, nil},
	} {
		out, ok := n.ballot.assemble(q, seenBy(c.in...))
		if ok != (c.want != nil) {
			t.Errorf("%s: discarded %v", c.name, !ok)
			continue
		}
		if ok && !state.SameWithin(nil, out.seen.Cells[0], state.NewCell(c.want), true) {
			t.Errorf("%s: got %v", c.name, out.seen.Cells[0].Objects)
		}
	}
}

// An answer of another update time spoils its zone's vote (5.4.1).
func TestOldStateHasNoVote(t *testing.T) {
	n := newNode(part.Part{World: state.World{Side: 1000, Cell: 1000}}, Config{})
	q := &query{Retrieve: messages.Retrieve{Area: overlay.Area{Circle: geom.Circle{R: 1000}}, Of: 2}}
	if _, ok := n.ballot.assemble(q, seenBy(state.NewCell([]*state.Object{thing(1, 1)}))); ok {
		t.Error("a zone with the state of t_1 votes on t_2")
	}
}

// voters answers a retrieval from so many zones with the version given for each.
func voters(t *testing.T, versions []byte) (*Node, *query, []Report) {
	t.Helper()
	p := &lastReport{}
	n := newNode(part.Part{
		World: state.World{Side: 1000, Cell: 1000}, Space: overlay.SpaceFor(16), Env: frozen{},
	}, Config{Probe: p})
	area := overlay.Area{Circle: geom.Circle{R: 1000}}
	q := &query{Retrieve: messages.Retrieve{Query: 1, Kind: messages.ForUpdate, Area: area, Of: 1}, zones: make([]zoneAnswer, 16), keys: make([]overlay.Area, 16)}
	n.queries.running = append(n.queries.running, q)
	for zone, v := range versions {
		c := &overlay.Contact{ID: id.ID{byte(zone + 1)}, Pos: n.part.Space.SubArea(zone).Min}
		r := seenBy(state.NewCell([]*state.Object{thing(1, v)})).results[0]
		r.Query, r.Around = 1, &messages.Around{Self: c}
		n.queries.onResult(c, r)
	}
	return n, q, p.reports
}

// frozen is an environment in which time stands still.
type frozen struct {
	machine.Env
	now machine.Time
}

func (s frozen) Now() machine.Time { return s.now }

type lastReport struct{ reports []Report }

func (p *lastReport) Retrieved(r Report)       { p.reports = append(p.reports, r) }
func (p *lastReport) Arrived(Arrival, int)     {}
func (p *lastReport) BatchSigned(*state.Batch) {}
func (p *lastReport) Failed(*Node, int64)      {}

// A result that half of the zones agree on is decided; before that nothing is,
// and when the time is up the one with most votes counts, with its share as the
// confidence (5.2.2).
func TestZonesVote(t *testing.T) {
	_, q, _ := voters(t, []byte{1, 2, 1, 2, 1, 1, 1, 1, 1})
	if q.done {
		t.Fatal("decided with seven votes of sixteen")
	}
	_, q, got := voters(t, []byte{1, 2, 1, 2, 1, 1, 1, 1, 1, 1})
	if !q.done || got[0].Votes != 8 || got[0].Zones != 16 || got[0].Answers != 10 {
		t.Fatalf("done %v, %+v", q.done, got)
	}
	n, q, _ := voters(t, []byte{1, 2, 3, 2})
	n.queries.conclude(q)
	got = n.cfg.Probe.(*lastReport).reports
	if got[0].Votes != 2 || got[0].Seen.Cells[0].Objects[0].Digest != (state.Digest{2}) {
		t.Errorf("plurality: %+v", got[0])
	}
}

// The receiver of answers waits for those whose cells overlap the area beyond a
// side of the cell of somebody who has answered (5.2.2).
func TestWhoseAnswersAreMissing(t *testing.T) {
	bounds := geom.Rect{Max: geom.Point{X: 3000, Y: 3000}}
	contact := func(n byte, x, y int32) *overlay.Contact {
		return &overlay.Contact{ID: id.ID{n}, Pos: geom.Point{X: x, Y: y}}
	}
	self, east, north := contact(1, 500, 500), contact(2, 1500, 500), contact(3, 500, 1500)
	a := messages.NewAround(self, []*overlay.Contact{east, north}, bounds)
	missing := func(area overlay.Area) (out []byte) {
		for _, b := range a.Borders {
			if messages.Touches(&area, b.A, b.B) {
				out = append(out, b.With.ID[0])
			}
		}
		return out
	}
	circle := func(x, y, r int32) overlay.Area {
		return overlay.Area{Circle: geom.Circle{C: geom.Point{X: x, Y: y}, R: r}}
	}
	for _, c := range []struct {
		area overlay.Area
		want string
	}{
		{circle(500, 500, 400), ""},
		{circle(900, 500, 200), "\x02"},
		{circle(500, 900, 200), "\x03"},
		{circle(500, 500, 600), "\x02\x03"},
		{overlay.Area{Polygon: geom.Polygon{{X: 100, Y: 100}, {X: 1400, Y: 100}, {X: 100, Y: 600}}}, "\x02"},
		{overlay.Area{Polygon: geom.Polygon{{X: 100, Y: 100}, {X: 900, Y: 100}, {X: 100, Y: 900}}}, ""},
	} {
		if got := string(missing(c.area)); got != c.want {
			t.Errorf("%+v: waits for %q, want %q", c.area, got, c.want)
		}
	}
}
