package region

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestDeadLeaveCrash crashes after every number of events while a player falls to death and
// leaves what it carries: each plank is in one place.
func TestDeadLeaveCrash(t *testing.T) {
	crashes(t, 70, 60, func(b *bed) scenario {
		b.drops = true
		c := builder(b, "ada")
		had := c.items.Count(world.OakPlanks)
		b.wants(here, b.ordered(c.player, decision.Order{Kind: decision.SetMode, Text: "survival"}))
		b.teleport(c, metres(40.5, flatTop+30, 64.5))
		return scenario{
			do: func(int) {},
			whole: func() {
				if hand, ground := b.planksOf(c); hand != 0 || ground != had {
					b.Errorf("%d in the hand, %d on the ground of %d: the test is empty", hand, ground, had)
				}
			},
			check: func(events int) {
				b.crash()
				b.settledFor(c)
				if hand, ground := b.planksOf(c); hand+ground != had {
					b.Errorf("after %d events: %d in the hand, %d on the ground of %d", events, hand, ground, had)
				}
			},
		}
	})
}

// TestBedInAnotherRegion: a player lies down in a bed beyond the border, dies elsewhere and
// comes back to life in it, also after the host has crashed.
func TestBedInAnotherRegion(t *testing.T) {
	bothWays(t, func(t *testing.T, newBed func(testing.TB) *bed) {
		b := newBed(t)
		c := atBorderWith(b, map[string]uint16{"red_bed": 1})
		at := world.Pos{X: 129, Y: flatTop + 1, Z: 64}
		c.do(Act{Kind: uint8(world.ActPlace), Pos: at.Next(world.FaceDown), Face: uint8(world.FaceUp), A: 4})
		if foot := b.block(at); !foot.IsBed() || b.block(at.Next(world.FaceEast)) != foot+1 {
			t.Fatalf("%v is there", foot)
		}
		c.do(Act{Kind: uint8(world.ActOpen), Pos: at})
		b.teleport(c, metres(40.5, flatTop+1, 64.5))
		b.run(time.Second)
		if !b.signed { // a session that signs ends with the host
			b.crash()
			c.enter()
			b.run(8 * time.Second)
		}
		b.wants(here, b.ordered(c.player, decision.Order{Kind: decision.SetMode, Text: "survival"}))
		b.teleport(c, metres(40.5, flatTop+60, 64.5))
		b.until("dead", func() bool { _, h := b.homeOf(c.player); return h != nil && h.p.Dead() })
		c.act(Act{Kind: uint8(world.ActRespawn)})
		b.until("alive in bed", func() bool {
			r, h := b.homeOf(c.player)
			return h != nil && r.Pos() == there && !h.p.Dead() && h.p.Body.Pos.Block().X == at.X && h.p.Body.Pos.Block().Z == at.Z
		})
	})
}
