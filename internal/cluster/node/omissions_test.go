package node

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// hearing is what a node's regions hear: a leader that ignores somebody.
type hearing struct {
	*region.Region
	ignores func(m machine.Message) bool // nil: a timer
	c       *cluster
}

// OnMessage reads the signature of an act that is ignored: without it the player would be
// taken out.
func (h *hearing) OnMessage(from machine.Peer, m machine.Message) {
	a, acts := m.(*region.Act)
	switch {
	case !h.ignores(m):
		h.Region.OnMessage(from, m)
	case acts && !h.ignores(&region.Segment{Player: a.Player}):
		h.Region.OnMessage(from, &region.Segment{Player: a.Player, Signed: a.Proof})
	}
}

func (h *hearing) OnTimer(t machine.Timer) {
	if !h.ignores(nil) {
		h.Region.OnTimer(t)
	}
}

// Heed ignores also what other hosts hand over.
func (h *hearing) Heed(of *inputlog.Session, signed []byte, act uint32) {
	if h.c.heeds || !h.ignores(&region.Act{Player: id.Of(of.Key[:]), Seq: act, Proof: signed}) && !h.ignores(&region.Segment{Player: id.Of(of.Key[:])}) {
		h.Region.Heed(of, signed, act)
	}
}

// omitting is a cluster with a player who signs; what a leader ignores is up to ignores,
// which gets nil for a timer.
func omitting(t *testing.T, seed uint64, ignores func(of int, m machine.Message) bool) (c *cluster, g *wanderer) {
	return omittingOver(t, seed, sim.Config{Delay: 5 * time.Millisecond, Jitter: 10 * time.Millisecond}, ignores)
}

func omittingOver(t *testing.T, seed uint64, cfg sim.Config, ignores func(of int, m machine.Message) bool) (c *cluster, g *wanderer) {
	const nodes = 5
	cfg.Start, cfg.Carry = singleNodeStart, overBytes(nil)
	c = &cluster{TB: t, s: sim.NewWith(seed, cfg), mobs: 4, signed: true}
	c.hears = func(of int, r *region.Region) Region {
		return &hearing{r, func(m machine.Message) bool { return ignores(of, m) }, c}
	}
	c.start(nodes)
	g = c.addGuest(0)
	g.signs = true
	c.until("the guest is in", func() bool { return g.in })
	c.s.Run(30 * time.Second)
	return c, g
}

// stayAndBuild is a step of a wanderer who walks nowhere.
func (w *wanderer) stayAndBuild() {
	w.step(world.Input{})
	if w.rand.OneIn(8) && len(w.pending) < 3 {
		w.build()
	}
}

// TestIgnoredPlayer: a leader that ignores one player's acts, every second of them, steps, or
// all, loses the lead, and is not convicted.
func TestIgnoredPlayer(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	for name, does := range map[string]func(g *wanderer, m machine.Message) bool{
		"acts": func(g *wanderer, m machine.Message) bool {
			a, ok := m.(*region.Act)
			return ok && a.Player == g.player()
		},
		"every second act": func(g *wanderer, m machine.Message) bool {
			a, ok := m.(*region.Act)
			return ok && a.Player == g.player() && a.Seq%2 == 0
		},
		"steps": func(g *wanderer, m machine.Message) bool {
			switch m := m.(type) {
			case *region.Inputs:
				return m.Player == g.player()
			case *region.Segment:
				return m.Player == g.player()
			}
			return false
		},
		"all": func(g *wanderer, m machine.Message) bool {
			switch m := m.(type) {
			case *region.Inputs:
				return m.Player == g.player()
			case *region.Segment:
				return m.Player == g.player()
			case *region.Act:
				return m.Player == g.player()
			}
			return false
		},
	} {
		t.Run(name, func(t *testing.T) {
			liar := -1
			var g *wanderer
			c, guest := omitting(t, 1, func(of int, m machine.Message) bool { return of == liar && does(g, m) })
			g = guest
			l, _ := c.liarFor(g)
			g.drive = g.stayAndBuild
			if name == "acts" || name == "all" { // whether acts were done before the log is not known
				c.s.Run(inputlog.Ahead * region.TickLength)
			}
			home := shards.Shard{Region: g.home}
			liar = l
			if name == "steps" { // acts bring steps along
				g.drive = func() { g.step(world.Input{}) }
			}
			began := c.s.Now()
			c.until("another leads", func() bool { l := c.leaderOf(home); return l >= 0 && l != liar })
			d := c.s.Now().Sub(began)
			t.Logf("another leads after %v", d)
			if d > 25*time.Second {
				t.Error("that is too late")
			}
			g.drive, g.acted = g.stayAndBuild, 0
			c.until("the guest builds", func() bool { return g.in && g.acted >= 3 })
			if n := c.convicted(liar); n > 0 {
				t.Errorf("convicted by %d, and nothing is proven", n)
			}
			if !slices.ContainsFunc(c.notes, func(s string) bool { return strings.Contains(s, "does not do what player") }) {
				t.Errorf("notes %q", c.notes)
			}
		})
	}
}

// TestStoppedClock: a leader that runs no ticks any more loses the lead, and is not convicted.
func TestStoppedClock(t *testing.T) {
	liar := -1
	c, g := omitting(t, 2, func(of int, m machine.Message) bool { return of == liar && m == nil })
	l, _ := c.liarFor(g)
	g.drive = g.stayAndBuild
	home := shards.Shard{Region: g.home}
	liar = l
	began := c.s.Now()
	c.until("another leads", func() bool { l := c.leaderOf(home); return l >= 0 && l != liar })
	t.Logf("another leads after %v", c.s.Now().Sub(began))
	g.acted = 0
	c.until("the guest builds", func() bool { return g.in && g.acted >= 3 })
	if n := c.convicted(liar); n > 0 {
		t.Errorf("convicted by %d, and nothing is proven", n)
	}
}

// TestHandedOverActs: what gets lost on the way from a player's node to an honest leader comes
// by way of the followers, and nobody loses the lead.
func TestHandedOverActs(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	deaf := -1
	var g *wanderer
	c, guest := omitting(t, 3, func(of int, m machine.Message) bool {
		a, ok := m.(*region.Act)
		return of == deaf && ok && a.Player == g.player()
	})
	g = guest
	l, _ := c.liarFor(g)
	g.drive = g.stayAndBuild
	c.s.Run(inputlog.Ahead * region.TickLength)
	c.heeds = true
	deaf, g.acted = l, 0
	home := shards.Shard{Region: g.home}
	c.s.Run(time.Minute)
	if g.acted == 0 || c.leaderOf(home) != l {
		t.Errorf("%d acts are done, node %d leads instead of %d", g.acted, c.leaderOf(home), l)
	}
}

// TestLongHonestOmissions: with loss, slow links and leaders that are
// frozen for seconds nobody is suspected of leaving something out.
func TestLongHonestOmissions(t *testing.T) {
	simtest.Long(t)
	for seed := range uint64(4) {
		c, g := omittingOver(t, seed+1, wide(), func(int, machine.Message) bool { return false })
		rand := c.s.Rand()
		c.slow = func(_ int, m machine.Message) time.Duration {
			if rand.OneIn(20) {
				return time.Duration(rand.Intn(int(3 * time.Second)))
			}
			return 0
		}
		g.acted = 0
		for range 20 {
			c.s.Run(10 * time.Second)
			if l := c.leaderOf(shards.Shard{Region: g.home}); l > 0 {
				c.nodes[l].Freeze()
				c.s.Run(time.Duration(rand.Intn(int(8 * time.Second))))
				c.nodes[l].Thaw()
			}
		}
		c.slow = nil
		c.until("the guest builds", func() bool { return g.in && g.acted > 3 })
		followed := uint64(0)
		for i := range c.nodes {
			st := c.node(i).Stats()
			if followed += st.LogEntries; st.Omissions > 0 {
				t.Errorf("seed %d: node %d has suspected leaders %d times: %q", seed+1, i, st.Omissions, c.notes)
			}
		}
		t.Logf("seed %d: %d entries replayed", seed+1, followed)
	}
}
