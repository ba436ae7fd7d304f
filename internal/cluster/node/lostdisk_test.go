package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
)

// leaveOut is what a repair does to a node's disk with a shard that other nodes
// host: there is nothing of it any more.
func (c *cluster) leaveOut(n int, p shards.Shard) {
	c.nodes[n].Crash()
	c.nodes[n].Disk.Drop(p.Space())
	c.nodes[n].Disk.Drop(group.OwnSpace(p.Space()))
	c.s.Run(time.Second)
	c.nodes[n].Restart()
}

// TestLostShardOfThree: a node whose disk lacks a shard, for it was damaged, is sent
// all of it by the other members, and does not lead it before.
func TestLostShardOfThree(t *testing.T) {
	c, g := playedCluster(t, 3, 3, 20*time.Second)
	home := shards.Shard{Region: g.home}
	whole := func() bool {
		for i := range c.nodes {
			if h := c.node(i).net.hosting.replicas[home]; h == nil || len(h.group.Voters()) != 3 {
				return false
			}
		}
		return true
	}
	c.until("three have votes", whole)
	g.quiet = true
	c.s.Run(5 * time.Second)
	leader := c.leaderOf(home)
	if leader < 0 {
		t.Fatal("nobody leads")
	}
	c.leaveOut(leader, home)
	c.until("another leads", func() bool { n := c.leaderOf(home); return n >= 0 && n != leader })
	c.until("three have votes again", whole)
	records := func(i int) int { return len(c.nodes[i].Disk.All(home.Space())) } // a snapshot removes some
	c.until("it has all records", func() bool {
		l := c.leaderOf(home)
		return l >= 0 && records(leader) > 0 && records(leader) >= records(l)
	})
	c.settle()
	c.checkLeaders()
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
}

// TestLostShardOfTwo: the node that led a shard has nothing of it any more. The
// copy on the other one goes on at once, for it is certain that nobody has more,
// and what was acknowledged is there.
func TestLostShardOfTwo(t *testing.T) {
	c := twoNodes(t, 1)
	for i := range c.guests {
		c.wanderer(i).quiet = true
	}
	home := shards.Shard{Region: c.wanderer(0).home}
	c.until("there are copies", func() bool { return c.copied(home) })
	c.s.Run(5 * time.Second)
	leader := c.leaderOf(home)
	if leader < 0 {
		t.Fatal("nobody leads")
	}
	c.leaveOut(leader, home)
	c.s.Run(90 * time.Second)
	if c.noted("have lost what they had of it") == 0 {
		c.dump(home)
		t.Fatal("the copy does not go on")
	}
	c.until("there are copies again", func() bool { return c.copied(home) })
	c.settle()
	c.checkLeaders()
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
}
