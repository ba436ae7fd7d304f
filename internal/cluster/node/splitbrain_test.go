package node

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// leaders are the nodes whose replica of a shard leads.
func (c *cluster) leaders(p shards.Shard) (out []int) {
	for i, n := range c.nodes {
		if n.Machine() == nil {
			continue
		}
		if h := c.node(i).net.hosting.replicas[p]; h != nil && h.group.Raft.Leads() {
			out = append(out, i)
		}
	}
	return out
}

// TestLongSplitBrain: two halves of a world that never heard of each other each make
// groups for the same shards. When they meet, the groups that were begun first
// go on, the others stop and put their data aside, and there is one leader.
func TestLongSplitBrain(t *testing.T) {
	simtest.Long(t)
	all := []uint64{6, 7} // in these a group sleeps while the halves meet
	if os.Getenv("SEED") != "" {
		all = seeds(t, 1)
	}
	for _, seed := range all {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { splitBrain(t, seed) })
	}
}

func splitBrain(t *testing.T, seed uint64) {
	c := newCluster(t, seed, 0)
	c.change = func(i int, n *Net) {
		switch i {
		case 3:
			n.Known = nil
		case 4, 5:
			n.Known = []machine.Peer{nodePeer(3)}
		case 6:
			n.Known = []machine.Peer{nodePeer(0), nodePeer(3)}
		}
	}
	c.start(3)
	first := c.addGuest(0)
	c.until("the first guest is in", func() bool { return first.in })
	c.s.Run(10 * time.Second)
	for i := 3; i < 6; i++ {
		c.addNode(i)
	}
	c.s.Run(3 * time.Second)
	second := c.addGuest(3)
	c.until("the second guest is in", func() bool { return second.in })
	c.s.Run(10 * time.Second)
	home := shards.Shard{Region: spawn.Region()}
	for _, p := range []shards.Shard{shards.Lobby, home} {
		if n := len(c.leaders(p)); n != 2 {
			t.Fatalf("%v has %d leaders before the halves meet", p, n)
		}
	}
	c.addNode(6)
	met := c.s.Now()
	one := func() bool {
		all := map[shards.Shard]bool{}
		for i := range c.nodes {
			for p := range c.node(i).net.hosting.replicas {
				all[p] = true
			}
		}
		for p := range all {
			if len(c.leaders(p)) > 1 {
				return false
			}
		}
		return len(c.leaders(shards.Lobby)) == 1 && len(c.leaders(home)) == 1
	}
	c.until("one group of each part is left", one)
	t.Logf("one group of each part after %v", c.s.Now().Sub(met))
	if c.noted("what this node had is put aside") == 0 {
		t.Error("nobody was told")
	}
	aside := 0
	for i := 3; i < 6; i++ {
		for _, space := range c.nodes[i].Disk.Spaces() {
			if strings.HasPrefix(space, "old.") {
				aside++
			}
		}
	}
	if aside == 0 {
		t.Error("nothing was put aside")
	}
	for range 30 { // they do not shard again
		c.s.Run(2 * time.Second)
		c.checkLeaders()
	}
	c.guests = c.guests[:1] // what the other has built is put aside
	c.settle()
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
	c.until("the second guest is in again", func() bool { return second.in })
}
