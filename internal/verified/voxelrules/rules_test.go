package voxelrules

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

const interval = machine.Time(10 * time.Second)

// replica replays the world cell by cell from objects that it knows only by
// their encodings, as a node does that has got them from others.
type replica struct {
	t       *testing.T
	r       *Rules
	cells   func(func(geom.Rect))
	objects map[geom.Rect][][]byte
	woken   []*state.Object
}

// step replays one interval.
func (p *replica) step(from machine.Time, actions []*state.Action) {
	shape := p.r.World()
	around := shape.Ring * shape.Cell
	var all []*state.Object
	p.cells(func(c geom.Rect) {
		for _, b := range p.objects[c] {
			o, err := p.r.DecodeObject(b)
			if err != nil {
				p.t.Fatal(err)
			}
			all = append(all, o)
		}
	})
	next := map[geom.Rect][][]byte{}
	for _, o := range p.woken {
		all = without(all, o.ID)
		all = append(all, o)
	}
	p.woken = nil
	all = inOrder(all)
	p.cells(func(c geom.Rect) {
		s := &state.Step{From: from, To: from + interval, Target: c}
		who := map[id.ID]bool{}
		for _, o := range all {
			x, y := beyond(c, o.Pos)
			if max(x, y) <= around && !o.Static {
				s.Objects = append(s.Objects, o)
				who[playerOf(o)] = true
			}
			if o.Static && within(c, o.Pos) {
				next[c] = append(next[c], p.r.AppendObject(nil, o))
			}
		}
		for _, a := range actions {
			if who[a.Player.ID] {
				s.Actions = append(s.Actions, a)
			}
		}
		for _, o := range p.r.Replay(s) {
			if !within(c, o.Pos) {
				p.t.Fatalf("object %x lies outside of its cell", o.ID)
			}
			next[c] = append(next[c], p.r.AppendObject(nil, o))
		}
	})
	p.objects = next
}

func playerOf(o *state.Object) id.ID {
	if o.Player == nil {
		return id.ID{}
	}
	return o.Player.ID
}

func without(list []*state.Object, who state.ObjectID) (out []*state.Object) {
	for _, o := range list {
		if o.ID != who {
			out = append(out, o)
		}
	}
	return out
}

// beyond is how far a place is beyond the sides of a cell.
func beyond(c geom.Rect, p geom.Point) (x, y int32) {
	return max(c.Min.X-p.X, p.X-c.Max.X+1, 0), max(c.Min.Y-p.Y, p.Y-c.Max.Y+1, 0)
}

func within(c geom.Rect, p geom.Point) bool {
	x, y := beyond(c, p)
	return x == 0 && y == 0
}

// builders are players who walk about, dig and build at random.
type builders struct {
	players []*state.Player
	r       rng.Rand
	seq     uint64
}

func newBuilders(n int, seed uint64) *builders {
	b := &builders{r: rng.New(seed, 1)}
	for i := range n {
		b.players = append(b.players, &state.Player{ID: id.Of(fmt.Appendf(nil, "builder %d", i)), Home: geom.Point{X: int32(i), Y: 7}})
	}
	return b
}

// batches are what all of them do in one interval, two batches each.
func (b *builders) batches(from machine.Time, body func(id.ID) *world.Player) []*state.Action {
	var out []*state.Action
	for half := range machine.Time(2) {
		for _, p := range b.players {
			first := TickAt(from) + uint64(half)*100 + 1
			batch := Batch{First: first, Join: true}
			if b.r.OneIn(40) {
				batch.Leave = true
			}
			at := world.Pos{}
			if w := body(p.ID); w != nil {
				at = w.Body.Pos.Block()
			}
			input := world.Input{Buttons: uint16(b.r.Uint64()) & 0x71, Yaw: uint16(b.r.Uint64()), Pitch: -9000}
			for i := range 100 {
				m := Moment{Input: input}
				if i%7 == 0 {
					m.Act = b.act(at)
				}
				if b.r.OneIn(20) {
					input.Yaw = uint16(b.r.Uint64())
				}
				batch.Moments = append(batch.Moments, m)
			}
			b.seq++
			out = append(out, &state.Action{
				Player: p, Seq: b.seq, At: from + (half+1)*interval/2, Body: batch.AppendBinary(nil),
			})
		}
	}
	return out
}

func (b *builders) act(at world.Pos) world.Act {
	r := &b.r
	a := world.Act{At: at.Add(int32(r.Intn(7)-3), int32(r.Intn(4)-2), int32(r.Intn(7)-3)), Face: world.Face(r.Intn(6))}
	switch r.Intn(6) {
	case 0:
		a.Kind, a.A = world.ActPlace, int64(r.Intn(4))
	case 1:
		a.Kind, a.A = world.ActHit, int64(r.Uint64()&(1<<48-1))
	case 2:
		a.Kind, a.A = world.ActSelect, int64(r.Intn(9))
	case 3:
		a.Kind, a.A, a.B = world.ActDrop, int64(r.Intn(4)), 1
	default:
		a.Kind, a.At, a.Face = world.ActDig, at.Add(int32(r.Intn(3)-1), int32(r.Intn(3)-1), int32(r.Intn(3)-1)), world.FaceUp
	}
	return a
}

// Every cell, replayed on its own from the encodings of what lies in the ring around,
// is byte for byte what one replay of the whole world holds (issue, show 4; thesis
// 5.3.1, 5.3.2).
func TestLongReplicasHoldWhatTheSequenceHolds(t *testing.T) {
	simtest.Long(t)
	for _, mode := range []world.Mode{world.Survival, world.Creative} {
		cfg := Config{Seed: 3, Regions: 6, Mobs: 4, Mode: mode, Zones: []world.Zone{{Min: world.Pos{X: -5, Z: -5}, Max: world.Pos{X: 5, Y: 255, Z: 5}}}}
		seq := NewSequence(cfg)
		rep := &replica{t: t, r: New(cfg), cells: seq.Cells}
		crowd := newBuilders(14, 5)
		var sum Tally
		items := map[state.ObjectID]bool{}
		steps := 9
		if testing.Short() {
			steps = 5
		}
		for i := range machine.Time(steps) {
			from := i * interval
			for n, p := range crowd.players {
				// In a cross over the corner where four regions meet.
				place := geom.Point{X: 3*cellSide + int32(n-7)*300, Y: 3*cellSide + int32(n%3-1)*200}
				rep.wake(p, place)
				seq.Activate(p, place)
			}
			actions := crowd.batches(from, seq.Player)
			sum.Add(seq.Advance(from, from+interval, actions))
			rep.step(from, actions)
			compare(t, fmt.Sprintf("mode %d, step %d", mode, i), rep, seq)
			seq.Cells(func(c geom.Rect) {
				for _, o := range seq.Objects(c) {
					if tagOf(o) == tagItem {
						items[o.ID] = true
					}
				}
			})
		}
		if sum.Done < 100 || sum.Refused < 100 || sum.Blocks < 50 || len(items) < 10 {
			t.Errorf("mode %d: too little has happened: %+v, %d items", mode, sum, len(items))
		}
		t.Logf("mode %d: %+v", mode, sum)
	}
}

// wake announces a player whose character lies static, or who has none.
func (p *replica) wake(who *state.Player, place geom.Point) {
	for _, list := range p.objects {
		for _, b := range list {
			o, err := p.r.DecodeObject(b)
			if err != nil {
				p.t.Fatal(err)
			}
			if o.ID != CharacterOf(who.ID) {
				continue
			}
			if o.Static {
				p.woken = append(p.woken, p.r.Activate(who, o.Pos, o))
			}
			return
		}
	}
	p.woken = append(p.woken, p.r.Activate(who, place, nil))
}

func compare(t *testing.T, when string, rep *replica, seq *Sequence) {
	t.Helper()
	seq.Cells(func(c geom.Rect) {
		var got []*state.Object
		for _, b := range rep.objects[c] {
			o, err := rep.r.DecodeObject(b)
			if err != nil {
				t.Fatalf("%s: %v", when, err)
			}
			got = append(got, o)
		}
		got = inOrder(got)
		want := seq.Objects(c)
		for i := range max(len(got), len(want)) {
			switch {
			case i >= len(got) || i < len(want) && got[i].ID > want[i].ID:
				t.Fatalf("%s: %v lacks %s", when, rep.r.regionAt(c.Min), describe(want[i]))
			case i >= len(want) || got[i].ID < want[i].ID:
				t.Fatalf("%s: %v has %s too much", when, rep.r.regionAt(c.Min), describe(got[i]))
			case got[i].Digest != want[i].Digest || got[i].Static != want[i].Static:
				t.Fatalf("%s: %v differs:\n got %s\nwant %s", when, rep.r.regionAt(c.Min), describe(got[i]), describe(want[i]))
			}
		}
	})
}

func describe(o *state.Object) string {
	switch s := o.State.(type) {
	case *character:
		return fmt.Sprintf("character %+v static %v: %+v", s.coming, o.Static, *s.body)
	case *world.Mob:
		return fmt.Sprintf("mob %+v", *s)
	}
	return fmt.Sprintf("%T %+v", o.State, o.State)
}
