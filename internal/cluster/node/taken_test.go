package node

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
)

// TestSearchedKeys: three nodes come whose ids are nearer to a region's key than those
// of the four nodes that were there. Its hosts stay.
func TestSearchedKeys(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	const honest, all = 4, 7
	c := newCluster(t, 1, honest)
	shard := c.farFrom(honest, all)
	c.s.Run(3 * time.Second)
	g := c.addGuest(0)
	g.quiet = true
	c.until("the guest is in", func() bool { return g.in })
	c.guests[0].Call(func() { g.watch(shard.Region, region.RateEvery) })
	c.until("the region has three hosts", func() bool { return len(c.hostsOf(shard)) == 3 })
	hosts := c.hostsOf(shard)
	for i := honest; i < all; i++ {
		c.addNode(i)
	}
	for range 24 {
		c.s.Run(5 * time.Second)
		if got := c.hostsOf(shard); !slices.Equal(got, hosts) {
			t.Fatalf("%v host it, before %v did", got, hosts)
		}
	}
}
