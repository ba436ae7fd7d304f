package node

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// twoNodes host a world for each other, with a player at each.
func twoNodes(t *testing.T, seed uint64) *cluster {
	c := newCluster(t, seed, 0)
	c.change = func(_ int, n *Net) { n.GoneAfter = 90 * time.Minute }
	c.addNode(0)
	c.addNode(1)
	c.s.Run(3 * time.Second)
	for i := range 2 {
		c.enterGuest(i)
	}
	c.s.Run(30 * time.Second)
	return c
}

// copied reports whether both nodes keep a shard, one of them without a vote.
func (c *cluster) copied(p shards.Shard) bool {
	spare := 0
	for i := range c.nodes {
		h := c.node(i).net.hosting.replicas[p]
		if h == nil || len(h.group.Members()) != 2 || len(h.group.Voters()) != 1 {
			return false
		}
		spare++
	}
	return spare == 2
}

// TestLongTwoNodes: in a world of two nodes each shard has a copy on the other one. If
// the one that leads has gone for hours the other goes on with its copy, says so,
// and nothing is missing that was acknowledged before; who comes back puts aside
// what it had.
func TestLongTwoNodes(t *testing.T) {
	simtest.Long(t)
	c := twoNodes(t, 1)
	for i := range c.guests {
		c.wanderer(i).quiet = true
	}
	home := shards.Shard{Region: c.wanderer(0).home}
	c.until("there are copies", func() bool { return c.copied(home) && c.copied(shards.Lobby) })
	c.s.Run(5 * time.Second)
	leader := c.leaderOf(home)
	left := 1 - leader
	c.guests[0], c.guests[left] = c.guests[left], c.guests[0]
	old := c.node(left).net.hosting.replicas[home].group.Raft.Status().Gen
	c.nodes[leader].Crash()
	c.s.Run(80 * time.Minute)
	if c.leaderOf(home) >= 0 || c.noted("goes on with what this node has") > 0 {
		t.Fatal("a copy went on before its time")
	}
	c.s.Run(15 * time.Minute)
	if c.leaderOf(home) != left {
		c.dump(home)
		t.Fatal("the copy does not go on")
	}
	if c.noted("has been gone for more than") == 0 {
		t.Error("nobody was told")
	}
	g := c.wanderer(0)
	c.until("the guest is in again", func() bool { return g.in })
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
	c.nodes[leader].Restart()
	c.settle()
	c.until("there are copies again", func() bool { return c.copied(home) })
	c.checkLeaders()
	c.checkPresence()
	c.checkEdits()
	if aside := c.nodes[leader].Disk.All(group.SupersededSpace(region.Space(home.Region), old)); len(aside) == 0 {
		t.Error("who came back has put nothing aside")
	}
}

// TestLongTwoNodesCrash: either of two nodes crashes and comes back, again and again.
func TestLongTwoNodesCrash(t *testing.T) {
	simtest.Long(t)
	edits := 0
	for _, seed := range seeds(t, 3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			c := twoNodes(t, seed)
			for range 6 {
				n := c.nodes[c.s.Rand().Intn(2)]
				n.Crash()
				c.s.Run(time.Duration(1+c.s.Rand().Intn(20000)) * time.Millisecond)
				n.Restart()
				c.s.Run(time.Duration(1+c.s.Rand().Intn(20000)) * time.Millisecond)
				c.checkLeaders()
			}
			c.settle()
			c.checkLeaders()
			c.checkPresence()
			edits += c.checkEdits()
		})
	}
	t.Logf("%d blocks stand", edits)
	if edits == 0 {
		t.Fatal("nobody built")
	}
}

// TestThirdNode: when a third node joins two, all three get a vote.
func TestThirdNode(t *testing.T) {
	c := twoNodes(t, 2)
	home := shards.Shard{Region: c.wanderer(0).home}
	c.until("there are copies", func() bool { return c.copied(home) })
	c.addNode(2)
	c.until("all three have votes", func() bool {
		for i := range c.nodes {
			if h := c.node(i).net.hosting.replicas[home]; h == nil || len(h.group.Voters()) != 3 {
				return false
			}
		}
		return true
	})
	c.settle()
	c.checkEdits()
}
