package node

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// retiredHosts prepares a world of eight nodes in which the hosts of a player's region
// have given their places to others. It returns those others.
func retiredHosts(t *testing.T) (c *cluster, g *wanderer, home shards.Shard, now []int) {
	c = newClusterOn(t, 1, 8, wide()) // a cut needs links that fail by timeout
	c.s.Run(3 * time.Second)
	g = c.addGuest(0)
	c.until("the guest is in", func() bool { return g.in })
	c.s.Run(20 * time.Second)
	g.quiet = true
	c.s.Run(10 * time.Second)
	home = shards.Shard{Region: g.home}
	before := c.hostsOf(home)
	lobby := c.hostsOf(shards.Lobby)
	var others []machine.Peer
	for i := range c.nodes {
		if i > 0 && !slices.Contains(before, i) && len(others) < 3 && (len(others) < 1 || !slices.Contains(lobby, i)) {
			others, now = append(others, nodePeer(i)), append(now, i)
		}
	}
	if len(before) != 3 || len(others) != 3 {
		t.Fatalf("hosts %v, others %v", before, now)
	}
	leader := c.leaderOf(home)
	c.nodes[leader].Call(func() {
		if err := c.node(leader).net.hosting.replicas[home].group.raft.SetMembers(others); err != nil {
			t.Error(err)
		}
	})
	c.until("others host it", func() bool { return slices.Equal(c.hostsOf(home), now) })
	c.s.Run(5 * time.Second)
	return c, g, home, now
}

// TestNewestCopyContinues: the hosts of a region die with their disks. The newest copy
// of those who hosted it before continues within seconds, with all that was in it.
func TestNewestCopyContinues(t *testing.T) {
	c, g, home, hosts := retiredHosts(t)
	for _, i := range hosts {
		c.nodes[i].Crash()
		for _, space := range c.nodes[i].Disk.Spaces() {
			c.nodes[i].Disk.Drop(space)
		}
	}
	died := c.s.Now()
	g.quiet = false
	c.until("somebody leads it", func() bool { return c.leaderOf(home) >= 0 })
	t.Logf("led again after %v", c.s.Now().Sub(died))
	if took := c.s.Now().Sub(died); took > 15*time.Second {
		t.Errorf("that took %v", took)
	}
	if c.noted("lost its 3 hosts. It was restored to its state of") != 1 {
		t.Errorf("said: %q", c.notes)
	}
	acted := g.acted
	c.until("the guest builds again", func() bool { return g.in && g.acted > acted+3 })
	g.quiet = true
	c.until("all acts are answered", func() bool { return g.in && len(g.pending) == 0 })
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
}

// TestHostsReturn: the hosts of a region that was restored without them come back with
// what they have, which is newer. It goes on, and there is one group.
func TestHostsReturn(t *testing.T) {
	c, g, home, hosts := retiredHosts(t)
	gen := c.node(hosts[0]).net.hosting.replicas[home].group.raft.Status().Gen
	for _, i := range hosts {
		c.nodes[i].Crash()
	}
	c.until("somebody leads it", func() bool { return c.leaderOf(home) >= 0 })
	c.s.Run(10 * time.Second)
	for _, i := range hosts[:2] { // most of them
		c.nodes[i].Restart()
	}
	c.until("they lead, and nobody else", func() bool {
		leaders := c.leaders(home)
		return len(leaders) == 1 && c.node(leaders[0]).net.hosting.replicas[home].group.raft.Status().Gen == gen
	})
	c.until("the guest is in", func() bool { return g.in })
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
}

// TestCutOffHostsKeepTheirShard: the hosts of a region and other nodes are cut off from
// the rest. That is more likely a partition than a loss: nobody restores it.
func TestCutOffHostsKeepTheirShard(t *testing.T) {
	c, g, home, hosts := retiredHosts(t)
	g.quiet = false // somebody needs it
	off := map[int]bool{0: false}
	for _, i := range hosts {
		off[i] = true
	}
	for i := 1; i < len(c.nodes) && len(off) < 6; i++ {
		if !off[i] {
			off[i] = true
		}
	}
	c.s.Cut(func(a, b machine.Peer) bool {
		if a.Addr.IsZero() || b.Addr.IsZero() {
			return false
		}
		return off[c.indexOf(a)] != off[c.indexOf(b)]
	})
	c.s.Run(time.Minute)
	if c.noted(home.String()+" lost") > 0 {
		t.Errorf("said: %q", c.notes)
	}
	c.leaderOf(home) // there are no two
}
