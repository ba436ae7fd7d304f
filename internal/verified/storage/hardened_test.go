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

// An answer of digests is charged eight bytes a cell, another one the
// objects in its area.
func TestBriefAnswersAreDigests(t *testing.T) {
	w := state.World{Side: 1000, Cell: 1000}
	o := thing(1, 1)
	o.Size = 500
	area := overlay.Area{Circle: geom.Circle{R: 1000}}
	seen := seenBy(state.NewCell([]*state.Object{o})).results[0].Seen
	for _, brief := range []bool{true, false} {
		m := (&messages.Result{Seen: seen, Area: area, Brief: brief}).Seal(w)
		if want := map[bool]int{true: state.SizeDigest, false: 500}[brief]; m.Bytes != want {
			t.Errorf("brief %v: %d bytes, want %d", brief, m.Bytes, want)
		}
	}
}

// What a node has computed itself is not fetched; what differs from what was agreed on
// is.
func TestOwnCellsAreNotFetched(t *testing.T) {
	own, same, other := cellOf(1, 1), cellOf(1, 1), cellOf(1, 2)
	s := seenBy(own).results[0].Seen
	s.Whole = true
	n := newNode(part.Part{World: state.World{Side: 1000, Cell: 1000}}, Config{Protocol: ProtocolHardened})
	n.replica.state = s
	if _, got := n.replica.knownCell(1, 0, 0, same); !got {
		t.Error("does not have its own cell")
	}
	_, another := n.replica.knownCell(1, 0, 0, other)
	if _, later := n.replica.knownCell(2, 0, 0, same); another || later {
		t.Error("takes its own cell for another, or for that of another time")
	}
}

// What the receiver has takes two bytes, what has changed no more than what is
// new of it, and what it does not have all of it.
func TestWhatTheReceiverHasIsNotSent(t *testing.T) {
	rules := plainRules{}
	old, now, stranger := rules.object(1, 0), rules.object(1, 9), rules.object(2, 0)
	n := newNode(part.Part{World: state.World{Side: 1000, Cell: 1000}, Cache: state.NewReplayCache()}, Config{Settings: part.Settings{Rules: rules}})
	n.replica.last = &state.Snapshot{Of: 3, Cover: overlay.Area{Circle: geom.Circle{R: 100}}, Whole: true}
	n.replica.last.Grid = state.Grid{W: 1, H: 1, Cells: []*state.Cell{state.NewCell([]*state.Object{old})}}
	for _, c := range []struct {
		name string
		have []*state.Object
		base *state.Object // of an update before
		of   int64
		o    *state.Object
		want func(int) bool
	}{
		{"nothing is known", nil, nil, 4, now, func(n int) bool { return n == 203 }},
		{"it is there", []*state.Object{now}, nil, 4, now, func(n int) bool { return n == 2 }},
		{"an old version is there", nil, old, 4, now, func(n int) bool { return n < 20 }},
		{"an older one is there", nil, old, 5, now, func(n int) bool { return n == 203 }},
		{"a version is there that the sender never had", nil, rules.object(1, 5), 4, now, func(n int) bool { return n == 203 }},
		{"others are there", []*state.Object{old}, nil, 4, stranger, func(n int) bool { return n == 203 }},
	} {
		q := &messages.Fetch{Retrieve: messages.Retrieve{Of: c.of}, Cells: []messages.CellAt{{}}, Base: []*state.Cell{nil}}
		if c.base != nil {
			q.Base[0] = state.NewCell([]*state.Object{c.base})
		}
		if _, _, got := n.patches.choosePatch(c.o, 0, versionsOf(&messages.Fetch{Have: c.have}), n.replica.commonBase(q)); !c.want(got) {
			t.Errorf("%s: %d bytes", c.name, got)
		}
	}
}

// What is as it was at t_0 is neither fetched nor sent: everybody can make it
// (5.3.6). What has come of it is sent as the difference, if it is not far away.
func TestTheBeginningIsKnown(t *testing.T) {
	player := &state.Player{ID: id.ID{1}}
	bed := thing(7, 0)
	bed.Static, bed.Player, bed.Size, bed.Pos = true, player, 200, geom.Point{X: 5500, Y: 5500}
	rules := sleeperRules{bed: bed}
	world := state.World{Side: 20000, Cell: 1000}
	woken := rules.Activate(player, bed.Pos, bed)
	moved := func(by int32) *state.Object {
		o := *woken
		o.Digest, o.Pos.X = state.Digest{9}, o.Pos.X+by
		return &o
	}
	n := newNode(part.Part{World: world, Cache: state.NewReplayCache()}, Config{Settings: part.Settings{Rules: rules}, Protocol: ProtocolHardened})
	name := &state.Object{ID: woken.ID, Digest: woken.Digest, Pos: woken.Pos}
	if n.replica.wokenInitial(woken) == nil || n.replica.wokenInitial(name) == nil || n.replica.wokenInitial(moved(0)) != nil {
		t.Error("who slept at t_0 is not known when he is woken, or another version is taken for him")
	}
	if _, _, near := n.patches.choosePatch(moved(4000), 0, nil, nil); near >= 200 {
		t.Errorf("%d bytes for who has moved", near)
	}
	if _, _, far := n.patches.choosePatch(moved(6000), 0, nil, nil); far < 200 {
		t.Errorf("%d bytes for who is too far away to be found", far)
	}
}

// sleeperRules have one character, who sleeps at t_0.
type sleeperRules struct {
	plainRules
	bed *state.Object
}

func (r sleeperRules) Initial(cell geom.Rect) []*state.Object {
	if p := r.bed.Pos; p.X >= cell.Min.X && p.X < cell.Max.X && p.Y >= cell.Min.Y && p.Y < cell.Max.Y {
		return []*state.Object{r.bed}
	}
	return nil
}

func (r sleeperRules) Activate(p *state.Player, place geom.Point, o *state.Object) *state.Object {
	w := *o
	w.Static, w.Digest = false, state.Digest{8}
	return &w
}

// plainRules encodes objects in 200 bytes.
type plainRules struct{ state.Rules }

func (r plainRules) object(n state.ObjectID, version byte) *state.Object {
	o := thing(n, version)
	o.Size = 200
	return o
}

func (plainRules) Initial(geom.Rect) []*state.Object { return nil }

func (plainRules) AppendObject(out []byte, o *state.Object) []byte {
	b := make([]byte, 200)
	b[0], b[100] = byte(o.ID), o.Digest[0]
	return append(out, b...)
}

func (r plainRules) DecodeObject(b []byte) (*state.Object, error) {
	if len(b) != 200 || b[0] == 0 {
		return nil, state.ErrDelta
	}
	return r.object(state.ObjectID(b[0]), b[100]), nil
}
