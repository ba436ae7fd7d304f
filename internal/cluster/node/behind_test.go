package node

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// hostsOf are the members of a shard's group as its leader knows them, by number.
func (c *cluster) hostsOf(p shards.Shard) (out []int) {
	l := c.leaderOf(p)
	if l < 0 {
		return nil
	}
	for _, m := range c.node(l).net.hosting.replicas[p].group.Members() {
		out = append(out, c.indexOf(m))
	}
	slices.Sort(out)
	return out
}

// followersOf are the two hosts besides the leader, the first of them not the first node.
func (c *cluster) followersOf(p shards.Shard, leader int) (first, other int) {
	first, other = -1, -1
	for _, i := range c.hostsOf(p) {
		switch {
		case i == leader:
		case first < 0 && i != 0:
			first = i
		default:
			other = i
		}
	}
	return first, other
}

// farFrom finds a region, not near the spawn, to which the first n nodes of a
// country of that many are the farthest.
func (c *cluster) farFrom(n, of int) shards.Shard {
	for x := int32(8); x < 1000; x++ {
		p := shards.Shard{Region: world.RegionPos{X: x}}
		all := make([]machine.Peer, of)
		for i := range all {
			all[i] = nodePeer(i)
		}
		first := slices.Clone(all[:n])
		kademlia.SortNearest(shards.Key(id.Of([]byte("country")), p), all)
		if !slices.ContainsFunc(all[:of-n], func(q machine.Peer) bool { return slices.Contains(first, q) }) {
			return p
		}
	}
	c.Fatal("no region is far from those nodes")
	return shards.Shard{}
}

// TestLeftBehind: a node is down while all other members of a group give their
// places to others. When it starts again its replica knows nobody who could tell
// it that the group goes on elsewhere, in the same generation. Its players get
// there all the same, by what the directory says, and the hosts that it names;
// so does what other shards there say.
func TestLeftBehind(t *testing.T) {
	const few, all = 3, 6
	c := newCluster(t, 1, few)
	for i := few; i < all; i++ {
		c.addNode(i)
		c.nodes[i].Crash() // not there yet
	}
	shard := c.farFrom(few, all)
	c.s.Run(3 * time.Second)
	near := c.addGuest(0)
	near.quiet = true
	look := func(guest int) {
		c.guests[guest].Call(func() { c.wanderer(guest).watch(shard.Region, region.RateEvery) })
	}
	c.until("the guest is in", func() bool { return near.in })
	look(0)
	c.until("the region has three hosts", func() bool { return len(c.hostsOf(shard)) == few })
	c.nodes[2].Crash()
	for i := few; i < all; i++ {
		c.nodes[i].Restart()
	}
	c.s.Run(30 * time.Second)
	leader := c.leaderOf(shard)
	c.nodes[leader].Call(func() {
		others := []machine.Peer{nodePeer(3), nodePeer(4), nodePeer(5)}
		if err := c.node(leader).net.hosting.replicas[shard].group.Raft.SetMembers(others); err != nil {
			t.Error(err)
		}
	})
	c.until("it has three others", func() bool { return slices.Equal(c.hostsOf(shard), []int{3, 4, 5}) })
	c.nodes[2].Restart()
	c.s.Run(3 * time.Second)
	remote := c.addGuest(2)
	remote.quiet = true
	c.until("a guest of the node that was down is in", func() bool { return remote.in })
	look(1)
	c.until("its land comes", func() bool { return remote.columns[shard.Region.Column(0)] != nil })
}

// watched prepares two nodes of which the first has a guest who watches a region
// that the second leads, and is not at home there.
func watched(t *testing.T) (c *cluster, g *wanderer, p shards.Shard) {
	c = newCluster(t, 1, 2)
	c.s.Run(3 * time.Second)
	g = c.addGuest(0)
	g.quiet = true
	c.until("the guest is in", func() bool { return g.in })
	for x := int32(8); ; x++ {
		p = shards.Shard{Region: world.RegionPos{X: x}}
		c.guests[0].Call(func() { g.watch(p.Region, region.RateEvery) })
		c.until("the land comes", func() bool { return g.columns[p.Region.Column(0)] != nil })
		if c.leaderOf(p) == 1 {
			return c, g, p
		}
		c.guests[0].Call(func() { g.watch(p.Region, region.RateNone) })
	}
}

// TestLostWatch: a region begins anew at the node that leads it, and the
// node of somebody who watches it does not hear of that.
func TestLostWatch(t *testing.T) {
	c, g, p := watched(t)
	c.nodes[1].Call(func() {
		n := c.node(1)
		n.release(n.regions[p.Region])
	})
	clear(g.columns)
	c.until("the land comes again", func() bool { return g.columns[p.Region.Column(0)] != nil })
}

// TestLostRewatch: a region was asked to begin anew for a session that had missed
// frames, and that was lost.
func TestLostRewatch(t *testing.T) {
	c, g, p := watched(t)
	key := stream{c.guests[0].Peer().ID, p.Region}
	c.nodes[0].Call(func() { c.node(0).net.sessions.lagging[key] = &laggingSession{asked: c.s.Now()} })
	clear(g.columns)
	c.until("the land comes again", func() bool { return g.columns[p.Region.Column(0)] != nil })
	c.until("it is not late any more", func() bool { return c.node(0).net.sessions.lagging[key] == nil })
}

// TestLostSessionEnd: a session ends, and the node of a region that it watches does
// not hear of that. What comes for the session tells.
func TestLostSessionEnd(t *testing.T) {
	c, g, p := watched(t)
	c.nodes[0].Call(func() {
		c.node(0).net.routes.EndSession(c.guests[0].Peer().ID, func(shards.Shard, machine.Peer) {})
	})
	c.guests[0].Call(func() { g.env.Close(g.node) })
	c.until("the region sleeps", func() bool { return c.node(1).regions[p.Region] == nil })
}

// TestLobbyRestarts: the lobby loses its lead for a moment, and begins anew where it
// was. What its node says of that is lost, but who was there comes again.
func TestLobbyRestarts(t *testing.T) {
	c := newClusterOn(t, 1, 3, wide())
	c.s.Run(10 * time.Second)
	c.addGuest(0).quiet = true
	c.until("somebody is in", func() bool { return c.wanderer(0).in })
	l := c.leaderOf(shards.Lobby)
	g := c.addGuest((l + 1) % 3)
	g.quiet = true
	c.until("the guest is in", func() bool { return g.in })
	in := c.s.Config().Internet
	loss := in.Loss
	in.Loss = 1
	c.nodes[l].Call(func() {
		h := c.node(l).net.hosting.replicas[shards.Lobby]
		h.OnFollow(group.ErrLease)
		h.OnLead()
		c.node(l).drain()
	})
	c.s.Run(2 * time.Second)
	in.Loss = loss
	other := c.addGuest(l)
	c.until("another one hears that it is there", func() bool { return other.present[g.name] })
}
