package node

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// sevenPlayedIn prepares a world of seven nodes and a guest who has built, at a node that
// does not host the guest's region; none, if all nodes host something.
func sevenPlayedIn(t *testing.T, seed uint64) (c *cluster, g *wanderer, home shards.Shard) {
	return playedInWide(t, seed, 7)
}

func playedInWide(t *testing.T, seed uint64, nodes int) (c *cluster, g *wanderer, home shards.Shard) {
	c = newClusterOn(t, seed, nodes, wide()) // where links fail by timeout
	if g, home = c.guestWhere(func(at int, home shards.Shard) bool {
		hosts := c.hostsOf(home)
		return !slices.Contains(hosts, at) && len(hosts) == 3 && len(c.holders(home)) == 2
	}); g != nil {
		c.s.Run(10 * time.Second)
	}
	return c, g, home
}

// buildsOn lets a guest build until some more acts are acknowledged.
func (c *cluster) buildsOn(g *wanderer, acts int) {
	c.Helper()
	g.quiet = false
	c.until("the guest builds", func() bool { return g.in && g.acted >= acts })
	g.quiet = true
	c.until("all acts are answered", func() bool { return g.in && len(g.pending) == 0 })
}

// merged reports whether nothing waits to be merged: what began with a copy goes on.
func (c *cluster) merged() bool {
	for i, n := range c.nodes {
		if n.Machine() == nil {
			continue
		}
		w := c.node(i).net
		for _, s := range w.copies.All() {
			h := w.hosting.replicas[s.Shard]
			if s.IsOrigin() && !w.hosting.dormant[s.Shard] && (h == nil || h.group.Raft.Status().Restored == 0) {
				return false
			}
		}
	}
	return true
}

// TestCutOffHostsAreMerged: of seven nodes four are cut off from the three that host a
// region, and continue it from a copy, while a guest builds. When they meet again, one of
// the hosts leads it, and everything is there: what the hosts had that was not in the
// copy, what was built meanwhile, and what was built until the hosts led it.
func TestCutOffHostsAreMerged(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	var merged atomic.Int32 // in so many worlds
	t.Run("seed", func(t *testing.T) {
		for seed := range uint64(16) {
			t.Run(fmt.Sprint(seed+1), func(t *testing.T) {
				t.Parallel()
				if cutOffHostsAreMerged(t, seed+1) {
					merged.Add(1)
				}
			})
		}
	})
	if n := merged.Load(); n < 8 {
		t.Errorf("something was merged in %d worlds", n)
	}
}

// cutOffHostsAreMerged reports whether something was merged. Nothing is where no node of
// the seven is free of hosting, and where the lobby does not answer the region that was
// continued: the guest's acts are not answered then until the hosts are back.
func cutOffHostsAreMerged(t *testing.T, seed uint64) bool {
	c, g, home := sevenPlayedIn(t, seed)
	if g == nil {
		return false
	}
	c.buildsOn(g, g.acted+3) // which may not be in the copy yet
	hosts := c.hostsOf(home)
	c.s.Cut(func(a, b machine.Peer) bool {
		return !a.Addr.IsZero() && !b.Addr.IsZero() && slices.Contains(hosts, c.indexOf(a)) != slices.Contains(hosts, c.indexOf(b))
	})
	hostLeadsAlone := func() bool {
		l := c.leaders(home)
		return len(l) == 1 && slices.Contains(hosts, l[0])
	}
	g.acted, g.quiet = 0, false
	c.until("somebody else leads it", func() bool { return len(c.leaders(home)) > 0 && !hostLeadsAlone() })
	c.s.RunUntil(func() bool { return g.in && g.acted >= 10 }, time.Minute)
	c.s.Cut(nil)
	c.until("the guest builds", func() bool { return g.in && g.acted >= 10 })
	c.until("one of its hosts leads it, and nobody else", hostLeadsAlone)
	g.quiet = true
	c.until("all acts are answered", func() bool { return g.in && len(g.pending) == 0 })
	c.until("all is merged", c.merged)
	c.until("one of its hosts leads it, and nobody else", hostLeadsAlone)
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
	return c.noted("which were made here without its hosts, are in place.") > 0
}

// TestHostileMerges: nodes ask for changes of a region: one that keeps no copy, with no
// proof, with that of a holder and with its own signature, and the holder with changes of
// other regions, of blocks that do not exist, and of blocks that somebody has changed.
// Nothing happens; a holder's changes of blocks that nobody has touched are made, as many
// as its budget has.
func TestHostileMerges(t *testing.T) {
	c, g, home := sevenPlayedIn(t, 1)
	if g == nil {
		t.Fatal("all nodes host something")
	}
	c.until("a leader", func() bool { return c.leaderOf(home) >= 0 })
	leader, holder := c.leaderOf(home), c.holders(home)[0]
	stranger := slices.IndexFunc(c.nodes, func(n *sim.Node) bool {
		i := c.indexOf(n.Peer())
		return !slices.Contains(c.hostsOf(home), i) && !slices.Contains(c.holders(home), i)
	})
	honest, _ := c.node(holder).net.copies.Spare(home)
	at := home.Region.Column(0).Origin().Add(5, 200, 5)
	change := func(dx int32, was, now world.Block) world.BlockChange {
		return world.BlockChange{At: at.Add(dx, 0, 0), Was: was, Now: now}
	}
	answers := map[uint32]*copies.MergeDone{}
	number := uint32(0)
	ask := func(from int, proof copies.Proof, changes ...world.BlockChange) *copies.MergeDone {
		number++
		m := &copies.MergeChanges{Shard: home, Gen: honest.Gen, Term: honest.Term, Index: honest.Index, Proof: proof.Encoded(), Number: number, Changes: changes}
		c.nodes[leader].Call(func() {
			w := c.node(leader).net
			w.merges.Receive(nodePeer(from), m, w.links.ByID(nodePeer(from).ID))
		})
		c.s.Run(3 * time.Second)
		return answers[number]
	}
	c.slow = func(_ int, m machine.Message) time.Duration {
		if d, ok := m.(*copies.MergeDone); ok {
			answers[d.Number] = d
		}
		return 0
	}
	end := hostpolicy.Log{Gen: honest.Gen, Term: honest.Term, Last: honest.Index}
	good := change(0, world.Air, world.Bricks)
	for name, got := range map[string]*copies.MergeDone{
		"no proof":            ask(stranger, copies.Proof{}, good),
		"another's":           ask(stranger, honest.Proof, good),
		"signed by a holder":  ask(holder, c.node(holder).net.signatures.Sign(nodePeer(holder).ID, home, end, honest.Proof.Digest()), good),
		"of an unknown block": ask(holder, honest.Proof, change(0, world.Air, world.BlockCount)),
		"of another region":   ask(holder, honest.Proof, change(-200, world.Air, world.Bricks)),
	} {
		if got != nil && !got.Refused {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := ask(holder, honest.Proof, change(1, world.Stone, world.Bricks), good); got == nil || got.Refused || got.InPlace != 1 {
		t.Errorf("a holder: %+v", got)
	}
	if got := ask(holder, honest.Proof, change(0, world.Air, world.Stone)); got == nil || got.InPlace != 0 {
		t.Errorf("a block that was changed: %+v", got)
	}
	f := c.node(leader).net.links.ByID(nodePeer(holder).ID)
	taken := 0
	for range 100 {
		if c.node(leader).net.merges.Spends(f, copies.MaxMergeChanges) {
			taken += copies.MaxMergeChanges
		}
	}
	if taken > copies.MergeBurst {
		t.Errorf("%d changes were taken at once", taken)
	}
}
