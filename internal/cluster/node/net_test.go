package node

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// TestPlayOnRemoteNode: a session on one node plays in a region that another one leads.
func TestPlayOnRemoteNode(t *testing.T) {
	c := newCluster(t, 1, 1)
	first := c.addGuest(0)
	c.until("the first guest is in", func() bool { return first.in })
	c.addNode(1)
	c.s.Run(5 * time.Second)
	second := c.addGuest(1)
	c.until("the second guest is in", func() bool { return second.in })
	c.until("the second guest has built", func() bool {
		for _, e := range second.edits {
			if e.sure && e.block == world.Bricks {
				return true
			}
		}
		return false
	})
	spawnRegion := shards.Shard{Region: spawn.Region()}
	if c.node(1).regions[spawnRegion.Region] != nil || c.node(0).regions[spawnRegion.Region] == nil {
		t.Fatal("the spawn region is not at the first node alone")
	}
	c.nodes[1].Crash()
	c.s.Run(time.Second)
	if n := c.node(0).regions[spawnRegion.Region]; n == nil {
		t.Fatal("the spawn region has gone")
	}
}

// TestTakeover: the node that leads the region of a player dies; another goes
// on with everything that was acknowledged, and the player plays on.
func TestTakeover(t *testing.T) {
	c := newCluster(t, 1, 3)
	c.s.Run(5 * time.Second)
	g := c.enterGuest(0)
	c.until("the guest is in a region of another node, which two more keep", func() bool {
		l := c.leaderOf(shards.Shard{Region: g.home})
		return l > 0 && len(c.node(l).net.hosting.replicas[shards.Shard{Region: g.home}].group.Members()) == 3
	})
	home := shards.Shard{Region: g.home}
	leader := c.leaderOf(home)
	if leader < 0 {
		c.dump(home)
		t.Fatal("nobody leads")
	}
	t.Logf("region %v and the lobby are led by the nodes %d and %d", g.home, leader, c.leaderOf(shards.Lobby))
	entries := g.entries
	c.nodes[leader].Crash()
	c.until("the guest is in again", func() bool { return g.entries > entries && g.in })
	c.dump(home)
	c.until("the guest builds again", func() bool { c.s.Run(time.Second); return g.acted > 3 })
}

// TestLeave: a node that stops in good order hands over what it leads, also
// where it is the only member of a group; players of other nodes go on where
// they stand, with all that they built.
func TestLeave(t *testing.T) {
	for _, nodes := range []int{2, 4} {
		t.Run(fmt.Sprint(nodes, " nodes"), func(t *testing.T) {
			c := newCluster(t, 5, nodes)
			c.s.Run(3 * time.Second)
			for i := range nodes {
				c.addGuest(i)
			}
			c.s.Run(20 * time.Second)
			leader := c.leaderOf(shards.Shard{Region: spawn.Region()})
			stay := (leader + 1) % nodes
			g := c.wanderer(stay)
			done, at := false, c.s.Now()
			c.nodes[leader].Call(func() {
				c.node(leader).Shutdown(func(err error) {
					if done = true; err != nil {
						t.Error(err)
					}
				})
			})
			c.until("the shutdown ends", func() bool { return done })
			if took := c.s.Now().Sub(at); took >= handOverTime {
				t.Errorf("handing over took %v", took)
			}
			c.nodes[leader].Crash()
			c.until("the guest builds again", func() bool { c.s.Run(time.Second); return g.in && g.acted > 3 })
			for _, r := range c.node(stay).net.routes.All() {
				if c.leaderOf(r.Shard) == leader {
					t.Errorf("%v is still led by the node that has gone", r.Shard)
				}
			}
			c.guests[0], c.guests[stay] = c.guests[stay], c.guests[0]
			c.guests = slices.DeleteFunc(c.guests, func(n *sim.Node) bool { return n.Machine().(*wanderer).node == nodePeer(leader) })
			for i := range c.guests {
				c.wanderer(i).quiet = true
			}
			c.s.Run(5 * time.Second)
			c.until("the homes of all hear them", func() bool { // one may just have got another host
				for i := range c.guests {
					if g := c.wanderer(i); g == nil || !g.in || c.s.Now().Sub(g.heard) > time.Second {
						return false
					}
				}
				return true
			})
			c.checkEdits()
			c.checkPresence()
		})
	}
}

// TestSharedWorldKeepsItsData: a world that had one node is shared: what is on that node's
// disk is hosted by groups, with all that was built, also where nobody is.
func TestSharedWorldKeepsItsData(t *testing.T) {
	c := &cluster{TB: t, s: sim.NewWith(5, sim.Config{Start: singleNodeStart, Delay: 5 * time.Millisecond, Carry: overBytes(nil)}), alone: true}
	c.addNode(0)
	for range 3 {
		c.addGuest(0)
	}
	c.s.Run(40 * time.Second)
	for i := range c.guests {
		c.wanderer(i).quiet = true
	}
	c.s.Run(2 * time.Second)
	c.alone = false
	c.nodes[0].Restart()
	c.addNode(1)
	c.addNode(2)
	c.settle()
	had := 0
	for _, space := range c.nodes[0].Disk.Spaces() {
		p, ok := shards.InSpace(space)
		if !ok {
			continue
		}
		had++
		c.until(p.String()+" has three hosts", func() bool {
			for i := range c.nodes {
				if h := c.node(i).net.hosting.replica(p); h == nil || len(h.group.Members()) != 3 {
					return false
				}
			}
			return true
		})
	}
	if had < 2 {
		t.Fatalf("%d parts were stored", had)
	}
	c.nodes[0].Crash()
	c.s.Run(5 * time.Second)
	reader := c.addGuest(1)
	reader.quiet = true
	c.until("a reader is in", func() bool { return reader.in })
	c.guests[0], c.guests[3] = c.guests[3], c.guests[0]
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
}

// TestForeignShards: a node cannot speak for a shard that it does not host.
func TestForeignShards(t *testing.T) {
	c, g := playedCluster(t, 1, 4, 10*time.Second)
	home := shards.Shard{Region: g.home}
	leader := c.leaderOf(home)
	if leader < 0 {
		t.Fatal("nobody leads")
	}
	p := world.NewPlayer(id.Of([]byte("nobody")), "nobody", world.Creative, spawn.Centre())
	p.Epoch = 9
	offer := &region.Handover{Player: p.ID, Epoch: 9, State: p.AppendBinary(nil)}
	lie := &routing.Routed{To: home, From: shards.Shard{Region: world.RegionPos{X: g.home.X + 1, Z: g.home.Z}}, Msg: offer}
	liar := -1
	for i := range c.nodes {
		if !c.node(leader).net.routes.Speakers.SpeaksFor(nodePeer(i), lie.From) && i != leader {
			liar = i
		}
	}
	if liar < 0 {
		t.Fatal("everybody hosts the neighbour")
	}
	say := func(m machine.Message) {
		c.nodes[liar].Call(func() { c.node(liar).net.links.Send(nodePeer(leader), m) })
		c.s.Run(12 * time.Second)
	}
	say(lie)
	say(&routing.Routed{To: shards.Lobby, From: home, Session: id.ID{}, Msg: &lobby.Enter{Player: p.ID, Name: "nobody", Local: true}})
	say(&routing.Routed{To: home, From: home, Msg: offer})
	for i := range c.nodes {
		for _, q := range c.node(i).awake {
			if slices.Contains(q.m.(*region.Region).PlayerNames(), "nobody") {
				t.Errorf("node %d has taken over a player from a node that hosts nothing there", i)
			}
		}
	}
	c.checkPresence()
}

// TestSameSeedSameCluster: the same seed gives the same events on all nodes.
func TestSameSeedSameCluster(t *testing.T) {
	run := func() uint64 {
		c := newClusterOn(t, 3, 4, wide())
		c.s.Run(3 * time.Second)
		for i := range 3 {
			c.addGuest(i)
		}
		for range 3 {
			c.s.Run(5 * time.Second)
			crashSome(c)
			cutSome(c)
		}
		c.s.Run(10 * time.Second)
		return c.s.Trace()
	}
	if a, b := run(), run(); a != b {
		t.Fatalf("traces %x and %x", a, b)
	}
}
