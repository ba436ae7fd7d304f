package region

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestFieldAcrossTheBorder: a player tills and sows in the neighbour's region, once for each
// act and each seed, also if the host crashes meanwhile.
func TestFieldAcrossTheBorder(t *testing.T) {
	bothWays(t, func(t *testing.T, newBed func(testing.TB) *bed) {
		b := newBed(t)
		c := atBorderWith(b, map[string]uint16{"wooden_hoe": 1, "wheat_seeds": 2, "dirt": 1})
		player := func() *world.Player { _, h := b.homeOf(c.player); return h.p }
		at := world.Pos{X: 129, Y: flatTop + 1, Z: 64}
		do := func(a Act, wait time.Duration) (seq uint32) {
			t.Helper()
			c.act(Act{Kind: uint8(world.ActSelect), A: a.A})
			b.run(500 * time.Millisecond)
			seq = c.act(a)
			b.run(wait)
			return seq
		}
		ok := func(seq uint32, want world.Block, where world.Pos) {
			t.Helper()
			if res := c.results[seq]; res == nil || !res.OK || b.block(where) != want {
				t.Fatalf("%+v, %v is there", res, b.block(where))
			}
		}
		up := uint8(world.FaceUp)
		ok(do(Act{Kind: uint8(world.ActPlace), Pos: at.Next(world.FaceDown), Face: up, A: c.slotOf(world.Dirt)}, time.Second), world.Dirt, at)
		if b.signed { // a session that signs ends with the host
			ok(do(Act{Kind: uint8(world.ActPlace), Pos: at, Face: up, A: c.slotOf(world.WoodenHoe)}, time.Second), world.Farmland, at)
			return
		}
		seq := do(Act{Kind: uint8(world.ActPlace), Pos: at, Face: up, A: c.slotOf(world.WoodenHoe)}, 5*time.Millisecond)
		b.crash()
		c.enter()
		b.run(8 * time.Second)
		ok(seq, world.Farmland, at)
		ok(do(Act{Kind: uint8(world.ActPlace), Pos: at, Face: up, A: c.slotOf(world.WheatSeeds)}, time.Second), world.WheatSeeds, at.Next(world.FaceUp))
		if p := player(); p.Items.Count(world.WheatSeeds) != 1 || p.Items.Count(world.WoodenHoe) >= world.MaxStack {
			t.Errorf("%d seeds are left, the hoe is at %d", p.Items.Count(world.WheatSeeds), p.Items.Count(world.WoodenHoe))
		}
	})
}
