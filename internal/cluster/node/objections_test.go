package node

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// claim lets nodes tell all others that they have a replica of a shard.
func (c *cluster) claim(liars []int, say *shardgroup.GroupStatus) {
	for _, i := range liars {
		c.nodes[i].Call(func() {
			for j, n := range c.nodes {
				if j != i && n.Machine() != nil {
					c.node(i).net.links.SendDatagram(nodePeer(j), say)
					if say.Member {
						c.node(i).net.links.SendDatagram(nodePeer(j), &HostReply{Shard: say.Shard, Members: say.Members})
					}
				}
			}
		})
	}
}

// TestLiarsKeepRegionsFromBeingRestored: all hosts of a region die with their disks, and
// nodes say all the time that they have it: that somebody leads it; that they are a member
// of a group of which nobody has heard; and two who say so of each other. The first does
// not delay the restoration, the second for less than two minutes, the third for little
// more than half an hour.
func TestLiarsKeepRegionsFromBeingRestored(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	for _, x := range []struct {
		name    string
		liars   int
		member  bool
		within  time.Duration
		atLeast time.Duration
	}{
		{"led elsewhere", 1, false, 20 * time.Second, 0},
		{"a member", 1, true, 2 * hostpolicy.LastHostAfter, hostpolicy.LastHostAfter},
		{"two members", 2, true, hostpolicy.ObjectionFor + 5*time.Minute, hostpolicy.LastHostAfter + time.Minute},
	} {
		t.Run(x.name, func(t *testing.T) {
			c, g, home := playedIn(t, 1)
			c.s.Run(10 * time.Second)
			hosts, holders := c.hostsOf(home), c.holders(home)
			var liars []int
			members := []machine.Peer{nodePeer(hosts[0])}
			for _, p := range c.node(0).net.dir.InOrder(home, peersOf(c.nodes)) {
				i := c.indexOf(p)
				if len(liars) < x.liars && !slices.Contains(hosts, i) && !slices.Contains(holders, i) && i != c.indexOf(g.node) {
					liars, members = append(liars, i), append(members, p)
				}
			}
			gen := c.node(hosts[0]).net.hosting.replicas[home].group.Raft.Status().Gen
			lie := &shardgroup.GroupStatus{Shard: home, Led: true, Member: x.member, Gen: group.Gen{Number: gen.Number, Fork: 7}, Term: 3, Last: 1 << 20, Members: members}
			c.destroy(hosts)
			died := c.s.Now()
			g.quiet = false
			restored := func() bool { return c.leaderOf(home) >= 0 }
			for c.s.Now().Sub(died) < x.within && !restored() {
				c.claim(liars, lie)
				c.s.Run(250 * time.Millisecond)
			}
			took := c.s.Now().Sub(died)
			t.Logf("led again after %v", took)
			if !restored() || took < x.atLeast {
				t.Errorf("restored: %v, after %v; said: %q", restored(), took, c.notes)
			}
		})
	}
}

func peersOf(nodes []*sim.Node) (out []machine.Peer) {
	for i := range nodes {
		out = append(out, nodePeer(i))
	}
	return out
}
