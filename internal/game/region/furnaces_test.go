package region

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// Slots of a furnace, as acts name them.
const (
	inputSlot  = world.ContainerSlots + pack.FurnaceInput
	outputSlot = world.ContainerSlots + pack.FurnaceOutput
)

// withFurnace returns players beside a furnace; the first has 20 ores in slot 5 and 3
// pieces of coal in slot 6.
func withFurnace(b *bed, names ...string) (at world.Pos, all []*client) {
	b.Helper()
	at, all = withChest(b, names...)
	ada := all[0]
	give := func(block string, count uint16) {
		b.wants(here, b.ordered(ada.player, decision.Order{Kind: decision.Give, Text: block, Count: count}))
		b.run(200 * time.Millisecond)
	}
	give("furnace", 1)
	seq := ada.act(Act{Kind: uint8(world.ActPlace), Pos: at.Add(0, -1, 1), Face: uint8(world.FaceUp), A: 4})
	b.run(200 * time.Millisecond)
	if res := ada.results[seq]; res == nil || !res.OK {
		b.Fatalf("the furnace is not placed: %+v", res)
	}
	give("stone", 1) // stays in slot 4
	give("iron_ore", 20)
	give("coal_ore", 3)
	if ada.items[5] != (world.Stack{Block: world.IronOre, Count: 20}) || ada.items[6] != (world.Stack{Block: world.CoalOre, Count: 3}) {
		b.Fatalf("ada has %v", ada.items)
	}
	return at.Add(0, 0, 1), all
}

// iron counts the ores and ingots of players, in all containers and on the ground.
func (b *bed) iron(all []*client) int {
	b.Helper()
	return b.countOf(all, world.IronOre, world.IronIngot)
}

// TestFurnaceWhileNobodyLooks: players see how far a furnace is, and it goes on while its
// region sleeps.
func TestFurnaceWhileNobodyLooks(t *testing.T) {
	bothWays(t, func(t *testing.T, newBed func(testing.TB) *bed) {
		b := newBed(t)
		at, all := withFurnace(b, "ada", "bob")
		ada, bob := all[0], all[1]
		bob.open(at)
		ada.store(at, 5, world.AnySlot, 9)
		ada.store(at, 6, world.AnySlot, 1)
		b.run(300 * time.Millisecond)
		if b.block(at) != world.FurnaceLit || bob.chest.Heat == 0 || bob.chest.Size != pack.FurnaceSlots {
			t.Fatalf("%v, bob sees %+v", b.block(at), bob.chest)
		}
		bob.open(at)
		b.run(5 * time.Second)
		bob.open(at)
		b.run(300 * time.Millisecond)
		if w := bob.chest.Work; w < 100 || w > 120 {
			t.Errorf("after 5 s it has worked for %d ticks", w)
		}
		for _, c := range all {
			c.send(here, &Leave{c.player})
			c.watch(here, RateNone)
		}
		b.run(50 * time.Second)
		if len(b.regions) != 0 {
			t.Fatalf("%d regions are awake", len(b.regions))
		}
		b.settledFor(ada)
		ada.open(at)
		b.run(time.Second)
		if s := ada.chest.Slots; len(s) != 2 || s[0] != (Slot{0, world.IronOre, 4}) && s[0] != (Slot{0, world.IronOre, 3}) || s[1].Block != world.IronIngot {
			t.Errorf("after a minute there is %v", s)
		}
		ada.store(at, outputSlot, world.AnySlot, 0)
		b.run(time.Second)
		if n := ada.items.Count(world.IronIngot); n < 5 || b.block(at) != world.FurnaceLit {
			t.Errorf("ada has %d ingots, the furnace is %v", n, b.block(at))
		}
		ada.send(here, &Leave{ada.player})
		b.run(90 * time.Second)
		b.settledFor(ada)
		b.run(time.Second)
		if got := b.block(at); got != world.Furnace {
			t.Errorf("in the end it is %v", got)
		}
		ada.store(at, outputSlot, world.AnySlot, 0)
		b.run(time.Second)
		if n := ada.items.Count(world.IronIngot); n != 8 {
			t.Errorf("in the end ada has %d ingots", n)
		}
	})
}

// TestLongFurnaceCrash crashes after every seventh number of events while two players put
// things into a furnace and take them out: nothing is there twice or not at all, and what
// was acknowledged is so.
func TestLongFurnaceCrash(t *testing.T) {
	simtest.Long(t)
	const ticks = 460
	all := crashAfter(newBed(t), -1, ticks, smelting)
	if all < ticks {
		t.Fatalf("only %d events", all)
	}
	for n := 0; n < all; n += 7 {
		crashAfter(newBed(t), n, ticks, smelting)
	}
}

func smelting(b *bed) scenario {
	at, all := withFurnace(b, "ada", "bob")
	ada, bob := all[0], all[1]
	had := b.iron(all)
	taken := map[uint32]bool{}
	do := func(tick int) {
		switch tick {
		case 0, 3, 100:
			ada.store(at, 5, inputSlot, 3)
		case 5:
			ada.store(at, 6, world.AnySlot, 2)
		case 150:
			b.region(here).r.snapshot(nil)
		case 230, 300, 430:
			taken[bob.store(at, outputSlot, world.AnySlot, 1)] = true
		}
	}
	whole := func() {
		if got := bob.items.Count(world.IronIngot); got < 2 {
			b.Fatalf("bob has %d", got)
		}
	}
	check := func(n int) {
		acked := 0
		for seq := range taken {
			if res := bob.results[seq]; res != nil && res.OK {
				acked++
			}
		}
		b.crash()
		for _, c := range all {
			c.enter()
		}
		b.run(25 * time.Second)
		if sum := b.iron(all); sum != had {
			b.Fatalf("crash after %d events: %d pieces of iron, there were %d", n, sum, had)
		}
		if got := bob.items.Count(world.IronIngot); got < acked {
			b.Fatalf("crash after %d events: bob has %d ingots, and took %d for certain", n, got, acked)
		}
	}
	return scenario{do, whole, check}
}
