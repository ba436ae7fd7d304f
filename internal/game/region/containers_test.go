package region

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

const firstOfChest = world.ContainerSlots

// store moves count of a stack, 0 for all, between slots of a player and of a chest.
func (c *client) store(at world.Pos, from, to, count int) uint32 {
	return c.act(Act{Kind: uint8(world.ActStore), Pos: at, A: uint64(from), B: uint32(to + count<<8)})
}

func (c *client) open(at world.Pos) uint32 {
	return c.act(Act{Kind: uint8(world.ActOpen), Pos: at})
}

// inChest counts the planks in a chest as a client was last told.
func (c *client) inChest() (n int) {
	for _, s := range c.chest.Slots {
		n += int(s.Count)
	}
	return n
}

// withChest returns players who stand around a chest, each with 32 planks in slot 1.
func withChest(b *bed, names ...string) (at world.Pos, all []*client) {
	b.Helper()
	for i, name := range names {
		c := builder(b, name)
		b.teleport(c, metres(62.5+3*float64(i), flatTop+1, 64.5))
		b.run(500 * time.Millisecond)
		all = append(all, c)
	}
	b.wants(here, b.ordered(all[0].player, decision.Order{Kind: decision.Give, Text: "chest", Count: 1}))
	b.run(200 * time.Millisecond)
	if all[0].items[4].Block != world.Chest {
		b.Fatalf("no chest: %v", all[0].items)
	}
	on := world.Pos{X: 64, Y: flatTop, Z: 64}
	seq := all[0].act(Act{Kind: uint8(world.ActPlace), Pos: on, Face: uint8(world.FaceUp), A: 4})
	b.run(200 * time.Millisecond)
	if res := all[0].results[seq]; res == nil || !res.OK {
		b.Fatalf("the chest is not placed: %+v", res)
	}
	return on.Next(world.FaceUp), all
}

// planksInAll counts the planks of players, of all containers and on the ground.
func (b *bed) planksInAll(all []*client) int {
	b.Helper()
	return b.countOf(all, world.OakPlanks)
}

// countOf counts things of some kinds that players have, that lie in containers as they
// are now, and on the ground.
func (b *bed) countOf(all []*client, kinds ...world.Block) (sum int) {
	b.Helper()
	count := func(s world.Stack) {
		if slices.Contains(kinds, s.Block) {
			sum += int(s.Count)
		}
	}
	for _, c := range all {
		_, h := b.homeOf(c.player)
		if h == nil {
			b.Fatalf("%s is nowhere", c.name)
		}
		for _, s := range h.p.Items {
			count(s)
		}
	}
	for _, pos := range b.awake {
		a := b.regions[pos].r.area
		for _, it := range a.Items() {
			count(it.Stack)
		}
		for _, c := range a.Containers() {
			for _, s := range a.Contents(c.At).Slots {
				count(s)
			}
		}
	}
	return sum
}

func TestTwoPlayersShareAChest(t *testing.T) {
	bothWays(t, func(t *testing.T, newBed func(testing.TB) *bed) {
		b := newBed(t)
		at, all := withChest(b, "ada", "bob")
		ada, bob := all[0], all[1]
		ada.open(at)
		bob.open(at)
		b.run(300 * time.Millisecond)
		if ada.chest == nil || bob.chest == nil || ada.chest.Size != 27 || len(ada.chest.Slots) != 0 {
			t.Fatalf("they see %+v and %+v", ada.chest, bob.chest)
		}
		seq := ada.store(at, 1, firstOfChest+5, 12)
		b.run(300 * time.Millisecond)
		if res := ada.results[seq]; res == nil || !res.OK || ada.items[1].Count != 20 {
			t.Fatalf("%+v, ada has %v", res, ada.items[1])
		}
		if len(bob.chest.Slots) != 1 || bob.chest.Slots[0] != (Slot{5, world.OakPlanks, 12}) {
			t.Fatalf("bob sees %+v", bob.chest)
		}
		seq = bob.store(at, firstOfChest+5, world.AnySlot, 5)
		late := ada.store(at, firstOfChest+5, world.AnySlot, 0)
		b.run(300 * time.Millisecond)
		if !bob.results[seq].OK || !ada.results[late].OK || ada.inChest() != 0 || bob.inChest() != 0 {
			t.Fatalf("%+v, %+v, they see %+v and %+v", bob.results[seq], ada.results[late], ada.chest, bob.chest)
		}
		if a, z := ada.items.Count(world.OakPlanks), bob.items.Count(world.OakPlanks); a != 27 || z != 37 {
			t.Errorf("ada has %d, bob %d", a, z)
		}
		if kvs := b.read(machine.DiskRead{Space: Space(here), Prefix: []byte(keyContainer)}); len(kvs) != 0 {
			t.Errorf("%d records of an empty chest", len(kvs))
		}
		told := bob.chest
		b.run(viewFor * TickLength)
		ada.store(at, 1, world.AnySlot, 1)
		b.run(300 * time.Millisecond)
		if bob.chest != told {
			t.Error("bob hears of a chest that he has not opened for long")
		}
	})
}

// TestChestCrash crashes after every number of events while two players move things in
// and out: what was acknowledged is so, and nothing is there twice or not at all.
func TestChestCrash(t *testing.T) {
	crashes(t, 50, 50, func(b *bed) scenario {
		at, all := withChest(b, "ada", "bob")
		had := b.planksInAll(all)
		ada, bob := all[0], all[1]
		moves := map[uint32]int{} // of ada, into the chest
		do := func(tick int) {
			switch tick {
			case 0, 3, 6:
				moves[ada.store(at, 1, firstOfChest, 3)] = 3
			case 10, 14:
				bob.store(at, firstOfChest, world.AnySlot, 2)
			case 12:
				b.region(here).r.snapshot(nil)
			}
		}
		whole := func() {
			if got := bob.items.Count(world.OakPlanks); got != 36 {
				t.Fatalf("bob has %d", got)
			}
		}
		check := func(n int) {
			acked := 0
			for seq, count := range moves {
				if res := ada.results[seq]; res != nil && res.OK {
					acked += count
				}
			}
			b.crash()
			for _, c := range all {
				c.enter()
			}
			b.run(time.Second)
			if sum := b.planksInAll(all); sum != had {
				t.Fatalf("crash after %d events: %d planks, there were %d", n, sum, had)
			}
			for seq := range moves { // asked again, and done once
				if res := ada.results[seq]; res == nil || !res.OK {
					t.Fatalf("crash after %d events: move %d: %+v", n, seq, res)
				}
			}
			if got := ada.items.Count(world.OakPlanks); got > 32-acked {
				t.Fatalf("crash after %d events: ada has %d, and %d are in the chest for certain", n, got, acked)
			}
		}
		return scenario{do, whole, check}
	})
}

// TestMovesInOneBatchFail: of moves that were written together, over several ticks, a
// player gets back what it carried before the first of them.
func TestMovesInOneBatchFail(t *testing.T) {
	bothWays(t, func(t *testing.T, newBed func(testing.TB) *bed) {
		b := newBed(t)
		at, all := withChest(b, "ada", "bob")
		ada := all[0]
		ada.open(at)
		b.run(300 * time.Millisecond)
		b.sync = time.Second
		var moves []uint32
		for range maxPending + 5 { // the last of them wait for the first, and are one batch
			moves = append(moves, ada.store(at, 1, firstOfChest, 2))
			b.run(100 * time.Millisecond)
		}
		b.run(maxPending*b.sync - 500*time.Millisecond)
		b.diskErr = errDisk
		b.run(5 * time.Second)
		good := 0
		for _, seq := range moves {
			if res := ada.results[seq]; res != nil && res.OK {
				good += 2
			}
		}
		if good == 0 || good > 2*maxPending {
			t.Fatalf("the test is empty: %d were moved", good)
		}
		if carries, lies := ada.items.Count(world.OakPlanks), ada.inChest(); carries != 32-good || lies != good {
			t.Errorf("ada has %d, %d are in the chest, %d were moved", carries, lies, good)
		}
	})
}

// TestChestDiskFails: a move that cannot be written is refused, and is undone on both
// sides; everybody who looks is told.
func TestChestDiskFails(t *testing.T) {
	bothWays(t, func(t *testing.T, newBed func(testing.TB) *bed) {
		b := newBed(t)
		at, all := withChest(b, "ada", "bob")
		ada, bob := all[0], all[1]
		ada.open(at)
		bob.open(at)
		ada.store(at, 1, firstOfChest, 10)
		b.run(300 * time.Millisecond)
		b.sync = 100 * time.Millisecond
		b.diskErr = errDisk
		bad := []uint32{ada.store(at, 1, firstOfChest, 5), bob.store(at, firstOfChest, world.AnySlot, 0)}
		dig := ada.act(Act{Kind: uint8(world.ActDig), Pos: at, Face: uint8(world.FaceUp)})
		b.run(50 * time.Millisecond)
		if bob.inChest() != 0 {
			t.Fatal("the test is empty: nothing was moved")
		}
		b.run(3 * time.Second)
		for i, c := range all {
			if res := c.results[bad[i]]; res == nil || res.Reason != string(storageCode) {
				t.Errorf("%s: %+v", c.name, res)
			}
			if c.inChest() != 10 {
				t.Errorf("%s sees %+v", c.name, c.chest)
			}
		}
		if res := ada.results[dig]; res == nil || res.OK {
			t.Errorf("broken: %+v", res)
		}
		if a, z := ada.items.Count(world.OakPlanks), bob.items.Count(world.OakPlanks); a != 22 || z != 32 {
			t.Errorf("ada has %d, bob %d", a, z)
		}
		b.diskErr = nil
		b.run(5 * time.Second)
		seq := bob.store(at, firstOfChest, world.AnySlot, 0)
		b.run(time.Second)
		if res := bob.results[seq]; res == nil || !res.OK || b.planksInAll(all) != 64 {
			t.Errorf("afterwards: %+v, %d planks", res, b.planksInAll(all))
		}
	})
}

// TestChestAndHandover: a player goes over the border while its moves are on their way;
// what comes late is refused there, and nothing is lost or there twice.
func TestChestAndHandover(t *testing.T) {
	bothWays(t, func(t *testing.T, newBed func(testing.TB) *bed) {
		for _, delay := range []time.Duration{time.Millisecond, 40 * time.Millisecond, 170 * time.Millisecond} {
			b := newBed(t)
			at, all := withChest(b, "ada")
			ada := all[0]
			ada.watch(there, RateEvery)
			b.delay = delay
			ada.open(at)
			first := ada.store(at, 1, firstOfChest, 4)
			b.run(300 * time.Millisecond)
			b.teleport(ada, metres(133.5, flatTop+1, 64.5))
			var seqs []uint32
			for range 30 {
				seqs = append(seqs, ada.store(at, 1, firstOfChest, 1))
				b.run(20 * time.Millisecond)
			}
			b.run(2 * time.Second)
			if r, _ := b.homeOf(ada.player); r == nil || r.Pos() != there {
				t.Fatal("ada has not gone")
			}
			done := 4
			for _, seq := range append(seqs, first) {
				res := ada.results[seq]
				if res == nil {
					t.Fatalf("delay %v: move %d has no answer", delay, seq)
				}
				if res.OK && seq != first {
					done++
				}
			}
			if got := ada.items.Count(world.OakPlanks); got != 32-done {
				t.Errorf("delay %v: %d in the hand, %d were moved", delay, got, done)
			}
			if sum := b.planksInAll(all); sum != 32 {
				t.Errorf("delay %v: %d planks of 32", delay, sum)
			}
		}
	})
}

// TestChestBeyondTheBorder: whose home is not the chest's region cannot use it.
func TestChestBeyondTheBorder(t *testing.T) {
	b := newBed(t)
	c := atBorderWith(b, map[string]uint16{"chest": 1})
	on := world.Pos{X: 129, Y: flatTop, Z: 64}
	c.do(Act{Kind: uint8(world.ActPlace), Pos: on, Face: uint8(world.FaceUp), A: 4})
	at := on.Next(world.FaceUp)
	for _, seq := range []uint32{c.open(at), c.store(at, 1, firstOfChest, 0)} {
		b.run(300 * time.Millisecond)
		if res := c.results[seq]; res == nil || res.Reason != string(world.Across) {
			t.Errorf("%+v", res)
		}
	}
	if c.items.Count(world.OakPlanks) != 32 {
		t.Errorf("has %v", c.items)
	}
}

// TestChestAndDisconnect: a player is gone in the middle of its moves; what is in the
// chest and what it carries when it comes again is as much as before.
func TestChestAndDisconnect(t *testing.T) {
	bothWays(t, func(t *testing.T, newBed func(testing.TB) *bed) {
		for n := range 12 {
			b := newBed(t)
			b.sync = 30 * time.Millisecond
			at, all := withChest(b, "ada", "bob")
			ada, bob := all[0], all[1]
			for range 4 {
				ada.store(at, 1, world.AnySlot, 3)
			}
			b.run(time.Duration(n) * 10 * time.Millisecond)
			b.region(here).r.OnLink(ada.peer, machine.LinkClosed)
			ada.online = false
			bob.store(at, firstOfChest, world.AnySlot, 2)
			b.run(time.Second)
			ada.acts.Discard()
			ada.enter()
			b.run(time.Second)
			if sum := b.planksInAll(all); sum != 64 {
				t.Errorf("gone after %d ms: %d planks of 64", n*10, sum)
			}
		}
	})
}

// TestHostileStores: a client that says the same move again and again, through others and
// elsewhere, names slots that are not there or a chest that is not in reach, gains
// nothing.
func TestHostileStores(t *testing.T) {
	b := newBed(t)
	at, all := withChest(b, "ada", "bob")
	ada, eve := all[0], all[1]
	m := ada.acts.Ask(&Act{Player: ada.player, Kind: uint8(world.ActStore), Pos: at, A: 1, B: firstOfChest + 8<<8})
	out := eve.acts.Ask(&Act{Player: eve.player, Kind: uint8(world.ActStore), Pos: at, A: firstOfChest, B: world.AnySlot})
	for range 20 {
		for _, pos := range []world.RegionPos{here, there} {
			again, outAgain := *m, *out
			ada.send(pos, &again)
			eve.send(pos, &again)
			eve.send(pos, &outAgain)
		}
		b.run(10 * time.Millisecond)
	}
	if sum := b.planksInAll(all); sum != 64 || ada.items[1].Count != 24 {
		t.Fatalf("%d planks of 64, ada has %v", sum, ada.items[1])
	}
	g := rng.New(7)
	slots := []int{0, 1, 2, 3, 35, 36, 63, firstOfChest, firstOfChest + 26, firstOfChest + 27, 200, world.AnySlot}
	pick := func() int { return slots[g.Intn(len(slots))] }
	for range 400 {
		where := at.Add(int32(g.Intn(3)-1), int32(g.Intn(3)-1), 0)
		a := Act{Kind: uint8(world.ActStore), Pos: where, A: uint64(pick()), B: uint32(pick()) | uint32(g.Intn(4)<<8) | uint32(g.Intn(2)<<31)}
		if g.Intn(8) == 0 {
			a.A = 1<<64 - 1 - uint64(g.Intn(300))
		}
		all[g.Intn(2)].act(a)
		b.run(TickLength) // no more acts are run than ticks
	}
	if sum := b.planksInAll(all); sum != 64 {
		t.Errorf("%d planks of 64", sum)
	}
	b.teleport(eve, metres(80, flatTop+1, 80))
	b.run(time.Second)
	seq, open := eve.store(at, firstOfChest, world.AnySlot, 0), eve.open(at)
	b.run(300 * time.Millisecond)
	for _, seq := range []uint32{seq, open} {
		if res := eve.results[seq]; res == nil || res.Reason != string(world.TooFar) {
			t.Errorf("from afar: %+v", res)
		}
	}
}

// TestLongBrokenChestSpills: what is in a chest falls out when it is broken, once, also if
// the host crashes meanwhile.
func TestLongBrokenChestSpills(t *testing.T) {
	simtest.Long(t)
	bothWays(t, func(t *testing.T, newBed func(testing.TB) *bed) {
		for n := range 60 {
			b := newBed(t)
			b.sync = 20 * time.Millisecond
			at, all := withChest(b, "ada", "bob")
			all[1].open(at)
			all[0].store(at, 1, firstOfChest+2, 11)
			b.run(300 * time.Millisecond)
			b.wants(here, b.ordered(all[0].player, decision.Order{Kind: decision.SetMode, Text: "creative"}))
			b.run(100 * time.Millisecond)
			all[0].act(Act{Kind: uint8(world.ActDig), Pos: at, Face: uint8(world.FaceUp)})
			for range n {
				b.step(b.now.Add(time.Second))
			}
			if n == 59 {
				b.run(time.Second)
				if b.block(at) != world.Air || all[1].chest.Size != 0 {
					t.Fatalf("%v is there, bob sees %+v", b.block(at), all[1].chest)
				}
			}
			b.crash()
			for _, c := range all {
				c.enter()
			}
			b.run(time.Second)
			if sum := b.planksInAll(all); sum != 64 {
				t.Fatalf("crash after %d events: %d planks of 64", n, sum)
			}
			b.run(3 * time.Second)
			if b.block(at) != world.Air || b.planksInAll(all) != 64 {
				t.Fatalf("crash after %d events: %v is there, %d planks", n, b.block(at), b.planksInAll(all))
			}
		}
	})
}
