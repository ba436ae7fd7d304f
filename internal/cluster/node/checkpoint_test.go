package node

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// TestLongStoredWorldOutlivesItsNodes: all nodes of a world with a storage are
// switched off, and come back later one after the other. What was voted is voted
// again, and nobody is accused of having kept something else.
func TestLongStoredWorldOutlivesItsNodes(t *testing.T) {
	simtest.Long(t)
	a := newStoredWorld(t, 10)
	a.s.Run(a.update(0).Add(time.Second).Sub(a.s.Now()))
	a.s.Run(2 * truthInterval)
	wrote := len(a.kept)
	a.s.Run(2 * truthInterval)
	if more := len(a.kept) - wrote; wrote == 0 || more > 0 {
		t.Errorf("nodes have encoded what they keep %d times, and %d times more though nothing had changed", wrote, more)
	}
	for i, at := range []geom.Point{{X: 3, Y: 3}, {X: 5, Y: 3}, {X: 3, Y: 5}, {X: 5, Y: 5}} {
		a.come(i, geom.Point{X: at.X * a.shape.Side / 8, Y: at.Y * a.shape.Side / 8})
	}
	a.right("before", 7)
	built := voxelrules.NewView(a.objects()).Changed()
	if len(built) == 0 {
		t.Fatal("nothing was built")
	}

	a.down = true
	for _, n := range a.nodes {
		n.Crash()
	}
	a.s.Run(time.Minute)
	for _, n := range a.nodes {
		n.Restart()
		a.s.Run(5 * time.Second)
	}
	a.s.Run(6 * truthInterval)

	all := map[state.ObjectID]*state.Object{}
	for i := range a.nodes {
		s := a.node(i).net.verified.StorageNode().State()
		if s == nil || s.UnsureCells() > 0 {
			t.Fatalf("node %d does not know its part of the world", i)
		}
		for _, o := range s.Objects(&s.Cover, a.shape, nil) {
			all[o.ID] = o
		}
	}
	now := voxelrules.NewView(slices.Collect(maps.Values(all))).Changed()
	for at, is := range built {
		if now[at] != is && !world.Drifts(is) { // grass that something was put on has become earth
			t.Errorf("%v was %v, and is %v", at, is, now[at])
		}
	}
	if len(a.proofs) > 0 {
		t.Errorf("%d proofs against honest nodes", len(a.proofs))
	}
	t.Logf("%d blocks were built", len(built))
}
