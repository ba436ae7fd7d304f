package node

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestFalseBeginning: a leader that drops an acknowledged edit and begins its log anew, with
// a state in which the edit is not, breaks no rule; but its followers have the edit. It loses
// the lead, is not convicted, and the edit is there again.
func TestFalseBeginning(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	for k, lie := range []struct {
		name string
		was  func(built world.Pos) world.BlockChange
	}{
		{"drops an acknowledged edit", func(built world.Pos) world.BlockChange { return world.BlockChange{At: built} }},
		{"invents a block", func(built world.Pos) world.BlockChange {
			return world.BlockChange{At: built.Add(0, 9, 0), Was: world.GoldOre}
		}},
	} {
		t.Run(lie.name, func(t *testing.T) {
			c := newCluster(t, uint64(k+1), 0)
			c.mobs = 4
			c.start(5)
			g := c.enterGuest(0)
			c.s.Run(20 * time.Second)
			liar, built := c.liarFor(g)
			home := shards.Shard{Region: built.Region()}
			c.guests[0].Call(func() { g.session.watch(home.Region, region.RateEvery) }) // it stays awake
			change := lie.was(built)
			c.nodes[liar].Call(func() {
				c.node(liar).WithArea(home.Region, func(a *regionlog.Area) {
					change.Now, _ = a.Block(change.At)
					a.Revert([]world.BlockChange{change})
				})
			})
			c.replacedWithin(30*time.Second, home, liar)
			c.saidUnproven(liar, "lets others keep something else")
			g.acted = 0
			c.until("the guest builds", func() bool { return g.in && g.acted >= 3 })
			c.builtIsThere(g, liar)
		})
	}
}

// replacedWithin waits until another than the liar leads.
func (c *cluster) replacedWithin(most time.Duration, p shards.Shard, liar int) {
	c.Helper()
	began := c.s.Now()
	c.until("another leads", func() bool { l := c.leaderOf(p); return l >= 0 && l != liar })
	took := c.s.Now().Sub(began)
	if c.Logf("replaced after %v", took); took > most {
		c.Errorf("replaced after %v", took)
	}
}

// saidUnproven checks what the hosts say of a liar whom nobody can convict.
func (c *cluster) saidUnproven(liar int, what string) {
	c.Helper()
	if !slices.ContainsFunc(c.notes, func(s string) bool { return strings.Contains(s, what) }) {
		c.Errorf("said: %q", c.notes)
	}
	if by := c.convicted(liar); by > 0 {
		c.Errorf("convicted by %d, and nothing is proven", by)
	}
}

// TestKeptFalseBeginning: a leader that changes a block that had stood, has its group write
// that, and begins its log anew with it, loses the lead, and is not convicted.
func TestKeptFalseBeginning(t *testing.T) {
	c := newCluster(t, 3, 0)
	c.mobs = 4
	c.start(5)
	g := c.enterGuest(0)
	c.s.Run(20 * time.Second)
	liar, built := c.liarFor(g)
	home := shards.Shard{Region: built.Region()}
	g.quiet = true
	c.guests[0].Call(func() { g.session.watch(home.Region, region.RateEvery) }) // it stays awake
	c.s.Run(time.Minute)                                                        // it has stood for some time
	if l := c.leaderOf(home); l != liar {
		t.Fatalf("node %d leads", l)
	}
	c.nodes[liar].Call(func() {
		c.node(liar).WithArea(home.Region, func(a *regionlog.Area) {
			now, _ := a.Block(built)
			take := &region.Merge{Tag: 1 << 40, Changes: []world.BlockChange{{At: built, Was: now}}}
			c.node(liar).regions[home.Region].m.OnMessage(region.PeerOf(home.Region), take)
			if b, _ := a.Block(built); b != world.Air {
				t.Errorf("it is %v still", b)
			}
			a.Revert(nil) // the log begins anew, and does not say what was done before
		})
	})
	c.replacedWithin(10*time.Second, home, liar)
	c.saidUnproven(liar, "begins its log anew with other blocks")
}
