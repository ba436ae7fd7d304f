package node

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// TestStateIsRestored: the founder finds the state that a region had when its first copy
// was made, with those who keep copies, and has the region put back to it while somebody
// is there: what was built since is gone, and one can build on.
func TestStateIsRestored(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c := newCluster(t, 1, 20)
	c.s.Run(3 * time.Second)
	g := c.enterGuest(5)
	c.until("it builds", func() bool { return g.acted > 0 })
	c.s.Run(15 * time.Second) // a copy is made
	g.quiet = true
	c.until("all acts are answered", func() bool { return len(g.pending) == 0 })
	c.s.Run(10 * time.Second)
	home := shards.Shard{Region: g.home}
	c.buildsOn(g, g.acted+6)
	c.s.Run(10 * time.Second)
	founder, stranger := -1, -1 // neither leads it, nor has a copy
	for i := range c.nodes {
		if _, kept := c.node(i).net.copies.Spare(home); kept || c.node(i).net.hosting.Hosts(home) {
			continue
		}
		if founder < 0 {
			founder = i
		} else {
			stranger = i
		}
	}
	for i := range c.nodes {
		c.node(i).net.cfg.Founder = nodePeer(founder).ID
	}
	find := func(i int) (out []copies.HeldState) {
		done := false
		c.nodes[i].Call(func() { c.node(i).States(home.Region, func(l []copies.HeldState) { out, done = l, true }) })
		c.until("it is known which states there are", func() bool { return done })
		return out
	}
	restore := func(i int, state copies.HeldState) (out copies.StateRestored) {
		done := false
		c.nodes[i].Call(func() {
			c.node(i).RestoreState(state, false, func(m copies.StateRestored) { out, done = m, true })
		})
		c.until("it is restored, or not", func() bool { return done })
		return out
	}
	states := find(founder)
	if len(states) != copies.SpareHolders || states[0].Aside || states[0].Bytes == 0 || len(find(stranger)) != 0 {
		t.Fatalf("states: %+v; a stranger finds %+v", states, find(stranger))
	}
	if m := restore(stranger, states[0]); !m.Failed {
		t.Errorf("a stranger restores it: %+v", m)
	}
	other := states[0]
	other.Index++
	if m := restore(founder, other); !m.Failed {
		t.Errorf("a state that nobody has is restored: %+v", m)
	}
	m := restore(founder, states[0])
	if m.Failed || m.Changed == 0 || m.Kept > 0 {
		t.Errorf("restored: %+v", m)
	}
	if again := restore(founder, states[0]); again.Failed || again.Changed > 0 {
		t.Errorf("restored again: %+v", again)
	}
	for i := range c.guests { // what it has built is not as it was acknowledged, or still is
		for _, e := range c.wanderer(i).edits {
			e.sure = false
		}
	}
	c.rebuilds(g)
}

// TestOvertakenChangesAreApplied: a region is continued from a copy while its hosts are cut
// off, and the same block is changed on both sides. The hosts' block stays, and the other
// change is kept: the founder finds it without knowing the region, sees what it would
// change, and has it made. The name by which it is found stays the same.
func TestOvertakenChangesAreApplied(t *testing.T) {
	c, g, home := sevenPlayedIn(t, 1)
	if g == nil {
		t.Fatal("all nodes host something")
	}
	hosts := c.hostsOf(home)
	c.s.Cut(func(a, b machine.Peer) bool {
		return !a.Addr.IsZero() && !b.Addr.IsZero() && slices.Contains(hosts, c.indexOf(a)) != slices.Contains(hosts, c.indexOf(b))
	})
	leads := func(host bool) int {
		return slices.IndexFunc(c.nodes, func(n *sim.Node) bool {
			i := c.indexOf(n.Peer())
			return slices.Contains(hosts, i) == host && slices.Contains(c.leaders(home), i)
		})
	}
	g.quiet = false
	c.until("it is continued", func() bool { return leads(false) >= 0 })
	at := home.Region.Column(0).Origin().Add(5, 200, 5)
	build := func(i int, block world.Block) {
		made := false
		c.nodes[i].Call(func() {
			c.node(i).net.merges.Make(home, []world.BlockChange{{At: at, Was: world.Air, Now: block}}, func(n int) { made = n == 1 })
		})
		c.until("it is built", func() bool { return made })
	}
	build(leads(false), world.Bricks)
	for i := range hosts {
		c.nodes[hosts[i]].Call(func() { c.node(hosts[i]).net.hosting.Wake(home) })
	}
	c.until("a host leads", func() bool { return leads(true) >= 0 })
	build(leads(true), world.Glass)
	g.quiet = true
	c.s.Cut(nil)
	c.until("changes are kept", func() bool { return c.noted("are put aside, since others have changed those blocks") > 0 })
	c.until("the guest is in", func() bool { return g.in && len(g.pending) == 0 })
	founder := c.indexOf(c.nodes[0].Peer())
	for i := range c.nodes {
		c.node(i).net.cfg.Founder = nodePeer(founder).ID
	}
	find := func() (out []copies.HeldState) {
		done := false
		c.nodes[founder].Call(func() { c.node(founder).Aside(func(l []copies.HeldState) { out, done = l, true }) })
		c.until("it is known what was put aside", func() bool { return done })
		return slices.DeleteFunc(out, func(s copies.HeldState) bool { return !s.Changes })
	}
	restore := func(state copies.HeldState, show bool) (out copies.StateRestored) {
		done := false
		c.nodes[founder].Call(func() {
			c.node(founder).RestoreState(state, show, func(m copies.StateRestored) { out, done = m, true })
		})
		c.until("it is restored, or not", func() bool { return done })
		return out
	}
	kept := find()
	if len(kept) != 1 || kept[0].Region != home.Region || kept[0].Name() != find()[0].Name() {
		t.Fatalf("kept: %+v", kept)
	}
	for range 2 { // showing it changes nothing
		if m := restore(kept[0], true); m.Failed || m.Changed != 1 || m.Low != at || m.High != at {
			t.Errorf("shown: %+v", m)
		}
	}
	if m := restore(kept[0], false); m.Failed || m.Changed != 1 || m.Kept != 0 {
		t.Errorf("applied: %+v", m)
	}
	if m := restore(kept[0], true); m.Failed || m.Changed != 0 {
		t.Errorf("applied again it would change something: %+v", m)
	}
}
