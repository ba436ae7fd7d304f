package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestHosted: every node knows, or finds out, whether a region was ever made; asking makes
// none.
func TestHosted(t *testing.T) {
	c := newCluster(t, 3, 5)
	c.s.Run(3 * time.Second)
	g := c.addGuest(0)
	c.until("the guest is in", func() bool { return g.in })
	c.s.Run(10 * time.Second)
	far := world.RegionPos{X: 300, Z: -7}
	for at, want := range map[world.RegionPos]bool{g.home: true, far: false} {
		for i := range c.nodes {
			answered, is := false, false
			c.nodes[i].Call(func() { c.node(i).Hosted(at, func(yes bool) { answered, is = true, yes }) })
			c.until("an answer", func() bool { return answered })
			if is != want {
				t.Errorf("node %d: %v is made: %v", i, at, is)
			}
		}
	}
	for i := range c.nodes {
		if c.node(i).net.hosting.Hosts(shards.Shard{Region: far}) {
			t.Errorf("node %d hosts a region that was only asked for", i)
		}
	}
}
