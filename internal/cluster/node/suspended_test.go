package node

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestSuspendedLeader: a node is suspended, others go on with the region that it led, and
// somebody builds there. When it wakes it answers nobody from its past, not even
// those whose questions came before it could hear of the others.
func TestSuspendedLeader(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	for seed := range uint64(16) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { thaw(t, seed) })
	}
}

func thaw(t *testing.T, seed uint64) {
	c := newCluster(t, seed, 4)
	c.s.Run(3 * time.Second)
	shard := shards.Shard{Region: spawn.Region()}
	c.addGuest(1).quiet = true
	c.until("the region has three hosts", func() bool {
		l := c.leaderOf(shard)
		return l >= 0 && len(c.node(l).net.hosting.replicas[shard].group.Members()) == 3
	})
	old := c.leaderOf(shard)
	there, elsewhere := c.addGuest(old), c.addGuest((old+1)%4)
	there.quiet, elsewhere.quiet = true, true
	c.until("all are in", func() bool { return there.in && elsewhere.in })
	c.s.Run(time.Duration(1000+c.s.Rand().Intn(1000)) * time.Millisecond)
	c.nodes[old].Freeze()
	c.guests[len(c.guests)-2].Call(func() {
		clear(there.columns)
		there.watch(shard.Region, region.RateNone)
		there.watch(shard.Region, region.RateEvery)
	})
	c.until("another node leads", func() bool { l := c.leaderOf(shard); return l >= 0 && l != old })
	at := elsewhere.pos.Block().Add(2, 0, 0)
	if at.Region() != shard.Region {
		at = at.Add(-4, 0, 0)
	}
	entries := elsewhere.entries
	c.until("who is elsewhere has entered there", func() bool { return elsewhere.entries > entries })
	do := func(what string, kind world.ActKind, at world.Pos, face world.Face, a int) {
		var r *region.ActResult
		seq := uint32(0)
		c.until(what, func() bool {
			if r = elsewhere.results[seq]; r != nil && r.OK {
				return true
			}
			if seq == 0 || r != nil {
				c.s.Run(200 * time.Millisecond)
				c.guests[len(c.guests)-1].Call(func() { seq = elsewhere.act(kind, at, face, a, 0) })
				c.s.Run(time.Millisecond)
			}
			return false
		})
	}
	do("bricks are in the hand", world.ActPick, world.Pos{}, 0, int(world.Bricks))
	do("a block is placed", world.ActPlace, at.Add(0, -1, 0), 1, 0)
	if len(there.columns) != 0 {
		t.Fatal("a suspended node has answered")
	}
	column := at.Column()
	c.nodes[old].Thaw()
	c.until("the column comes", func() bool { return there.columns[column] != nil })
	if got := there.columns[column].At(int(at.X&31), int(at.Y), int(at.Z&31)); got != world.Bricks {
		t.Errorf("node %s shows %v at %v, where bricks have been acknowledged", nodePeer(old).ID.Short(), got, at)
	}
}
