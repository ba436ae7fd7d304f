package node

import (
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
)

// claims makes a node say to another that a newer generation of a shard's group is
// led by it.
func (c *cluster) claims(liar, victim int, p shards.Shard, gen group.Gen) {
	c.nodes[liar].Call(func() {
		c.node(liar).net.links.SendDatagram(nodePeer(victim), &shardgroup.GroupStatus{Shard: p, Reply: true, Member: true, Led: true, Gen: gen, Term: 1 << 40, Last: 1 << 40, Members: []machine.Peer{nodePeer(liar)}})
		c.node(liar).net.links.Send(nodePeer(victim), &group.Message{Space: p.Space(), Gen: gen, From: 1, To: 2, Term: 1 << 40})
	})
}

// aside are what a node has put aside; not the spare copies.
func (c *cluster) aside(i int) (out []string) {
	for _, space := range c.nodes[i].Disk.Spaces() {
		if strings.HasPrefix(space, "old.") && !strings.HasSuffix(space, ".spare") && !strings.Contains(space, ".at.") {
			out = append(out, space)
		}
	}
	return out
}

// TestLiarsClaim: a single node, a fellow member or one near the key, says that
// a newer generation of a group goes on, or an older group of the shard, for minutes.
// Nobody puts anything aside, also not who has just restarted.
func TestLiarsClaim(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	for _, nodes := range []int{2, 4} {
		c := newCluster(t, uint64(nodes), nodes)
		c.change = func(_ int, n *Net) { n.Founder = nodePeer(0).ID }
		c.s.Run(3 * time.Second)
		c.enterGuest(0)
		c.s.Run(20 * time.Second)
		liar := nodes - 1
		hosted := shards.Sorted(c.node(0).net.hosting.replicas)
		if len(hosted) == 0 {
			t.Fatal("the victim hosts nothing")
		}
		attack := func(rounds int) {
			for range rounds {
				for victim := range liar {
					for _, p := range shards.Sorted(c.node(victim).net.hosting.replicas) {
						gen := c.node(victim).net.hosting.replicas[p].group.Raft.Status().Gen
						c.claims(liar, victim, p, group.Gen{Number: gen.Number + 1, Fork: 7})
						c.claims(liar, victim, p, group.Gen{Number: gen.Number, Fork: gen.Fork + 1<<20})
					}
				}
				c.s.Run(3 * time.Second)
			}
		}
		attack(12)
		c.nodes[0].Crash()
		c.s.Run(time.Second)
		c.nodes[0].Restart()
		c.s.Run(time.Second)
		attack(8)
		for victim := range liar {
			if had := c.aside(victim); len(had) > 0 {
				t.Errorf("%d nodes: node %d has put aside %v", nodes, victim, had)
			}
			for p, h := range c.node(victim).net.hosting.replicas {
				if n := len(h.otherGroups.claims); n > hostpolicy.Nearby+2 {
					t.Errorf("%v has %d claims", p, n)
				}
			}
		}
		c.checkLeaders()
	}
}
