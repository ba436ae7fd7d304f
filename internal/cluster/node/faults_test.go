package node

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// checkPresence: a player is present in exactly one region, of all nodes.
func (c *cluster) checkPresence() {
	c.Helper()
	at := map[string][]string{}
	for i, n := range c.nodes {
		if n.Machine() == nil {
			continue
		}
		for _, p := range c.node(i).awake {
			if !c.node(i).net.hosting.replicas[shards.Shard{Region: p.pos}].group.Raft.Leads() {
				continue
			}
			for _, name := range p.m.(*region.Region).PlayerNames() {
				at[name] = append(at[name], fmt.Sprintf("%v on node %d", p.pos, i))
			}
		}
	}
	for i := range c.guests {
		if g := c.wanderer(i); g != nil && len(at[g.name]) != 1 {
			c.Errorf("%s is in %v", g.name, at[g.name])
		}
	}
}

// checkEdits reads the world through one of the sessions and compares it with
// what was acknowledged.
func (c *cluster) checkEdits() (edits int) {
	c.Helper()
	reader := c.wanderer(0)
	where := map[world.RegionPos]bool{}
	for i := range c.guests {
		for at := range c.wanderer(i).edits {
			where[at.Column().Region()] = true
		}
	}
	asked := false
	c.guests[0].Call(func() {
		asked = true
		clear(reader.columns)
		// In one order, or the rest of the run is another one each time.
		for _, pos := range slices.SortedFunc(maps.Keys(where), func(a, b world.RegionPos) int {
			return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Z, b.Z))
		}) {
			reader.watch(pos, region.RateNone)
			reader.watch(pos, region.RateEvery)
		}
	})
	c.until("all columns are there", func() bool {
		read := map[world.RegionPos]int{}
		for at := range reader.columns {
			read[at.Region()]++
		}
		for pos := range where {
			if read[pos] < world.Columns {
				return false
			}
		}
		return asked
	})
	for i := range c.guests {
		g := c.wanderer(i)
		for at, e := range g.edits {
			got := reader.columns[at.Column()].At(int(at.X&31), int(at.Y), int(at.Z&31))
			if e.sure && got != e.block {
				c.Errorf("%s: %v in %v is %v, but %v was acknowledged", g.name, at, at.Column().Region(), got, e.block)
			}
			if got == world.Bricks {
				edits++
			}
		}
	}
	return edits
}

// trouble of several nodes.
type fault func(*cluster)

// crashSome crashes a node, or lets one that is down start again.
func crashSome(c *cluster) {
	n := c.nodes[c.s.Rand().Intn(len(c.nodes))]
	if n.Machine() == nil {
		n.Restart()
	} else if c.up() > 3 {
		n.Crash()
	}
}

// cutSome cuts one or two nodes off from the others, perhaps in one direction
// only, or ends that.
func cutSome(c *cluster) {
	r := c.s.Rand()
	if r.OneIn(3) {
		c.s.Cut(nil)
		return
	}
	off := map[id.ID]bool{nodePeer(r.Intn(len(c.nodes))).ID: true}
	if r.OneIn(2) {
		off[nodePeer(r.Intn(len(c.nodes))).ID] = true
	}
	oneWay := r.OneIn(3)
	c.s.Cut(func(a, b machine.Peer) bool {
		if a.Addr.IsZero() || b.Addr.IsZero() { // sessions are with their node
			return false
		}
		return off[a.ID] && !off[b.ID] || !oneWay && off[b.ID] && !off[a.ID]
	})
}

// live lets wanderers live through calamities, and checks that no acknowledged
// edit is lost, a player is present in one region, and a shard has one leader.
func (c *cluster) live(times int, happen ...fault) (edits int) {
	c.s.Run(3 * time.Second)
	for i := range singleNodeGuests {
		c.addGuest(i % len(c.nodes))
	}
	c.s.Run(5 * time.Second)
	r := c.s.Rand()
	for range times {
		c.s.Run(time.Duration(1+r.Intn(8000)) * time.Millisecond)
		happen[r.Intn(len(happen))](c)
		for range 5 {
			c.s.Run(100 * time.Millisecond)
			c.checkLeaders()
		}
	}
	c.settle()
	c.checkLeaders()
	c.checkPresence()
	return c.checkEdits()
}

// checkLeaders: no shard has two leaders.
func (c *cluster) checkLeaders() {
	c.Helper()
	shards := map[shards.Shard]bool{}
	for i, n := range c.nodes {
		if n.Machine() != nil {
			for p := range c.node(i).net.hosting.replicas {
				shards[p] = true
			}
		}
	}
	for p := range shards {
		c.leaderOf(p)
	}
}

// TestLongCrashes: nodes crash and come back at random moments. Of a failure run
// one seed again with SEED=n.
func TestLongCrashes(t *testing.T) {
	simtest.Long(t)
	edits := 0
	for _, seed := range seeds(t, 4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			edits += newCluster(t, seed, 5).live(6, crashSome)
		})
	}
	t.Logf("%d blocks stand", edits)
	if edits == 0 {
		t.Fatal("nobody built")
	}
}

// wide is a network with latencies from 2 to 200 ms, where nobody hears of a
// crash or a cut before a timeout, and datagrams are lost.
func wide() sim.Config {
	return sim.Config{Internet: &sim.Internet{
		Min: 2 * time.Millisecond, Max: 200 * time.Millisecond, Shape: 1.5, Header: 100, Segment: 40,
		Loss: 0.02, Ping: time.Second, Timeout: 3 * time.Second,
	}}
}

// TestLongPartitions: nodes are cut off from each other, also in one direction
// only, and crash.
func TestLongPartitions(t *testing.T) {
	simtest.Long(t)
	edits := 0
	for _, seed := range seeds(t, 4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			edits += newClusterOn(t, seed, 5, wide()).live(6, crashSome, cutSome, cutSome)
		})
	}
	t.Logf("%d blocks stand", edits)
	if edits == 0 {
		t.Fatal("nobody built")
	}
}
