package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// accomplice lets a node follow the others' leaders whatever they do, and hear nothing of
// evidence.
func (c *cluster) accomplice(i int) {
	w := c.node(i).net
	w.evidence.Stop()
	w.shown.Stop()
	w.cfg.Log = nil
	for _, h := range w.hosting.replicas { // the order does not matter
		h.followed.Stop()
	}
}

// TestLongTwoLiars: the leader of a region and one of its two followers are in league. The
// third convicts the leader, and goes on without both; the players go on there, and what
// was acknowledged to them is there.
func TestLongTwoLiars(t *testing.T) {
	simtest.Long(t)
	for _, silent := range []bool{false, true} {
		name := "accomplice says that it follows"
		if silent {
			name = "accomplice does not answer the third"
		}
		t.Run(name, func(t *testing.T) {
			const nodes = 7
			cfg := wide() // where links fail by timeout
			cfg.Start, cfg.Carry = singleNodeStart, overBytes(nil)
			c := &cluster{TB: t, s: sim.NewWith(1, cfg)}
			c.change = func(i int, n *Net) { n.Log = logKeys(i, nil) }
			c.start(nodes)
			g := c.enterGuest(0)
			c.s.Run(30 * time.Second)
			liar, at := c.liarFor(g)
			home := shards.Shard{Region: g.home}
			second, third := c.followersOf(home, liar)
			c.nodes[second].Call(func() { c.accomplice(second) })
			if silent {
				c.s.Cut(func(a, b machine.Peer) bool {
					return !a.Addr.IsZero() && !b.Addr.IsZero() && (a == nodePeer(second) && b == nodePeer(third) || a == nodePeer(third) && b == nodePeer(second))
				})
			}
			began, entries := c.s.Now(), g.entries
			c.nodes[liar].Call(func() {
				c.node(liar).WithArea(g.home, func(a *regionlog.Area) { lies[0].tell(a, at, g.player()) })
			})
			c.until("the third leads", func() bool {
				h := c.node(third).net.hosting.replicas[home]
				return h != nil && h.group.Leading
			})
			led := c.s.Now().Sub(began)
			t.Logf("the third leads after %v", led)
			c.until("the guest is in again", func() bool { return g.entries > entries })
			in := c.s.Now().Sub(began)
			t.Logf("the guest is in after %v", in)
			if in-led > 3*time.Second {
				t.Error("the guest found the third too late")
			}
			g.acted = 0
			g.of = 1 // alone: it builds wherever it is
			c.until("the guest builds", func() bool { return g.in && g.acted >= 3 && c.node(0).net.routes.LeaderOf(home) != nodePeer(liar) })
			took := c.s.Now().Sub(began)
			t.Logf("the guest builds after %v", took)
			if took > time.Minute {
				t.Error("that took too long")
			}
			c.until("it has three honest hosts", func() bool {
				st := c.node(third).net.hosting.replicas[home]
				return st != nil && len(st.group.Voters()) == 3 && !st.group.IsMember(nodePeer(liar).ID) && !st.group.IsMember(nodePeer(second).ID)
			})
			c.s.Cut(nil)
			g.acted = 0
			c.until("the guest builds more", func() bool { return g.in && g.acted >= 3 })
			c.until("the liar leads no more", func() bool {
				h := c.node(liar).net.hosting.replicas[home]
				return h == nil || !h.group.Leading
			})
			g.quiet = true
			c.until("all is answered", func() bool { return g.in && len(g.pending) == 0 })
			if c.checkEdits() == 0 {
				t.Error("nothing was built")
			}
			for i := range c.nodes {
				if n := c.convicted(i); i != liar && n > 0 {
					t.Errorf("node %d, which is honest, is convicted by %d", i, n)
				}
			}
		})
	}
}
