package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// TestOrderDoesNotMatter: whoever joins a founder's world gets in, in whatever order
// nodes and players come.
func TestOrderDoesNotMatter(t *testing.T) {
	for _, o := range []struct {
		name string
		come func(c *cluster) (last int) // the node of the player who is to get in
	}{
		{"founder without a player", func(c *cluster) int {
			c.addNode(0)
			c.s.Run(10 * time.Second)
			c.addNode(1)
			return 1
		}},
		{"founder with a player", func(c *cluster) int {
			c.addNode(0)
			g := c.addGuest(0)
			c.until("the founder's player is in", func() bool { return g.in })
			c.addNode(1)
			return 1
		}},
		{"founder restarted before anybody entered", func(c *cluster) int {
			c.addNode(0)
			c.addNode(1)
			c.s.Run(5 * time.Second)
			c.nodes[0].Crash()
			c.s.Run(5 * time.Second)
			c.nodes[0].Restart()
			return 1
		}},
		{"founder restarted, then another joins", func(c *cluster) int {
			c.addNode(0)
			c.addNode(1)
			c.s.Run(5 * time.Second)
			c.nodes[0].Crash()
			c.s.Run(5 * time.Second)
			c.nodes[0].Restart()
			c.addNode(2)
			return 2
		}},
		{"both restarted, the joiner first", func(c *cluster) int {
			c.addNode(0)
			c.addNode(1)
			c.s.Run(5 * time.Second)
			c.nodes[0].Crash()
			c.nodes[1].Crash()
			c.s.Run(time.Second)
			c.nodes[1].Restart()
			c.s.Run(10 * time.Second)
			c.nodes[0].Restart()
			return 1
		}},
		{"two joiners at once", func(c *cluster) int {
			c.addNode(0)
			c.s.Run(time.Second)
			c.addNode(1)
			c.addNode(2)
			c.addGuest(1)
			return 2
		}},
	} {
		t.Run(o.name, func(t *testing.T) {
			c := newCluster(t, 1, 0)
			last := o.come(c)
			g := c.addGuest(last)
			begun := c.s.Now()
			c.until("the player is in", func() bool { return g.in })
			if took := c.s.Now().Sub(begun); took > 10*time.Second {
				t.Errorf("getting in took %v", took)
			}
		})
	}
}

// TestFounderGone: the founder is switched off before anybody has entered. A player
// of the other node hears what is wrong, and gets in when the founder is back.
func TestFounderGone(t *testing.T) {
	c := newCluster(t, 1, 2)
	c.s.Run(5 * time.Second)
	gone := c.s.Now()
	c.nodes[0].Crash()
	c.s.Run(20 * time.Second)
	g := c.addGuest(1)
	c.until("the player hears why it waits", func() bool { return len(g.waits) > 0 })
	if w := g.waits[0]; w.Code != wire.Silent || !w.Lobby || w.Since == 0 || w.Since > gone {
		t.Errorf("the player hears %+v, want that the hosts have been silent since before %d", w, gone)
	}
	c.nodes[0].Restart()
	c.until("the player is in", func() bool { return g.in })
}

// TestNobodyThere: a node that finds none of those that it was told of says that,
// not that the world is busy, and at first that it is starting.
func TestNobodyThere(t *testing.T) {
	c := newCluster(t, 1, 1)
	c.nodes[0].Crash()
	c.addNode(1)
	g := c.addGuest(1)
	c.until("the player hears twice why it waits", func() bool { return len(g.waits) > 1 })
	if a, b := g.waits[0].Code, g.waits[1].Code; a != wire.Starting || b != wire.NoNodes {
		t.Errorf("the player hears %s and then %s", a, b)
	}
	c.nodes[0].Restart()
	c.until("the player is in", func() bool { return g.in })
}

// TestNoRoom: no node takes on another shard.
func TestNoRoom(t *testing.T) {
	c := newCluster(t, 1, 0)
	c.change = func(_ int, n *Net) { n.Full = func() bool { return true } }
	c.addNode(0)
	g := c.addGuest(0)
	c.until("the player hears why it waits", func() bool { return len(g.waits) > 0 })
	if w := g.waits[0]; w.Code != wire.NoRoom {
		t.Errorf("the player hears %+v", w)
	}
}

// TestVoteGoesWherePlayersAre: of two nodes the one that players are at gets the vote
// of all that they use, so that they play on when the other is switched off; and it
// keeps that vote while they play.
func TestVoteGoesWherePlayersAre(t *testing.T) {
	for _, seed := range seeds(t, 3) {
		c := newCluster(t, seed, 2)
		c.s.Run(time.Second)
		g := c.addGuest(1)
		c.until("the player is in", func() bool { return g.in })
		leads := func() bool {
			for _, r := range c.node(1).net.routes.All() {
				if r.Sessions > 0 && c.leaderOf(r.Shard) != 1 {
					return false
				}
			}
			return c.leaderOf(shards.Lobby) == 1
		}
		c.until("the player's node leads all that the player uses", leads)
		end := c.s.Now().Add(90 * time.Second)
		moved := 0
		for at := machine.Time(0); at < end; at = c.s.Now() {
			if c.s.Run(time.Second); c.leaderOf(shards.Lobby) != 1 {
				moved++
			}
		}
		if moved > 0 {
			t.Errorf("seed %d: the lobby was elsewhere for %d s", seed, moved)
		}
		c.nodes[0].Crash()
		c.s.Run(5 * time.Second)
		g.waits = nil
		acted := g.acted
		c.until("the player builds", func() bool { return g.in && g.acted > acted+3 })
		c.nodes[0].Restart()
		c.until("a player of the other node is in", func() func() bool {
			other := c.addGuest(0)
			return func() bool { return other.in }
		}())
		c.settle()
		if c.checkEdits() == 0 {
			t.Errorf("seed %d: nothing was built", seed)
		}
	}
}
