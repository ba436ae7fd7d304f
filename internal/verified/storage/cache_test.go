package storage_test

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// A cache that nodes share saves them work and tells them nothing: with a cache of its
// own each of them sends the same messages and holds the same cells, and none holds
// an object that lies outside of its part of the world.
func TestSharedCacheTellsNothing(t *testing.T) {
	const last = 3
	run := func(shared bool) *bed {
		b := newBed(t, 4, 4, 24, 2*time.Minute)
		if !shared {
			b.memo = nil
		}
		for of := int64(0); of <= last; of++ {
			b.playAll(of)
		}
		b.until(b.update(last).Add(3*storage.DefaultLMax + time.Second))
		return b
	}
	one, each := run(true), run(false)
	if one.sim.Trace() != each.sim.Trace() {
		t.Error("nodes that share a cache do something else")
	}
	if one.memo.Hits == 0 {
		t.Error("nothing was found in the cache")
	}
	for i, m := range one.live() {
		s, own := m.node().State(), each.live()[i].node().State()
		whole := s.Cover.Circle
		for k, c := range s.Cells {
			for j, o := range objectsOf(c) {
				if !whole.Contains(o.Pos) {
					t.Fatalf("node %d holds object %d, which lies outside of its circle", i, o.ID)
				}
				if d := objectsOf(own.Cells[k]); len(d) <= j || d[j].Digest != o.Digest {
					t.Fatalf("node %d: object %d is another one with its own cache", i, o.ID)
				}
			}
		}
	}
}

func objectsOf(c *state.Cell) []*state.Object {
	if c == nil {
		return nil
	}
	return c.Objects
}
