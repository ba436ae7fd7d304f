package region

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
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
	b.deliver(here, PeerOf(world.RegionPos{X: 1}), &Merge{7, changes, nil})
	b.run(time.Second)
	if got != nil || b.block(free) != world.Air {
		t.Fatalf("a neighbour had changes merged: %+v", got)
	}
	for _, want := range []*Merged{{8, 1, true}, {8, 1, true}} { // it may be asked again
		got = nil
		b.deliver(here, PeerOf(here), &Merge{8, changes, nil})
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

// TestMergePlayers: a player came to a copy of a region, whose hosts know only that it went
// away before. With what the copy had the player is in again, as it was there; of players
// who are here, or of whom something newer is known, nothing changes.
func TestMergePlayers(t *testing.T) {
	b := newBed(t)
	c := atBorder(b, "ada")
	c.walkFor(40, world.ButtonForward, east)
	b.run(time.Second)
	if c.home != there {
		t.Fatalf("home %v", c.home)
	}
	b.client("bob").enter() // keeps the region awake
	b.lose = func(m machine.Message) bool { _, answer := m.(*Merged); return answer }
	merge := func(state []byte) {
		b.deliver(here, PeerOf(here), &Merge{8, nil, [][]byte{state}})
		b.run(time.Second)
	}
	store := b.region(here).r.store
	went, ok := store.pointer(keyPointer, c.player)
	if !ok {
		t.Fatal("nothing says where the player went")
	}
	_, h := b.homeOf(c.player)
	p := *h.p
	p.Body.Pos = metres(127.5, flatTop+1, 64)
	old := p
	old.Epoch = went.epoch
	merge(old.AppendBinary(nil))
	if _, ok := store.player(c.player); ok {
		t.Fatal("an old life was merged")
	}
	p.Epoch, p.Health = went.epoch+1, 3
	far := p
	far.Body.Pos.X += metres(1000, 0, 0).X
	merge(far.AppendBinary(nil))
	if _, ok := store.player(c.player); ok {
		t.Fatal("a player who is elsewhere was merged")
	}
	merge(p.AppendBinary(nil))
	got, ok := store.player(c.player)
	if !ok || got.Health != 3 || got.Epoch != p.Epoch {
		t.Fatalf("merged: %+v", got)
	}
	if _, ok := store.pointer(keyPointer, c.player); ok {
		t.Error("it still says that the player went away")
	}
}

// TestNewPlayers: players who came from one state to another are found.
func TestNewPlayers(t *testing.T) {
	record := func(name string, epoch uint64) machine.KV {
		p := world.NewPlayer(id.Of([]byte(name)), name, world.Survival, here.Column(0).Origin().Centre())
		p.Epoch = epoch
		return machine.KV{Key: []byte(playerKey(keyPlayer, p.ID)), Value: p.AppendBinary(nil)}
	}
	broken := record("eve", 4)
	broken.Value = broken.Value[1:]
	before := []machine.KV{record("stayed", 5), record("came back", 5)}
	after := []machine.KV{record("stayed", 5), record("came back", 7), record("came", 2), broken}
	got := NewPlayers(before, after)
	if len(got) != 2 || !bytes.Equal(got[0], after[1].Value) || !bytes.Equal(got[1], after[2].Value) {
		t.Errorf("%d players", len(got))
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
