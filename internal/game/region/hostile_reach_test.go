package region

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// outcome acts and waits for the answer.
func (c *client) outcome(a Act) string {
	c.b.Helper()
	c.b.run(500 * time.Millisecond) // acts have a pace
	seq := c.act(a)
	c.b.until("an answer", func() bool { c.b.run(TickLength); return c.results[seq] != nil })
	if r := c.results[seq]; !r.OK {
		return r.Reason
	}
	return ""
}

// stack puts blocks on the ground, one on the other.
func (c *client) stack(x, z, high int32) {
	c.b.Helper()
	for y := range high {
		if why := c.outcome(Act{Kind: uint8(world.ActPlace), Pos: world.Pos{X: x, Y: flatTop + y, Z: z}, Face: uint8(world.FaceUp)}); why != "" {
			c.b.Fatalf("a block at %d, %d, %d: %s", x, flatTop+1+y, z, why)
		}
	}
}

// TestHostileReachAcrossBorder: nobody breaks a block of the neighbouring region, or
// places one there, through a wall on either side of the border, and nobody is hit
// across it, with a wall or without.
func TestHostileReachAcrossBorder(t *testing.T) {
	for what, c := range map[string]struct {
		stand        float64
		wall, target int32 // x
	}{
		"a wall on this side":  {125.5, 127, 128},
		"a wall on that side":  {126.5, 128, 129},
		"a wall at the border": {125.5, 127, 129},
	} {
		t.Run(what, func(t *testing.T) {
			b := newBed(t)
			ada, bob := b.client("ada").enter(), b.client("bob").enter()
			for player, x := range map[*client]float64{ada: c.stand, bob: float64(c.target) + 2.5} {
				player.watch(here, RateEvery)
				player.watch(there, RateEvery)
				player.hold(world.OakPlanks)
				b.teleport(player, metres(x, flatTop+1, 64.5))
			}
			b.until("both are there", func() bool {
				r, _ := b.homeOf(bob.player)
				return r != nil && r.Pos() == there && len(ada.columns) == 2*world.Columns
			})
			b.run(time.Second)
			target := world.Pos{X: c.target, Y: flatTop + 1, Z: 64}
			dig := Act{Kind: uint8(world.ActDig), Pos: target}
			place := Act{Kind: uint8(world.ActPlace), Pos: target.Add(0, -1, 0), Face: uint8(world.FaceUp)}
			for _, a := range []Act{place, dig} {
				if why := ada.outcome(a); why != "" {
					t.Fatalf("without a wall %+v: %s", a, why)
				}
			}
			_, h := b.homeOf(bob.player)
			hit := Act{Kind: uint8(world.ActHit), A: h.p.Entity}
			if why := ada.outcome(hit); why != string(world.NoSuchEntity) {
				t.Errorf("a hit across the border: %q", why)
			}
			for z := int32(61); z <= 67; z++ {
				bob.stack(c.wall, z, 3)
			}
			b.run(time.Second)
			if why := ada.outcome(place); why != string(world.NotAllowed) {
				t.Errorf("placing through the wall: %q", why)
			}
			bob.stack(c.target, 64, 1)
			b.run(time.Second)
			if why := ada.outcome(dig); why != string(world.NotAllowed) || b.block(target) != world.OakPlanks {
				t.Errorf("breaking through the wall: %q, there is %v", why, b.block(target))
			}
			if why := ada.outcome(hit); why != string(world.NoSuchEntity) {
				t.Errorf("a hit through the wall: %q", why)
			}
		})
	}
}
