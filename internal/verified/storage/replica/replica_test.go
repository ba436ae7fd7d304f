package replica

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state/statetest"
)

// What a node has computed itself is not fetched; what differs from what was agreed on
// is.
func TestOwnCellsAreNotFetched(t *testing.T) {
	own, same, other := statetest.CellOf(1, 1), statetest.CellOf(1, 1), statetest.CellOf(1, 2)
	s := statetest.Seen(own)
	s.Whole = true
	n := newBare(state.World{Side: 1000, Cell: 1000}, nil)
	n.Replica.State = s
	if _, got := n.Replica.KnownCell(1, 0, 0, same); !got {
		t.Error("does not have its own cell")
	}
	_, another := n.Replica.KnownCell(1, 0, 0, other)
	if _, later := n.Replica.KnownCell(2, 0, 0, same); another || later {
		t.Error("takes its own cell for another, or for that of another time")
	}
}

// What the receiver has takes two bytes, what has changed no more than what is
// new of it, and what it does not have all of it.
func TestWhatTheReceiverHasIsNotSent(t *testing.T) {
	rules := statetest.Rules{}
	old, now, stranger := rules.Object(1, 0), rules.Object(1, 9), rules.Object(2, 0)
	n := newBare(state.World{Side: 1000, Cell: 1000}, rules)
	n.Replica.last = &state.Snapshot{Of: 3, Cover: overlay.Area{Circle: geom.Circle{R: 100}}, Whole: true}
	n.Replica.last.Grid = state.Grid{W: 1, H: 1, Cells: []*state.Cell{state.NewCell([]*state.Object{old})}}
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
		{"a version is there that the sender never had", nil, rules.Object(1, 5), 4, now, func(n int) bool { return n == 203 }},
		{"others are there", []*state.Object{old}, nil, 4, stranger, func(n int) bool { return n == 203 }},
	} {
		q := &messages.Fetch{Retrieve: messages.Retrieve{Of: c.of}, Cells: []messages.CellAt{{}}, Base: []*state.Cell{nil}}
		if c.base != nil {
			q.Base[0] = state.NewCell([]*state.Object{c.base})
		}
		if _, _, got := (&Encoder{&n.Patches, versionsOf(&messages.Fetch{Have: c.have}), n.Replica.commonBase(q)}).choosePatch(c.o, 0); !c.want(got) {
			t.Errorf("%s: %d bytes", c.name, got)
		}
	}
}

// What is as it was at t_0 is neither fetched nor sent: everybody can make it
// (5.3.6). What has come of it is sent as the difference, if it is not far away.
func TestTheBeginningIsKnown(t *testing.T) {
	player := &state.Player{ID: id.ID{1}}
	bed := statetest.Thing(7, 0)
	bed.Static, bed.Player, bed.Size, bed.Pos = true, player, 200, geom.Point{X: 5500, Y: 5500}
	rules := sleeperRules{bed: bed}
	world := state.World{Side: 20000, Cell: 1000}
	woken := rules.Activate(player, bed.Pos, bed)
	moved := func(by int32) *state.Object {
		o := *woken
		o.Digest, o.Pos.X = state.Digest{9}, o.Pos.X+by
		return &o
	}
	n := newBare(world, rules)
	name := &state.Object{ID: woken.ID, Digest: woken.Digest, Pos: woken.Pos}
	if n.Replica.WokenInitial(woken) == nil || n.Replica.WokenInitial(name) == nil || n.Replica.WokenInitial(moved(0)) != nil {
		t.Error("who slept at t_0 is not known when he is woken, or another version is taken for him")
	}
	if _, _, near := (&Encoder{Patches: &n.Patches}).choosePatch(moved(4000), 0); near >= 200 {
		t.Errorf("%d bytes for who has moved", near)
	}
	if _, _, far := (&Encoder{Patches: &n.Patches}).choosePatch(moved(6000), 0); far < 200 {
		t.Errorf("%d bytes for who is too far away to be found", far)
	}
}

// sleeperRules have one character, who sleeps at t_0.
type sleeperRules struct {
	statetest.Rules
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
