package region

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// linkEnds lets regions hear that a client's link has ended.
func (b *bed) linkEnds(c *client, at ...world.RegionPos) {
	for _, pos := range at {
		if h := b.regions[pos]; h != nil {
			h.r.OnLink(c.peer, machine.LinkClosed)
			h.after()
		}
	}
}

// otherWindow makes a second session of a client's player.
func (c *client) otherWindow() *client {
	other := c.b.client(c.name + " again")
	other.player, other.name, other.home, other.body = c.player, c.name, c.home, c.body
	other.acts.Discard()
	return other
}

// enterAt lets a client enter at a region.
func (c *client) enterAt(pos world.RegionPos) *client {
	c.send(pos, c.enterMsg())
	return c
}

// disruptions are what a player can do to its sessions while it is handed over, and
// what can happen to the two leaders then. Each returns the session that goes on: one
// whose link has ended does not come back.
var disruptions = map[string]func(b *bed, c *client) *client{
	"the link ends":                   func(b *bed, c *client) *client { b.linkEnds(c, here, there); return c.otherWindow() },
	"only the old home hears of that": func(b *bed, c *client) *client { b.linkEnds(c, here); return c.otherWindow() },
	"only the new home hears of that": func(b *bed, c *client) *client { b.linkEnds(c, there); return c.otherWindow() },
	"it leaves": func(b *bed, c *client) *client {
		c.send(here, &Leave{c.player})
		c.send(there, &Leave{c.player})
		return c.otherWindow()
	},
	"it enters again":           func(b *bed, c *client) *client { return c.enterAt(here) },
	"it enters at the new home": func(b *bed, c *client) *client { return c.enterAt(there) },
	"it enters at both":         func(b *bed, c *client) *client { return c.enterAt(there).enterAt(here) },
	"the link ends, it comes back": func(b *bed, c *client) *client {
		b.linkEnds(c, here, there)
		return c.otherWindow().enterAt(here)
	},
	"the link ends, it comes back at the new home": func(b *bed, c *client) *client {
		b.linkEnds(c, here, there)
		return c.otherWindow().enterAt(there)
	},
	"another window":                 func(b *bed, c *client) *client { return c.otherWindow().enterAt(here) },
	"another window at the new home": func(b *bed, c *client) *client { return c.otherWindow().enterAt(there) },
	"two windows at once": func(b *bed, c *client) *client {
		other := c.otherWindow().enterAt(here)
		c.enterAt(there)
		return other
	},
	"the old home crashes": func(b *bed, c *client) *client { b.crashOne(here); return c.otherWindow() },
	"the new home crashes": func(b *bed, c *client) *client { b.crashOne(there); return c.otherWindow() },
	"the old home crashes, it comes back": func(b *bed, c *client) *client {
		b.crashOne(here)
		return c.otherWindow().enterAt(here)
	},
	"the link ends and the new home crashes": func(b *bed, c *client) *client {
		b.linkEnds(c, here)
		b.crashOne(there)
		return c.otherWindow().enterAt(here)
	},
}

// belongings is how many items of all kinds a player and the two regions have.
func (b *bed) belongings(player id.ID) (hand, ground int) {
	b.Helper()
	_, h := b.homeOf(player)
	if h == nil {
		b.Fatal("the player is nowhere")
	}
	for _, s := range h.p.Items {
		hand += int(s.Count)
	}
	for _, pos := range []world.RegionPos{here, there} {
		for _, it := range b.region(pos).r.area.Items() {
			ground += int(it.Stack.Count)
		}
	}
	return hand, ground
}

// loaded is a player whose inventory is full, by the border.
func loaded(b *bed) *client {
	c := throwerByBorder(b)
	for n, block := range []world.Block{world.Stone, world.Dirt, world.Sand, world.OakPlanks} {
		for range 8 + n {
			b.wants(c.home, b.ordered(c.player, decision.Order{Kind: decision.Give, Text: block.String(), Count: 64}))
		}
	}
	b.run(time.Second)
	return c
}

// TestLongHostileDisconnects: a player with a full inventory is handed over, and its
// sessions end and begin, or one of the leaders crashes, after each number of events,
// with drops on their way or without: nothing is there twice, and nothing is lost.
func TestLongHostileDisconnects(t *testing.T) {
	simtest.Long(t)
	for name, disrupt := range disruptions {
		t.Run(name, func(t *testing.T) {
			for _, drops := range []bool{false, true} {
				n := 0
				for disruptedHandover(t, n, drops, disrupt) {
					n++
				}
				if n < 20 {
					t.Errorf("a handover has only %d events", n)
				}
			}
		})
	}
}

// disruptedHandover disrupts a handover after n events, and compares what there is with what
// there was. It reports false if the handover was over by then.
func disruptedHandover(t *testing.T, n int, drops bool, disrupt func(*bed, *client) *client) bool {
	b := newBed(t)
	b.delay, b.sync = 9*time.Millisecond, 7*time.Millisecond
	c := loaded(b)
	hand, ground := b.belongings(c.player)
	had := hand + ground
	b.teleport(c, metres(129.5, flatTop+1, 64.5))
	done := 0
	for end := b.now.Add(400 * time.Millisecond); done < n && b.step(end); done++ {
		if drops && done%9 == 0 && c.acts.Pending() < 8 {
			c.drop(3)
		}
	}
	if over := done < n; over && b.region(there).r.sessions.players[c.player] == nil {
		t.Error("the handover is not over after all events")
	}
	c = disrupt(b, c)
	b.run(50 * time.Millisecond)
	c.settle(t)
	if hand, ground := b.belongings(c.player); hand+ground != had {
		t.Errorf("after %d events (drops %v): %d in the hand, %d on the ground of %d", n, drops, hand, ground, had)
	}
	return done == n && !t.Failed()
}

// settle waits until a client is in, and nothing is on its way between the regions.
func (c *client) settle(t *testing.T) {
	b := c.b
	b.settledFor(c)
	b.until("all acts are answered", func() bool { return c.acts.Pending() == 0 })
	b.until("nothing is on its way", func() bool {
		r, _ := b.homeOf(c.player)
		return r != nil && len(b.region(here).r.pending.list)+len(b.region(there).r.pending.list)+len(b.region(here).r.outgoing.players)+len(b.region(there).r.outgoing.players) == 0
	})
}
