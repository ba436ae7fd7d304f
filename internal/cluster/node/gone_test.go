package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
)

// TestLeaderThatKnowsNothing: a node that is taken for the leader of a shard, has
// left its group since and knows nothing of it any more says so when it is asked.
// That is believed although it names no term.
func TestLeaderThatKnowsNothing(t *testing.T) {
	c := newCluster(t, 1, 6)
	c.s.Run(3 * time.Second)
	g := c.addGuest(0)
	c.until("the guest is in", func() bool { return g.in })
	c.s.Run(15 * time.Second)
	home := shards.Shard{Region: g.home}
	var strangers []int
	for i := range c.nodes {
		if c.node(i).net.hosting.replicas[home] == nil && i != 0 {
			strangers = append(strangers, i)
		}
	}
	if len(strangers) < 2 {
		t.Fatalf("%d nodes do not host %v", len(strangers), home)
	}
	asks, former := strangers[0], strangers[1]
	leader := c.leaderOf(home)
	w := c.node(asks).net
	var speak func() // about something else: who falls silent is doubted anyway
	speak = func() {
		c.node(former).net.routes.Remove(home)
		c.node(former).net.links.SendDatagram(nodePeer(asks), &routing.LeaderQuery{Shard: shards.Lobby})
		c.s.At(c.s.Now().Add(100*time.Millisecond), speak)
	}
	speak()
	c.s.Run(time.Second)
	h := c.node(leader).net.hosting.replicas[home]
	w.routes.LeaderFor(home)
	w.routes.LeaderFound(home, nodePeer(former), h.group.Members(), h.group.Term())
	reader := c.addGuest(asks)
	from := c.s.Now()
	c.until("the reader's node to know the leader", func() bool { return w.routes.LeaderOf(home) == nodePeer(c.leaderOf(home)) })
	if took := c.s.Now().Sub(from); took > 5*time.Second {
		t.Errorf("that took %v", took)
	}
	reader.watch(g.home, region.RateEvery)
	c.until("the reader to see the land", func() bool { return reader.columns[g.home.Column(0)] != nil })
}
