package voxelrules

import (
	"bytes"
	"slices"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

func samples(r *Rules) []*state.Object {
	p := newBuilders(1, 1).players[0]
	body := world.NewPlayer(p.ID, "a", world.Survival, world.Vec{Y: 70 << 12})
	mob := world.NewMob(77, world.Sheep, world.Vec{X: 5 << 12, Y: 70 << 12, Z: -3 << 12})
	area := world.NewArea(world.AreaConfig{}, world.RegionPos{X: -1}, nil)
	area.SetColumn(&world.Column{Pos: world.ColumnPos{X: -4}})
	return []*state.Object{
		r.newCharacter(p, true, &character{body: body}),
		r.newCharacter(p, false, &character{body: body, coming: newcomer}),
		r.newMob(mob),
		r.newChunk(&difference{pos: world.ColumnPos{X: -3, Z: 2}, y: 2, blocks: []changed{{0, world.Stone}, {7, world.Air}, {32767, world.Dirt}}}),
		r.newRegionState(&regionState{pos: world.RegionPos{X: -1}, area: area.AppendRest(nil), notes: []world.Pos{{X: 0, Y: 4, Z: 5}}}),
		r.newRemoteEdit(&remoteEdit{answered: true, tick: 9, remote: world.Remote{
			Kind: world.RemotePlace, Player: p.ID, Seq: 4, At: world.Pos{X: 1, Y: 2, Z: 3}, Block: world.Dirt, Code: world.Occupied,
		}}),
		r.newAuditor(p, &auditor{at: world.RegionPos{X: 1, Z: -2}, idle: 3, inventories: []inventory{{player: p.ID, items: []item{{world.Stone, 3}, {world.OakPlanks, 70}}}}}),
		r.newLeftInventory(&leftInventory{at: world.RegionPos{Z: 1}, inventory: inventory{player: p.ID, items: []item{{world.OakLog, 1}}}}),
	}
}

func TestObjectsComeBackFromTheirEncodings(t *testing.T) {
	r := New(Config{Seed: 1, Regions: 4})
	for _, o := range samples(r) {
		b := r.AppendObject(nil, o)
		got, err := New(r.cfg).DecodeObject(b)
		if err != nil {
			t.Fatalf("%s: %v", describe(o), err)
		}
		if got.ID != o.ID || got.Digest != o.Digest || got.Static != o.Static || got.Pos != o.Pos || got.Size != len(b) {
			t.Errorf("%+v came back as %+v", o, got)
		}
		for n := range b {
			if _, err := r.DecodeObject(b[:n]); err == nil {
				t.Errorf("%s was read without its last %d bytes", describe(o), len(b)-n)
			}
		}
		if _, err := r.DecodeObject(append(b, 0)); err == nil {
			t.Errorf("%s was read with a byte too much", describe(o))
		}
	}
}

// What others send can be anything; what is read can be replayed.
func FuzzDecodeObject(f *testing.F) {
	r := New(Config{Seed: 1, Regions: 2})
	for _, o := range samples(r) {
		f.Add(r.AppendObject(nil, o))
	}
	target := geom.Rect{Max: geom.Point{X: cellSide, Y: cellSide}}
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := r.DecodeObject(b)
		if err != nil {
			return
		}
		if !bytes.Equal(r.AppendObject(nil, o), b) {
			t.Fatalf("%x is not what is written", b)
		}
		if o.Static {
			return
		}
		s := &state.Step{To: 2 * interval / 200, Target: target, Objects: []*state.Object{o}}
		for _, next := range r.Replay(s) {
			if next.Static != (next.Player != nil && next.Static) || !within(target, next.Pos) {
				t.Fatalf("became %s at %v", describe(next), next.Pos)
			}
		}
	})
}

func TestBatches(t *testing.T) {
	b := &Batch{First: 400, Join: true}
	for i := range MaxMoments {
		m := Moment{Input: world.Input{Buttons: 1, Yaw: uint16(i / 50 * 20000), Pitch: -300}}
		if i%30 == 0 {
			m.Act = world.Act{Kind: world.ActPlace, At: world.Pos{X: -4, Y: 60, Z: int32(i)}, Face: world.FaceUp, A: 3}
		}
		b.Moments = append(b.Moments, m)
	}
	body := b.AppendBinary(nil)
	if len(body) > 200 {
		t.Errorf("10 s of walking and 7 acts take %d bytes", len(body))
	}
	got, err := DecodeBatch(body)
	if err != nil || got.Join != b.Join || got.Leave != b.Leave || got.First != b.First || !slices.Equal(got.Moments, b.Moments) {
		t.Fatalf("%+v came back as %+v (%v)", b, got, err)
	}
	b.Moments = append(b.Moments, Moment{})
	if _, err := DecodeBatch(b.AppendBinary(nil)); err == nil {
		t.Error("a batch of more than 10 s was read")
	}

	out := make([][]world.Command, 10)
	who := &world.Player{}
	got.commands(who, 595, 605, out)
	for i, cmds := range out {
		if want := i < 4; (len(cmds) > 0) != want || want && cmds[0].Seq != uint32(596+i) {
			t.Errorf("tick %d has %d commands", 596+i, len(cmds))
		}
	}
}

func FuzzDecodeBatch(f *testing.F) {
	f.Add((&Batch{First: 9, Audit: true, To: world.RegionPos{X: -1}, Edits: []Edit{
		{Kind: EditJoin, Player: id.ID{7}, Tick: 9}, {Kind: EditPlace, Player: id.ID{7}, Tick: 12, At: world.Pos{Y: 3}, Block: world.Stone},
		{Kind: EditCraft, Player: id.ID{8}, Tick: 13, Recipe: 2, Times: 1}, {Kind: EditLeave, Player: id.ID{8}, Tick: 14},
	}}).AppendBinary(nil))
	f.Add((&Batch{First: 3, Leave: true, Moments: []Moment{{}, {}, {Act: world.Act{Kind: world.ActDig}}}}).AppendBinary(nil))
	f.Fuzz(func(t *testing.T, in []byte) {
		b, err := DecodeBatch(in)
		if err != nil {
			return
		}
		again, err := DecodeBatch(b.AppendBinary(nil))
		if err != nil || again.First != b.First || again.Audit != b.Audit || again.To != b.To || !slices.Equal(again.Moments, b.Moments) || !slices.Equal(again.Edits, b.Edits) {
			t.Fatalf("%+v became %+v (%v)", b, again, err)
		}
		out := make([][]world.Command, 4)
		b.commands(&world.Player{}, b.First, b.First+4, out)
	})
}
