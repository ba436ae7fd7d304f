package region

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestMerge: of changes to an earlier state those are made whose blocks nobody has
// touched, and they last. Nobody but the node itself can ask for it.
func TestMerge(t *testing.T) {
	b := newBed(t)
	c := b.client("ada").enter()
	c.watch(here, RateEvery)
	b.until("columns", func() bool { return len(c.columns) == world.Columns })
	c.hold(world.Bricks)
	b.run(200 * time.Millisecond)
	under := c.body.Block().Add(2, -1, 0)
	seq := c.place(under)
	b.until("answer", func() bool { return c.results[seq] != nil })
	touched, free := under.Add(0, 1, 0), under.Add(0, 5, 0)
	var got *Merged
	b.lose = func(m machine.Message) bool {
		if d, ok := m.(*Merged); ok {
			got = d
		}
		return got != nil
	}
	changes := []world.BlockChange{{At: touched, Was: world.Air, Now: world.Glass}, {At: free, Was: world.Air, Now: world.Glass}}
	b.deliver(here, PeerOf(world.RegionPos{X: 1}), &Merge{7, changes})
	b.run(time.Second)
	if got != nil || b.block(free) != world.Air {
		t.Fatalf("a neighbour had changes merged: %+v", got)
	}
	for _, want := range []*Merged{{8, 1, true}, {8, 1, true}} { // it may be asked again
		got = nil
		b.deliver(here, PeerOf(here), &Merge{8, changes})
		b.until("the answer", func() bool { return got != nil })
		if *got != *want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	b.until("the client sees it", func() bool {
		return c.columns[free.Column()].At(int(free.X&31), int(free.Y), int(free.Z&31)) == world.Glass
	})
	b.crash()
	for at, want := range map[world.Pos]world.Block{touched: world.Bricks, free: world.Glass} {
		b.region(here)
		b.run(time.Second)
		kvs := b.read(machine.DiskRead{Space: Space(here)})
		col, err := Stored(at.Column(), kvs, flatColumn)
		if err != nil || col.At(int(at.X&31), int(at.Y), int(at.Z&31)) != want {
			t.Errorf("%v is not %v on the disk (%v)", at, want, err)
		}
	}
}

// TestDifference: the blocks that differ in two states are found, whether they are in
// columns or in the log, and no others.
func TestDifference(t *testing.T) {
	at := func(column int, y int32) world.Pos { return here.Column(column).Origin().Add(3, y, 4) }
	log := func(seq uint64, changes ...world.BlockChange) machine.KV {
		var b []byte
		for _, c := range changes {
			b = appendChange(b, c)
		}
		return machine.KV{Key: []byte(logKey(seq)), Value: b}
	}
	column := func(i int, set ...world.BlockChange) machine.KV {
		c := flatColumn(here.Column(i))
		for _, x := range set {
			c.Set(3, int(x.At.Y), 4, x.Now)
		}
		return machine.KV{Key: []byte(columnKey(i)), Value: encodeColumn(c)}
	}
	first := world.BlockChange{At: at(0, 100), Was: world.Air, Now: world.Bricks}
	before := []machine.KV{column(1, world.BlockChange{At: at(1, 90), Now: world.Glass}), log(1, first)}
	dug := world.BlockChange{At: at(0, 100), Was: world.Bricks, Now: world.Air}
	added := world.BlockChange{At: at(2, 120), Was: world.Air, Now: world.Stone}
	gone := world.BlockChange{At: at(1, 90), Was: world.Glass, Now: world.Air}
	after := []machine.KV{column(0, dug), column(1, gone), log(9, added)}
	got, err := Difference(here, before, after, flatColumn)
	if want := []world.BlockChange{dug, gone, added}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if same, err := Difference(here, before, before, flatColumn); err != nil || len(same) > 0 {
		t.Errorf("of the same state: %v, %v", same, err)
	}
	if _, err := Difference(here, before, []machine.KV{{Key: []byte(logKey(1)), Value: []byte{255}}}, flatColumn); err == nil {
		t.Error("a damaged log has a difference")
	}
}
