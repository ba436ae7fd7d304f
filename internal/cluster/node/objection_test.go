package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// object lets nodes say for a while that they hear a host of a shard, and that somebody leads
// it, whenever they are asked.
func (c *cluster) object(p shards.Shard, to int, liars []int, d time.Duration) {
	const often = 250 * time.Millisecond
	for range d / often {
		for _, i := range liars {
			c.nodes[i].Call(func() {
				w := c.node(i).net
				w.links.SendDatagram(nodePeer(to), &shardgroup.GroupStatus{Shard: p, Led: true, Heard: true, Gen: c.node(to).net.hosting.replicas[p].group.Raft.Status().Gen})
			})
		}
		c.s.Run(often)
	}
}

// TestLongLiarObjects: two of three hosts of a region die for good, and a node near its
// key says all the time that it hears one of them, which leads. It delays the recovery, but not
// for ever; as long as most nodes near the key say so there is none.
func TestLongLiarObjects(t *testing.T) {
	simtest.Long(t)
	c, g := playedCluster(t, 4, 7, 20*time.Second)
	home := shards.Shard{Region: g.home}
	g.quiet = true
	left := c.indexOf(c.node(c.leaderOf(home)).net.hosting.replicas[home].group.Members()[0])
	var liars []int
	for i := range c.nodes {
		switch {
		case i == left:
		case c.node(i).net.hosting.replica(home) != nil:
			c.nodes[i].Crash()
		case peers.Among(c.node(left).net.dir.NearestNodes(home, hostpolicy.Nearby), nodePeer(i).ID):
			liars = append(liars, i)
		}
	}
	h := c.node(left).net.hosting.replicas[home]
	noted := func() bool { return c.noted("goes on with what this node has") > 0 }
	c.object(home, left, liars[:1], hostpolicy.MemberLostAfter+time.Minute)
	if h.quorumLoss.objected == 0 || noted() {
		t.Fatalf("one node objects since %v, recovered: %v", h.quorumLoss.objected, noted())
	}
	h.quorumLoss.objected = c.s.Now().Add(-hostpolicy.ObjectionFor) // half an hour later
	c.object(home, left, liars, time.Minute)
	if noted() {
		t.Fatalf("the group has recovered against %d nodes near the key", len(liars))
	}
	c.object(home, left, liars[:1], time.Minute)
	if !noted() {
		t.Fatal("one node keeps the group from recovering for ever")
	}
	c.until("somebody leads", func() bool { return c.leaderOf(home) == left })
}
