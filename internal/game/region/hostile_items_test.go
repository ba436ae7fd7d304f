package region

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// TestHostileReplayedDrops: a drop that is sent again and again, by the session that it
// is of and by others, before and after the player has gone over the border and
// the host has crashed, is done once.
func TestHostileReplayedDrops(t *testing.T) {
	b := newBed(t)
	c := throwerByBorder(b)
	eve := b.client("eve").enter()
	had := c.items.Count(world.OakPlanks)
	m := c.acts.Ask(&Act{Player: c.player, Kind: uint8(world.ActDrop), A: 1, B: 5})
	flood := func() {
		for range 20 {
			again := *m
			c.send(here, &again)
			c.send(there, &again)
			eve.send(here, &again)
			b.run(10 * time.Millisecond)
		}
	}
	flood()
	b.teleport(c, metres(135, flatTop+1, 64.5))
	flood()
	b.run(time.Second)
	flood()
	b.crash()
	b.settledFor(c)
	flood()
	if hand, ground := b.planksOf(c); hand+ground != had || hand < had-5 {
		t.Errorf("%d in the hand, %d on the ground of %d", hand, ground, had)
	}
}

// TestLongHostileBothSidesOfTheBorder: players on both sides drop, throw across, pick up and
// walk over the border all at once, while messages are lost, disks fail and hosts
// crash: there is as much as before, and nothing twice.
func TestLongHostileBothSidesOfTheBorder(t *testing.T) {
	simtest.Long(t)
	for seed := range uint64(6) {
		b := newBed(t)
		g := rng.New(seed)
		var all []*client
		had := 0
		for _, name := range []string{"ada", "bob", "eve"} {
			c := builder(b, name)
			c.watch(there, RateEvery)
			b.teleport(c, metres(127+float64(len(all)), flatTop+1, 64.5))
			b.run(time.Second)
			had += c.items.Count(world.OakPlanks)
			all = append(all, c)
		}
		b.lose = func(machine.Message) bool { return g.OneIn(40) }
		for range 60 {
			for _, c := range all {
				if c.online {
					c.look(uint16(g.Intn(2)<<15)+east, int16(g.Intn(16000)-8000))
					if c.acts.Pending() < 20 {
						c.drop(uint32(1 + g.Intn(5)))
					}
					c.walk(world.ButtonForward, uint16(g.Intn(2)<<15)+east)
				}
			}
			b.diskErr = nil
			if g.OneIn(6) {
				b.diskErr = errDisk
			}
			b.run(time.Duration(g.Intn(200)) * time.Millisecond)
			if g.OneIn(12) {
				b.diskErr = nil
				b.crash()
				for _, c := range all {
					c.enter()
					c.watch(here, RateEvery)
					c.watch(there, RateEvery)
				}
			}
		}
		b.diskErr, b.lose = nil, nil
		b.run(20 * time.Second)
		b.crash()
		for _, c := range all {
			b.settledFor(c)
		}
		hands, ground := 0, 0
		ids := map[id.ID]bool{}
		for _, c := range all {
			var hand int
			hand, ground = b.planksOf(c)
			hands += hand
			ids[c.player] = true
		}
		if hands+ground != had || len(ids) != 3 {
			t.Errorf("seed %d: %d in the hands, %d on the ground of %d", seed, hands, ground, had)
		}
	}
}
