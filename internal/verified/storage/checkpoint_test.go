package storage_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// All nodes of a world stop at once, as after a power cut, and come back one
// after the other with what they had kept: nobody knows anything for sure, and
// what they have kept becomes the world again. Without it nobody ever would have
// any. What wanders from cell to cell is neither lost nor there twice, though one
// place is known again long before another: without cells that stand still until
// all go on, ten of these objects were gone.
func TestLongAllBeginAnew(t *testing.T) {
	simtest.Long(t)
	for _, c := range []struct {
		seed uint64
		wire bool
		back time.Duration // until all are there
	}{
		{8, false, 2 * interval}, {2, false, 6 * interval}, {12, true, 2 * interval},
	} {
		t.Run(fmt.Sprintf("seed %d, wire %v, back in %v", c.seed, c.wire, c.back), func(t *testing.T) { allBeginAnew(t, c.seed, c.wire, c.back) })
	}
}

func allBeginAnew(t *testing.T, seed uint64, wire bool, back time.Duration) {
	const cut, nodes = 4, 32
	b := newBed(t, seed, 4, nodes, 2*time.Minute)
	b.protocol, b.wire = storage.ProtocolHardened, wire
	for of := int64(0); of <= cut; of++ {
		b.until(b.update(of))
		b.play(of)
		b.settle(of)
	}
	if n := b.agree(cut); n > 0 {
		t.Fatalf("%d of %d nodes have a wrong state before", n, nodes)
	}
	kept := map[int]*messages.Push{}
	for i, m := range b.nodes[:nodes] {
		kept[i] = m.node().Checkpoint()
		m.Stop()
	}
	b.until(b.update(cut + 7))
	for i := range nodes {
		b.sim.At(b.sim.Now().Add(time.Duration(b.rand.Intn(int(back)))), func() {
			m := b.nodes[i]
			m.Restart()
			m.Call(func() { m.node().Restore(kept[i]) })
		})
	}
	end := int64(cut+7+10) + int64(back/interval) // some need long until they find somebody who is there
	b.until(b.update(end).Add(3*storage.DefaultLMax + time.Second))
	doubts, held := 0, map[state.ObjectID]bool{}
	for _, m := range b.live() {
		s := m.node().State()
		if s == nil || s.Of != end {
			t.Fatalf("node %s has no state of t_%d", m.self.ID.Short(), end)
		}
		doubts += s.UnsureCells()
		own := map[state.ObjectID]bool{}
		for _, o := range s.Objects(&s.Cover, b.toy.World(), nil) {
			if own[o.ID] {
				t.Errorf("object %d is there twice", o.ID)
			}
			own[o.ID], held[o.ID] = true, true
		}
	}
	if n := b.differ(); n > 0 || doubts > 0 {
		t.Errorf("%d objects have several versions, %d cells are unsure", n, doubts)
	}
	for _, o := range b.truth[cut] {
		if !o.Static && !held[o.ID] {
			t.Errorf("object %d is gone", o.ID)
		}
	}
}

// What is not written to the disk again has to be what is there: anything else is
// another keepsake.
func TestSameKeepsake(t *testing.T) {
	b := newBed(t, 2, 4, 8, 2*time.Minute)
	b.protocol = storage.ProtocolHardened
	b.until(b.update(1).Add(3*storage.DefaultLMax + time.Second))
	m := b.live()[0].node().Checkpoint()
	if m == nil {
		t.Fatal("nothing is kept")
	}
	full := -1
	for i, c := range m.Seen.Cells {
		if c != nil && len(c.Objects) > 0 {
			full = i
		}
	}
	like := func(change func(*state.Snapshot)) *messages.Push {
		s := *m.Seen
		s.Cells = slices.Clone(s.Cells)
		change(&s)
		return &messages.Push{Seen: &s, Area: s.Cover}
	}
	if !storage.SameCheckpoint(m, like(func(s *state.Snapshot) { s.Cells[full] = state.NewCell(s.Cells[full].Objects) })) {
		t.Error("the same objects are another keepsake")
	}
	for what, change := range map[string]func(*state.Snapshot){
		"an object is gone": func(s *state.Snapshot) { s.Cells[full] = state.NewCell(s.Cells[full].Objects[1:]) },
		"a cell is gone":    func(s *state.Snapshot) { s.Cells[full] = nil },
		"a cell is unsure": func(s *state.Snapshot) {
			s.Unsure = make([]bool, len(s.Cells))
			s.Unsure[full] = true
		},
		"another part": func(s *state.Snapshot) { s.Cover.Circle.R++ },
	} {
		if storage.SameCheckpoint(m, like(change)) || storage.SameCheckpoint(like(change), m) {
			t.Errorf("%s: the same keepsake", what)
		}
	}
	if storage.SameCheckpoint(m, nil) || !storage.SameCheckpoint(nil, nil) {
		t.Error("what was never kept")
	}
}
