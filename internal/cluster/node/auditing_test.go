package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// unchecked lets the followers of a region check nothing: they lie together with its
// leader, or are not sent its log.
func (c *cluster) unchecked(home shards.Shard, liar, accomplice int) {
	for _, i := range c.hostsOf(home) {
		if i == liar {
			continue
		}
		c.nodes[i].Call(func() {
			if i == accomplice {
				c.accomplice(i)
				return
			}
			h := c.node(i).net.hosting.replicas[home]
			h.followed.Stop()
		})
	}
}

// lyingGroup is a region in which a leader lies as often as its followers, one of whom is
// its accomplice and the other does not get the log, let it.
func lyingGroup(t *testing.T, seed uint64, change func(c *cluster, i int, n *Net)) (c *cluster, g *wanderer, liar int, lie func()) {
	const nodes = 8
	cfg := wide()
	cfg.Start, cfg.Carry = singleNodeStart, overBytes(nil)
	c = &cluster{TB: t, s: sim.NewWith(seed, cfg), mobs: 4}
	c.change = func(i int, n *Net) {
		n.Log = logKeys(i, nil)
		if change != nil {
			change(c, i, n)
		}
	}
	c.start(nodes)
	g = c.addGuest(0)
	c.until("the guest is in", func() bool { return g.in })
	c.s.Run(20 * time.Second)
	liar, at := c.liarFor(g)
	g.quiet = true // it stays
	home := shards.Shard{Region: g.home}
	accomplice := -1
	for _, i := range c.hostsOf(home) {
		if i != liar && i != 0 {
			accomplice = i
		}
	}
	c.guests[0].Call(func() { g.session.watch(home.Region, region.RateEvery) })
	c.unchecked(home, liar, accomplice)
	lie = func() {
		c.nodes[liar].Call(func() {
			c.node(liar).WithArea(home.Region, func(a *regionlog.Area) {
				if a.Player(g.player()) != nil { // what it has is shown to nobody else
					lies[2].tell(a, at, g.player())
					a.Player(g.player()).Items[30].Count = byte(c.s.Rand().Intn(60) + 1)
				}
			})
		})
	}
	return c, g, liar, lie
}

// TestLongAudit: nobody in a region's group checks its leader. Auditors that are drawn by
// lot convict it, and who is honest in the group goes on.
func TestLongAudit(t *testing.T) {
	simtest.Long(t)
	c, g, liar, lie := lyingGroup(t, 2, nil)
	home := g.home
	bytes := 0
	c.slow = func(_ int, m machine.Message) time.Duration {
		if p, ok := m.(*accountability.Piece); ok {
			bytes += len(p.Data)
		}
		return 0
	}
	audits := func() (n, failed uint64) {
		for i := range c.nodes {
			s := c.node(i).Stats()
			n += s.Audits
			failed += s.AuditsUnanswered
		}
		return n, failed
	}
	c.s.Run(2 * time.Minute)
	n, failed := audits()
	t.Logf("%d audits in two minutes, %d bytes each, %d unanswered", n, bytes/max(1, int(n)), failed)
	if n < 2 || failed > 0 || c.convicted(liar) > 0 {
		t.Errorf("%d audits, %d without an answer, convicted by %d", n, failed, c.convicted(liar))
	}
	began := c.s.Now()
	for c.convicted(liar) == 0 && c.s.Now().Sub(began) < 3*time.Minute {
		lie()
		c.s.Run(5 * time.Second)
	}
	t.Logf("convicted by %d after %v", c.convicted(liar), c.s.Now().Sub(began))
	if c.s.Now().Sub(began) > time.Minute {
		t.Error("that is too late")
	}
	c.until("another leads", func() bool {
		for i := range c.nodes {
			if h := c.node(i).net.hosting.replicas[shards.Shard{Region: home}]; i != liar && h != nil && h.group.Leading {
				return true
			}
		}
		return false
	})
	t.Logf("replaced after %v", c.s.Now().Sub(began))
	g.quiet, g.acted = false, 0
	c.until("the guest builds", func() bool { return g.in && g.acted >= 3 })
	for i := range c.nodes {
		if n := c.convicted(i); i != liar && n > 0 {
			t.Errorf("node %d, which is honest, is convicted by %d", i, n)
		}
	}
}
