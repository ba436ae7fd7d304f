package voxelrules

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// TestItemsCrossCells: what is thrown over a border is replayed, lies in the next
// cell after the step, and is there five minutes.
func TestItemsCrossCells(t *testing.T) {
	cfg := Config{Seed: 3, Regions: 4, Terrain: plain{}}
	seq := NewSequence(cfg)
	rep := &replica{t: t, r: New(cfg), cells: seq.Cells}
	p := &state.Player{ID: id.Of([]byte("thrower")), Home: geom.Point{Y: 7}}
	place := seq.Place(world.Vec{X: fixed.Int(127), Y: fixed.Int(terrain.SeaLevel + 1), Z: fixed.Int(50)})
	lying := func() (at []world.RegionPos) {
		seq.Cells(func(c geom.Rect) {
			for _, o := range seq.Objects(c) {
				if it, ok := o.State.(*world.Item); ok && it.Stack.Count == 3 {
					at = append(at, it.Body.Pos.Block().Region())
				}
			}
		})
		return at
	}
	for i := range 33 {
		from := machine.Time(i) * interval
		rep.wake(p, place)
		seq.Activate(p, place)
		batch := Batch{First: TickAt(from) + 1, Join: true}
		for n := range 200 {
			m := Moment{Input: world.Input{Yaw: 16384}} // towards +x
			if i == 1 && n == 5 {
				m.Act = world.Act{Kind: world.ActDrop, A: 0, B: 3}
			}
			batch.Moments = append(batch.Moments, m)
		}
		actions := []*state.Action{{Player: p, Seq: uint64(i), At: from + interval, Body: batch.AppendBinary(nil)}}
		seq.Advance(from, from+interval, actions)
		rep.step(from, actions)
		compare(t, "step", rep, seq)
		switch at := lying(); {
		case i == 1 && (len(at) != 1 || at[0] != world.RegionPos{X: 1}):
			t.Fatalf("after the throw it lies in %v", at)
		case i == 32 && len(at) != 0:
			t.Errorf("after five minutes it lies in %v", at)
		}
	}
}
