package node

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestRemovedHostKeepsCopy: hosts that were removed keep what they had, know of it after
// a restart, and do not serve it.
func TestRemovedHostKeepsCopy(t *testing.T) {
	c := newCluster(t, 1, 6)
	c.s.Run(3 * time.Second)
	g := c.addGuest(0)
	c.until("the guest is in", func() bool { return g.in })
	c.s.Run(20 * time.Second)
	g.quiet = true
	c.s.Run(2 * time.Second)
	home := shards.Shard{Region: g.home}
	hosts := c.hostsOf(home)
	var others []machine.Peer
	for i := range c.nodes {
		if !peers.Among([]machine.Peer{nodePeer(hosts[0]), nodePeer(hosts[1]), nodePeer(hosts[2])}, nodePeer(i).ID) {
			others = append(others, nodePeer(i))
		}
	}
	leader := c.leaderOf(home)
	had := len(c.nodes[leader].Disk.All(home.Space()))
	if len(hosts) != 3 || len(others) != 3 || had == 0 {
		t.Fatalf("hosts %v, others %v, %d records", hosts, others, had)
	}
	c.nodes[leader].Call(func() {
		if err := c.node(leader).net.hosting.replicas[home].group.Raft.SetMembers(others); err != nil {
			t.Error(err)
		}
	})
	copyOf := func(i int) *copies.Saved {
		for _, s := range c.node(i).net.copies.All() {
			if s.Shard == home {
				return &s
			}
		}
		return nil
	}
	for _, i := range hosts {
		c.until(fmt.Sprintf("node %d has a copy", i), func() bool { return copyOf(i) != nil && !c.node(i).net.hosting.Hosts(home) })
		s := *copyOf(i)
		c.nodes[i].Restart()
		c.until(fmt.Sprintf("node %d knows of it again", i), func() bool { return copyOf(i) != nil })
		if again := *copyOf(i); again != s || !s.Retired || s.Gen.Number != 1 || s.Index == 0 || s.Bytes == 0 {
			t.Errorf("node %d: %+v, before %+v", i, again, s)
		}
		if n := len(c.nodes[i].Disk.All(group.RetiredSpace(home.Space()))); n == 0 {
			t.Errorf("node %d: %d records in its copy, the leader had %d", i, n, had)
		}
		if c.node(i).net.hosting.Hosts(home) || len(c.nodes[i].Disk.All(home.Space())) > 0 {
			t.Errorf("node %d hosts it", i)
		}
	}
}
