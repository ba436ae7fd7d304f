package node

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// addOwner adds a wanderer that is the owner of a node's machine.
func (c *cluster) addOwner(at int) *wanderer {
	i := len(c.guests)
	peer := machine.Peer{ID: id.Of(fmt.Append(nil, "session ", i))}
	c.guests = append(c.guests, c.s.AddAs(peer, func(env machine.Env) machine.Machine {
		w := newWanderer(env, nodePeer(at), i, singleNodeGuests)
		w.local = true
		return w
	}))
	return c.wanderer(i)
}

// allVotesAt reports whether a node has the only vote of each shard that anybody hosts.
func (c *cluster) allVotesAt(node int) bool {
	for i := range c.nodes {
		w := c.node(i).net
		for p := range w.hosting.dormant {
			if c.node(node).net.hosting.replicas[p] == nil {
				return false
			}
		}
		for p := range w.hosting.replicas {
			if h := c.node(node).net.hosting.replicas[p]; h == nil || !h.group.IsOnlyVoter() {
				return false
			}
		}
	}
	return true
}

// looks lets a player watch a region, or no longer.
func (c *cluster) looks(guest int, p shards.Shard, rate uint8) {
	c.guests[guest].Call(func() { c.wanderer(guest).watch(p.Region, rate) })
}

// forgotten is a region far away of which the founder's node has the only vote and the
// other one a copy, and whose group hibernates: somebody has looked at it once.
func (c *cluster) forgotten(guest int) shards.Shard {
	c.Helper()
	for x := range int32(8) {
		p := shards.Shard{Region: world.RegionPos{X: 9 + x, Z: 9}}
		c.looks(guest, p, region.RateEvery)
		c.until("somebody leads the region", func() bool { return c.leaderOf(p) >= 0 })
		c.looks(guest, p, region.RateNone)
		if c.leaderOf(p) == 0 {
			c.until("the region is forgotten", func() bool {
				h := c.node(0).net.hosting.replicas[p]
				return h.group.Raft.Hibernates() && len(h.group.Members()) == 2
			})
			return p
		}
	}
	c.Fatal("the founder's node leads nothing")
	return shards.Shard{}
}

// builds waits until a player has built something more.
func (c *cluster) builds(g *wanderer) {
	c.Helper()
	g.acted = 0
	c.until(g.name+" builds", func() bool { return g.in && g.acted > 3 })
}

// leave shuts a node down in good order.
func (c *cluster) leave(i int) {
	c.Helper()
	done := false
	c.nodes[i].Call(func() {
		c.node(i).Shutdown(func(err error) {
			if done = true; err != nil {
				c.Error(err)
			}
		})
	})
	c.until("the shutdown ends", func() bool { return done })
	c.nodes[i].Crash()
}

// TestEveningInAnyOrder: a founder whose owner has left hosts a world with one other
// node, whose owner plays. Somebody else plays at the founder's node, before or after
// that. The founder's node is killed, or shut down: those at the other play on, also in
// what nobody used at that moment.
func TestEveningInAnyOrder(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	for _, annFirst := range []bool{true, false} {
		for _, killed := range []bool{true, false} {
			t.Run(fmt.Sprintf("Ann first %t, killed %t", annFirst, killed), func(t *testing.T) {
				c := newCluster(t, 1, 2)
				c.s.Run(time.Second)
				var bea *wanderer
				if !annFirst {
					bea = c.addOwner(1)
					c.until("the owner is in", func() bool { return bea.in })
				}
				ann := c.addGuest(0)
				c.until("the guest is in", func() bool { return ann.in })
				c.s.Run(30 * time.Second)
				remote := c.forgotten(0)
				if annFirst {
					bea = c.addOwner(1)
					c.until("the owner is in", func() bool { return bea.in })
				}
				if killed {
					c.until("the owner's node to have all votes", func() bool { return c.allVotesAt(1) })
					c.nodes[0].Crash()
				} else {
					c.leave(0)
				}
				c.builds(bea)
				c.addGuest(1)
				carl := len(c.guests) - 1
				c.builds(c.wanderer(carl))
				c.looks(carl, remote, region.RateEvery)
				c.until("what nobody used is there", func() bool { return c.leaderOf(remote) == 1 })
				for p, h := range c.node(1).net.hosting.replicas {
					if !h.group.IsOnlyVoter() {
						t.Errorf("%v waits for the founder's node", p)
					}
				}
				c.nodes[0].Restart()
				c.builds(ann)
				c.settle()
				c.checkPresence()
				if c.checkEdits() == 0 {
					t.Error("nothing was built")
				}
			})
		}
	}
}

// TestVoteStays: where the owners of both nodes play the vote stays; one who is away
// for a moment keeps it, one who has left loses it and does not get it back by
// returning.
func TestVoteStays(t *testing.T) {
	c := newCluster(t, 1, 2)
	c.s.Run(time.Second)
	ann := c.addOwner(0)
	c.until("the founder's node has the vote", func() bool { return ann.in && c.leaderOf(shards.Lobby) == 0 })
	bea := c.addOwner(1)
	c.until("the other owner is in", func() bool { return bea.in })
	for i := range c.guests {
		c.wanderer(i).quiet = true
	}
	c.s.Run(30 * time.Second)
	leads := func(node int, for_ time.Duration) {
		t.Helper()
		for end := c.s.Now().Add(for_); c.s.Now() < end; c.s.Run(500 * time.Millisecond) {
			if l := c.leaderOf(shards.Lobby); l != node {
				t.Fatalf("node %d leads the lobby instead of node %d", l, node)
			}
		}
	}
	leads(0, 10*time.Second)
	for range 8 { // the page is loaded anew
		c.guests[0].Call(func() {
			ann.env.Close(ann.node)
			ann.OnLink(ann.node, machine.LinkClosed)
		})
		leads(0, 2*time.Second)
	}
	leads(0, ownerAway)
	c.guests[0].Crash()
	c.until("the vote is where the owner plays", func() bool { return c.leaderOf(shards.Lobby) == 1 })
	c.guests[0].Restart()
	leads(1, 30*time.Second)
}

// TestThreeHostsAnyOrder: with three hosts it does not matter where anybody plays, who
// came first and which of them is killed: the players of the other two play on.
func TestThreeHostsAnyOrder(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c := newCluster(t, 1, 3)
	c.s.Run(time.Second)
	c.addGuest(0)
	c.until("the guest is in", func() bool { return c.wanderer(0).in })
	c.addOwner(1)
	c.addOwner(2)
	for victim := range c.nodes {
		c.until("all used parts have three votes", func() bool {
			for i := range c.nodes {
				for _, r := range c.node(i).net.routes.All() {
					p, l := r.Shard, c.leaderOf(r.Shard)
					if r.Sessions > 0 && (l < 0 || len(c.node(l).net.hosting.replicas[p].group.Voters()) != 3) {
						return false
					}
				}
			}
			return true
		})
		c.s.Run(5 * time.Second)
		c.nodes[victim].Crash()
		for i := range c.guests {
			if i != victim {
				c.builds(c.wanderer(i))
			}
		}
		c.nodes[victim].Restart()
		c.builds(c.wanderer(victim))
	}
	c.settle()
	c.checkLeaders()
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
}
