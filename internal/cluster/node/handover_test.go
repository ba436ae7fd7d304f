package node

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// TestLongLeaveSoonAfterReturn: of two nodes one has been down and is back. Moments later
// the other, which leads everything, is shut down: what it leads goes over all the same.
func TestLongLeaveSoonAfterReturn(t *testing.T) {
	simtest.Long(t)
	for _, after := range []time.Duration{2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			c := newCluster(t, 1, 2)
			c.s.Run(time.Second)
			g := c.addGuest(1)
			c.until("the player's node leads all that the player uses", func() bool {
				for _, r := range c.node(1).net.routes.All() {
					if r.Sessions > 0 && c.leaderOf(r.Shard) != 1 {
						return false
					}
				}
				return g.in && c.leaderOf(shards.Lobby) == 1
			})
			c.s.Run(20 * time.Second)
			c.nodes[0].Crash()
			acted := g.acted
			c.until("the player builds", func() bool { return g.acted > acted+3 })
			c.s.Run(30 * time.Second)
			c.nodes[0].Restart()
			c.s.Run(after)

			var led []shards.Shard
			for p, h := range c.node(1).net.hosting.replicas {
				if h.group.Leading {
					led = append(led, p)
				}
			}
			done, at := false, c.s.Now()
			c.nodes[1].Call(func() {
				c.node(1).Shutdown(func(err error) {
					if done = true; err != nil {
						t.Error(err)
					}
				})
			})
			c.until("the shutdown ends", func() bool { return done })
			if took := c.s.Now().Sub(at); took >= handOverTime {
				t.Errorf("handing over took %v", took)
			}
			c.nodes[1].Crash()
			other := c.addGuest(0)
			c.until("a player of the other node is in", func() bool { return other.in })
			for _, p := range led {
				if h := c.node(0).net.hosting.replicas[p]; h == nil || !h.group.IsOnlyVoter() {
					t.Errorf("%v has not gone over", p)
				}
			}
			c.settle()
			if c.checkEdits() == 0 {
				t.Error("nothing was built")
			}
		})
	}
}

// TestLeaveInItsSleep: a node leaves when nobody has played for a while. What hibernates
// goes to the other node as well, though its members have not heard of each other for
// as long as the dead.
func TestLeaveInItsSleep(t *testing.T) {
	c := newCluster(t, 1, 2)
	c.s.Run(time.Second)
	c.enterGuest(0)
	c.s.Run(30 * time.Second)
	remote := c.forgotten(0)
	c.guests[0].Crash()
	c.s.Run(time.Minute)
	if h := c.node(0).net.hosting.replicas[remote]; !h.group.Raft.Hibernates() || !h.canLeave() {
		t.Error("the other member of a group that hibernates counts as dead")
	}
	c.leave(0)
	if h := c.node(1).net.hosting.replicas[remote]; h == nil || !h.group.IsOnlyVoter() {
		t.Errorf("%v has not gone over", remote)
	}
	c.builds(c.addGuest(1))
	c.looks(1, remote, region.RateEvery)
	c.until("somebody leads the region", func() bool { return c.leaderOf(remote) == 1 })
}

// TestShutdownIsBounded: a node stops in 18 s though what it has to save can never be
// saved: the other members of its groups are gone, or the disk does not answer.
func TestShutdownIsBounded(t *testing.T) {
	t.Run("no majority", func(t *testing.T) {
		c := newCluster(t, 3, 3)
		c.s.Run(3 * time.Second)
		g := c.addGuest(0)
		c.until("the guest is in", func() bool { return g.in && g.acted > 3 })
		last := c.leaderOf(shards.Shard{Region: g.home})
		for i := range c.nodes {
			if i != last {
				c.nodes[i].Crash()
			}
		}
		c.endsInTime(t, c.nodes[last], c.node(last)) // it loses its leases, and what nobody has acknowledged
	})
	t.Run("no disk", func(t *testing.T) {
		b := newBed(t, Config{})
		b.to(0, 0, "x")
		b.w.script["r0,0 lobby: SaveAll"] = func(*fakeShard) {} // it waits for the disk for good
		if err := (&cluster{s: b.s}).endsInTime(t, b.n, b.node()); err == nil {
			t.Error("it claims to have saved everything")
		}
	})
}

// endsInTime shuts a node down that cannot save, and returns what it says.
func (c *cluster) endsInTime(t *testing.T, n *sim.Node, m *Node) error {
	var ended []error
	at := c.s.Now()
	n.Call(func() { m.Shutdown(func(err error) { ended = append(ended, err) }) })
	c.s.RunUntil(func() bool { return ended != nil }, time.Minute)
	if took := c.s.Now().Sub(at); len(ended) != 1 || took > saveTime+handOverTime+peers.Beat {
		t.Fatalf("after %v: %v", took, ended)
	}
	return ended[0]
}
