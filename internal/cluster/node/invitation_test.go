package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestHostileInvitation: a node that does not host a shard makes nobody a member of a
// group of it, and is not believed to speak in the shard's name.
func TestHostileInvitation(t *testing.T) {
	c := newCluster(t, 1, 7)
	c.s.Run(3 * time.Second)
	g := c.addGuest(0)
	c.until("the guest is in", func() bool { return g.in })
	c.s.Run(10 * time.Second)
	victim := c.node(0).net
	// A shard that others host, and many that nobody does.
	var list []shards.Shard
	liar := -1
	for i := 1; i < len(c.nodes) && liar < 0; i++ {
		for _, p := range shards.Sorted(c.node(i).net.hosting.replicas) {
			for l := 1; l < len(c.nodes); l++ {
				if victim.hosting.replica(p) == nil && c.node(l).net.hosting.replica(p) == nil && liar < 0 {
					list, liar = append(list, p), l
				}
			}
		}
	}
	if liar < 0 {
		t.Fatal("everybody hosts everything")
	}
	for i := range int32(2 * maxInvitations) {
		list = append(list, shards.Shard{Region: world.RegionPos{X: 500 + i}})
	}
	had := len(victim.hosting.replicas)
	for range 5 {
		c.nodes[liar].Call(func() {
			for _, p := range list {
				c.node(liar).net.links.Send(nodePeer(0), &group.Message{Space: p.Space(), Gen: group.Gen{Number: 1, Fork: 1}, From: 1, To: 2, Term: 2, Fresh: true, SentAt: 1, Lease: 1})
			}
		})
		c.s.Run(time.Second)
		if n := len(victim.invitations.checks); n > maxInvitations {
			t.Fatalf("%d invitations are remembered", n)
		}
	}
	for _, p := range list {
		if victim.hosting.replica(p) != nil || victim.routes.Speakers.SpeaksFor(nodePeer(liar), p) && c.node(liar).net.hosting.replica(p) == nil {
			t.Errorf("the victim has become a host of %v, with the liar", p)
		}
	}
	if n := len(victim.hosting.replicas); n > had+3 {
		t.Errorf("it hosted %d parts and hosts %d", had, n)
	}
	c.s.Run(2 * invitedFor)
	if n := len(victim.invitations.checks); n > 0 {
		t.Errorf("%d invitations are still remembered", n)
	}
}
