package node

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
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
		if err := c.node(leader).net.hosting.replicas[home].group.Raft.SetMembers(others); err != nil {
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
	c.buildsOn(g, g.acted+4)
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
}

// TestHostsReturn: the hosts of a region that was restored without them come back with
// what they have, which is newer. It goes on, and there is one group.
func TestHostsReturn(t *testing.T) {
	c, g, home, hosts := retiredHosts(t)
	gen := c.node(hosts[0]).net.hosting.replicas[home].group.Raft.Status().Gen
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
		return len(leaders) == 1 && c.node(leaders[0]).net.hosting.replicas[home].group.Raft.Status().Gen == gen
	})
	c.until("the guest is in", func() bool { return g.in })
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
}

// TestCutOffHostsKeepTheirShard: the hosts of a region, and in some cases other nodes, are
// cut off from the rest, of whom one at least has a copy. What makes a cut more likely than a loss is in
// each case something else: as many nodes are left as there were hosts; more than a quarter
// of the others are silent; most of those nearest to the key are. Without it the region is
// restored.
func TestCutOffHostsKeepTheirShard(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	for _, c := range []struct {
		name     string
		nodes    int
		nearest  int // of the others that are cut off too, by their distance to the key
		farthest int
		restored bool
	}{
		{"four are left", 7, 0, 0, true},
		{"three are left", 6, 0, 0, false},
		{"two of eight others are silent", 12, 0, 2, true},
		{"three of eight others are silent", 12, 0, 3, false},
		{"the two nearest of eight others are silent", 12, 2, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) { cutOffHosts(t, c.nodes, c.nearest, c.farthest, c.restored) })
	}
}

func cutOffHosts(t *testing.T, nodes, nearest, farthest int, restored bool) {
	c, g, home := playedInWide(t, 1, nodes)
	if g == nil {
		t.Fatal("all nodes host something")
	}
	off := map[int]bool{}
	for _, i := range c.hostsOf(home) {
		off[i] = true
	}
	var others []machine.Peer
	for i := range c.nodes {
		if !off[i] && i != c.indexOf(g.node) && i != c.holders(home)[0] {
			others = append(others, nodePeer(i))
		}
	}
	kademlia.SortNearest(c.node(0).net.dir.KeyOf(home), others)
	for _, p := range append(others[:nearest:nearest], others[len(others)-farthest:]...) {
		off[c.indexOf(p)] = true
	}
	c.s.Cut(func(a, b machine.Peer) bool {
		return !a.Addr.IsZero() && !b.Addr.IsZero() && off[c.indexOf(a)] != off[c.indexOf(b)]
	})
	g.quiet = false // somebody needs it
	c.s.Run(time.Minute)
	if got := c.noted(home.String()+" lost") > 0; got != restored {
		t.Errorf("restored: %v; said: %q", got, c.notes)
	}
}
