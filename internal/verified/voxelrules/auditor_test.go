package voxelrules

import (
	"fmt"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// walker is a node of one player that goes from region to region and says what
// the player does.
type walker struct {
	player *state.Player
	who    id.ID
	at     world.RegionPos
	seq    uint64
}

func newWalker(i int) *walker {
	return &walker{
		player: &state.Player{ID: id.Of(fmt.Appendf(nil, "node %d", i)), Home: geom.Point{X: int32(i), Y: 9}},
		who:    id.Of(fmt.Appendf(nil, "player %d", i)),
	}
}

// says is a batch of edits, one a tick from the beginning of an interval.
func (w *walker) says(from machine.Time, to world.RegionPos, edits ...Edit) *state.Action {
	b := Batch{First: TickAt(from) + 1, Audit: true, To: to}
	for i, e := range edits {
		e.Player, e.Tick = w.who, b.First+uint64(i)
		b.Edits = append(b.Edits, e)
	}
	w.seq++
	return &state.Action{Player: w.player, Seq: w.seq, At: from + interval, Body: b.AppendBinary(nil)}
}

// TestLongWitnessesReplay: what auditors sign is replayed alike by cells on their own
// and by one replay of the whole world, also where they cross borders, fall
// silent and come back.
func TestLongWitnessesReplay(t *testing.T) {
	simtest.Long(t)
	for _, mode := range []world.Mode{world.Survival, world.Creative} {
		cfg := Config{Seed: 3, Regions: 6, Mobs: 2, Mode: mode}
		seq := NewSequence(cfg)
		rep := &replica{t: t, r: New(cfg), cells: seq.Cells}
		r, draw := rep.r, rng.New(11)
		var nodes []*walker
		for i := range 5 {
			nodes = append(nodes, newWalker(i))
		}
		crowd := newBuilders(3, 5)
		var sum Tally
		for i := range machine.Time(16) {
			from := i * interval
			var acts []*state.Action
			for n, w := range nodes {
				if seq.witnesses[w.player.ID] == nil {
					place := r.Middle(world.RegionPos{X: int32(n % 2), Z: -1})
					w.at = r.regionAt(place)
					rep.woken = append(rep.woken, r.Activate(w.player, place, nil))
					seq.Activate(w.player, place)
					acts = append(acts, w.says(from, w.at))
					continue
				}
				if n == 4 && i > 2 && i < 11 {
					continue // silent for long enough to be gone
				}
				w.at = seq.witnesses[w.player.ID].at
				acts = append(acts, w.says(from, world.RegionPos{X: w.at.X + int32(draw.Intn(3)-1), Z: w.at.Z}, randomEdits(&draw, seq, w.at)...))
			}
			for n, p := range crowd.players {
				place := geom.Point{X: 3*cellSide + int32(n-2)*300, Y: 3 * cellSide}
				rep.wake(p, place)
				seq.Activate(p, place)
			}
			acts = append(acts, crowd.batches(from, seq.Player)...)
			sum.Add(seq.Advance(from, from+interval, acts))
			rep.step(from, acts)
			compare(t, fmt.Sprintf("mode %d, step %d", mode, i), rep, seq)
		}
		if sum.Done < 100 || sum.Blocks < 50 || len(seq.witnesses) == 0 {
			t.Errorf("mode %d: too little has happened: %+v", mode, sum)
		}
	}
}

// randomEdits are of a few places at a region's corner, so that auditors meet.
func randomEdits(draw *rng.Rand, seq *Sequence, in world.RegionPos) (out []Edit) {
	out = append(out, Edit{Kind: EditJoin})
	low := in.Column(draw.Intn(2) * (world.Columns - 1)).Origin()
	for range 1 + draw.Intn(30) {
		at := low.Add(int32(draw.Intn(3)), int32(60+draw.Intn(12)), int32(draw.Intn(3)))
		e := Edit{Kind: EditPlace, At: at, Block: []world.Block{world.OakPlanks, world.Sand, world.Glass, world.Torch}[draw.Intn(4)]}
		if b, _ := seq.Block(at); b != world.Air && draw.OneIn(2) {
			e.Kind, e.Block = EditBreak, b
		} else if draw.OneIn(9) {
			e = Edit{Kind: EditCraft, Recipe: uint32(draw.Intn(len(world.Recipes))), Times: 1}
		}
		out = append(out, e)
	}
	if draw.OneIn(8) {
		out = append(out, Edit{Kind: EditLeave})
	}
	return out
}

// TestNothingComesOfNothing: what an auditor signs counts as far as its player can
// have it: a block has to be where it was broken, and what is placed has to have
// been broken, crafted or given at the start.
func TestNothingComesOfNothing(t *testing.T) {
	seq := NewSequence(Config{Seed: 3, Regions: 4, Mode: world.Survival})
	w := newWalker(1)
	at := world.RegionPos{X: 0, Z: 0}
	seq.Activate(w.player, seq.r.Middle(at))
	seq.Advance(0, interval, []*state.Action{w.says(0, at)})
	ground := seq.r.standing(40, 40)
	high := func(n int32) world.Pos { return ground.Add(n, 20, 0) }
	place := func(n int32, b world.Block) Edit { return Edit{Kind: EditPlace, At: high(n), Block: b} }
	dig := func(n int32, b world.Block) Edit { return Edit{Kind: EditBreak, At: high(n), Block: b} }
	var edits []Edit
	edits = append(edits,
		place(0, world.OakPlanks), // nobody has come yet
		Edit{Kind: EditJoin},
		place(1, world.OakPlanks), // of the kit
		place(2, world.Stone),     // of nowhere
		dig(3, world.Stone),       // is not there
		place(4, world.Stone),
		dig(1, world.Stone), // is another block
		dig(1, world.OakPlanks),
		place(5, world.OakSlab),
		Edit{Kind: EditCraft, Recipe: 7, Times: 1}, // slabs of planks
		Edit{Kind: EditCraft, Recipe: 9, Times: 1}, // stone of nothing
		place(6, world.OakSlab),
		place(7, world.Stone),
		Edit{Kind: EditBreak, At: world.Pos{X: 1, Y: 0, Z: 1}, Block: world.Bedrock},
		Edit{Kind: EditPlace, At: world.Pos{X: 300, Y: 90, Z: 300}, Block: world.OakPlanks}, // elsewhere
	)
	seq.Advance(interval, 2*interval, []*state.Action{w.says(interval, at, edits...)})
	want := map[world.Pos]world.Block{high(6): world.OakSlab}
	for n := range int32(8) {
		if b, _ := seq.Block(high(n)); b != want[high(n)] {
			t.Errorf("block %d is %v, want %v", n, b, want[high(n)])
		}
	}
	var all []*state.Object
	seq.Cells(func(c geom.Rect) { all = append(all, seq.Objects(c)...) })
	v := NewView(all)
	if n, ok := v.ItemCount(w.player.ID, w.who, world.OakPlanks); !ok || n != 31 {
		t.Errorf("%d planks are left (%v), want 31", n, ok)
	}
	if n, ok := v.ItemCount(w.player.ID, w.who, world.OakSlab); !ok || n != 1 {
		t.Errorf("%d slabs are left (%v), want 1", n, ok)
	}
	if _, ok := v.ItemCount(w.player.ID, w.who, world.Sand); ok {
		t.Error("sand is counted, which falls by itself")
	}

	// What is left behind is there for whoever brings the player back.
	seq.Advance(2*interval, 3*interval, []*state.Action{w.says(2*interval, at, Edit{Kind: EditLeave})})
	other := newWalker(2)
	other.who = w.who
	seq.Activate(other.player, seq.r.Middle(at))
	seq.Advance(3*interval, 4*interval, []*state.Action{other.says(3*interval, at)})
	seq.Advance(4*interval, 5*interval, []*state.Action{other.says(4*interval, at, Edit{Kind: EditJoin})})
	all = nil
	seq.Cells(func(c geom.Rect) { all = append(all, seq.Objects(c)...) })
	if n, ok := NewView(all).ItemCount(other.player.ID, w.who, world.OakPlanks); !ok || n != 31 {
		t.Errorf("at another node the player has %d planks (%v), want 31", n, ok)
	}
}
