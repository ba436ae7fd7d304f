package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// TestLongFalseOperator: a leader that takes somebody for an operator whom nobody has made
// one is replaced.
func TestLongFalseOperator(t *testing.T) {
	simtest.Long(t)
	c := newClusterOn(t, 3, 5, sim.Config{Delay: 5 * time.Millisecond, Jitter: 10 * time.Millisecond})
	c.s.Run(3 * time.Second)
	g := c.enterGuest(0)
	liar, _ := c.liarFor(g)
	g.quiet = true // it stays
	began := c.s.Now()
	home := shards.Shard{Region: g.home}
	replaced := func() bool { l := c.leaderOf(home); return l >= 0 && l != liar }
	for !replaced() && c.s.Now().Sub(began) < time.Minute {
		c.nodes[liar].Call(func() { // its own log of decisions says otherwise
			c.node(liar).WithArea(g.home, func(a *regionlog.Area) {
				if p := a.Player(g.player()); p != nil && !p.Operator {
					a.Act([]world.Command{{Player: p.ID, Kind: world.CmdOrder, Seq: 1, Order: &world.Order{Kind: world.OrderOperator, Count: 1}}})
				}
			})
		})
		c.s.Run(100 * time.Millisecond)
	}
	if !replaced() {
		t.Fatal("it leads on")
	}
	t.Logf("replaced after %v", c.s.Now().Sub(began))
	if c.noted("for an operator, which nobody has decided") == 0 {
		t.Errorf("said: %q", c.notes)
	}
	if c.convicted(liar) > 0 {
		t.Error("that is no proof")
	}
	g.quiet = false
	c.s.Run(time.Minute) // the others do not hear that the former leader's replica is behind
	if n := c.node(liar).Stats().CopiesFalse; n > 0 {
		t.Errorf("it suspects the next one: %q", c.notes)
	}
}
