package region

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

func planks(n uint32) []world.Owed { return []world.Owed{{Block: world.OakPlanks, Count: n}} }

// looted is a bed in which Ann has put twenty planks into a chest, of which Eve has taken
// twelve: she has put four of them into a chest of her own, and has dropped three.
func looted(t *testing.T) (b *bed, chests [2]world.Pos, all []*client) {
	t.Helper()
	b = newBed(t)
	b.signed = true
	at, all := withChest(b, "ann", "eve")
	ann, eve := all[0], all[1]
	done := func(seq uint32, c *client) {
		t.Helper()
		b.until("an answer", func() bool { return c.results[seq] != nil })
		if res := c.results[seq]; !res.OK {
			t.Fatalf("%s: %+v", c.name, res)
		}
		b.run(300 * time.Millisecond)
	}
	own := world.Pos{X: 64, Y: flatTop, Z: 66}
	b.wants(here, b.ordered(eve.player, decision.Order{Kind: decision.Give, Text: "chest", Count: 1}))
	b.run(300 * time.Millisecond)
	slot := slices.IndexFunc(eve.items[:], func(s world.Stack) bool { return s.Block == world.Chest })
	done(eve.act(Act{Kind: uint8(world.ActPlace), Pos: own, Face: uint8(world.FaceUp), A: uint64(slot)}), eve)
	own = own.Next(world.FaceUp)
	done(ann.store(at, 1, firstOfChest, 20), ann)
	done(eve.store(at, firstOfChest, world.AnySlot, 12), eve)
	slot = slices.IndexFunc(eve.items[:], func(s world.Stack) bool { return s.Block == world.OakPlanks })
	done(eve.store(own, slot, firstOfChest, 4), eve)
	done(eve.act(Act{Kind: uint8(world.ActDrop), A: uint64(slot), B: 3}), eve)
	return b, [2]world.Pos{at, own}, all
}

func (b *bed) inChestAt(at world.Pos) int { return b.region(here).r.contained(at, world.OakPlanks) }

// TestRollbackOfChests: what a griefer has taken out of a chest goes back as far as it was
// found: what it carries, what it has put into another chest, and what lies on the ground.
// Each only once, after a crash too; and nothing of it if nobody has found it.
func TestRollbackOfChests(t *testing.T) {
	b, chests, all := looted(t)
	eve := all[1]
	before, carried := b.planksInAll(all), eve.items.Count(world.OakPlanks)
	u := decision.Undo{Box: world.Zone{Min: world.Pos{X: 50, Y: 0, Z: 50}, Max: world.Pos{X: 80, Y: 200, Z: 80}}}
	if a := b.undo(operatorKey, decision.Inspect, id.ID{}, u); a.Count != 5 || a.Edits[0].Moved != 4 || a.Edits[1].Moved != -12 || a.Edits[1].By != eve.player {
		t.Errorf("inspect: %+v", a)
	}
	b.crash()
	for _, c := range all {
		c.enter()
	}
	b.run(time.Second)
	order := b.signedOrder(eve.player, decision.Order{Kind: decision.Rollback, Text: u.String()}, operatorKey)
	a := b.undoAnswer(order.Signed)
	if !a.OK || !slices.Equal(a.Looted, planks(12)) || !slices.Equal(a.Put, planks(7)) || b.planksInAll(all) != before {
		t.Fatalf("rollback: %+v; %d planks, there were %d", a, b.planksInAll(all), before)
	}
	// A player's own signature settles nothing.
	mine := b.signedOrder(eve.player, decision.Order{Kind: decision.Rollback, Text: u.String()}, all[0].key)
	if a := b.boxAnswer(&Undo{Tag: 7, Signed: mine.Signed, Give: planks(12)}); a.OK || len(a.Owed) > 0 {
		t.Errorf("by a player: %+v", a)
	}
	order.Owed = planks(5)
	b.deliver(here, Lobby, order)
	b.run(time.Second)
	if n := eve.items.Count(world.OakPlanks); n != carried-5 {
		t.Errorf("Eve has %d, had %d", n, carried)
	}
	if a := b.boxAnswer(&Undo{Tag: 7, Signed: order.Signed, Take: planks(99)}); !a.OK || !slices.Equal(a.Owed, planks(7)) || b.inChestAt(chests[1]) != 0 {
		t.Errorf("what she has put somewhere: %+v", a)
	}
	if n := b.planksInAll(all); n != before-12 {
		t.Errorf("%d planks were found of 12", before-n)
	}
	if a := b.boxAnswer(&Undo{Tag: 7, Signed: order.Signed, Give: planks(10)}); !a.OK || !slices.Equal(a.Owed, planks(10)) || b.inChestAt(chests[0]) != 18 {
		t.Errorf("what goes back: %+v, %d in the chest", a, b.inChestAt(chests[0]))
	}
	if a := b.boxAnswer(&Undo{Tag: 7, Signed: order.Signed, Give: planks(10)}); !slices.Equal(a.Owed, planks(2)) || b.inChestAt(chests[0]) != 20 {
		t.Errorf("again: %+v, %d in the chest", a, b.inChestAt(chests[0]))
	}
	if a := b.boxAnswer(&Undo{Tag: 7, Signed: order.Signed, Give: planks(10), Take: planks(10)}); len(a.Owed) != 0 || b.planksInAll(all) != before {
		t.Errorf("once more: %+v; %d planks, there were %d", a, b.planksInAll(all), before)
	}
	b.crash()
	for _, c := range all {
		c.enter()
	}
	b.run(time.Second)
	if a := b.undo(operatorKey, decision.Rollback, eve.player, u); len(a.Looted)+len(a.Put) > 0 || b.inChestAt(chests[0]) != 20 || b.inChestAt(chests[1]) != 0 {
		t.Errorf("after a crash: %+v, %d and %d in the chests", a, b.inChestAt(chests[0]), b.inChestAt(chests[1]))
	}
}

// TestTakeBackFromWhoIsAway: what a player carries is taken while it is away, once.
func TestTakeBackFromWhoIsAway(t *testing.T) {
	b, _, all := looted(t)
	eve := all[1]
	carried := eve.items.Count(world.OakPlanks)
	b.deliver(here, eve.peer, &Leave{Player: eve.player})
	b.run(time.Second)
	u := decision.Undo{Box: world.Zone{Min: world.Pos{X: 50, Y: 0, Z: 50}, Max: world.Pos{X: 80, Y: 200, Z: 80}}}
	for i, want := range []int{5, 0} {
		order := b.signedOrder(eve.player, decision.Order{Kind: decision.Rollback, Text: u.String()}, operatorKey)
		if i > 0 {
			order = b.signedOrder(eve.player, decision.Order{Kind: decision.Rollback, Text: u.String()}, all[0].key)
		}
		order.Owed = planks(5)
		before := len(b.lobby)
		for range 2 { // the second time it was executed
			b.deliver(here, Lobby, order)
			b.run(time.Second)
		}
		took := 0
		for _, m := range b.lobby[before:] {
			if a, ok := m.(*Undone); ok {
				took += int(world.CountOwed(a.Owed)[world.OakPlanks])
			}
		}
		if took != want {
			t.Errorf("%d were taken, want %d", took, want)
		}
	}
	b.crash()
	eve.enter()
	b.run(2 * time.Second)
	if n := eve.items.Count(world.OakPlanks); n != carried-5 {
		t.Errorf("Eve comes back with %d, had %d", n, carried)
	}
}

// TestMovesThatWereTakenBack: what was taken back does not count, nor does it count for more
// than was moved since.
func TestMovesThatWereTakenBack(t *testing.T) {
	for _, c := range []struct {
		n, move int
		undo    bool
		want    int
	}{
		{0, -5, false, -5}, {-5, 3, false, -2}, {-5, 7, false, 2}, {-5, 3, true, -2}, {-5, 9, true, 0}, {5, -9, true, 0}, {-5, -2, true, -5}, {5, 2, true, 5}, {0, 4, true, 0},
	} {
		if got := sum(c.n, c.move, c.undo); got != c.want {
			t.Errorf("%d and %d (%t): %d, want %d", c.n, c.move, c.undo, got, c.want)
		}
	}
}
