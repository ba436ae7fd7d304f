package node

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
)

// destroyTwo ends two of three hosts of a shard with their disks, and not one node. It
// returns the third.
func (c *cluster) destroyTwo(p shards.Shard, but int) (last int) {
	c.Helper()
	hosts := c.hostsOf(p)
	if len(hosts) != 3 {
		c.Fatalf("%v has the hosts %v", p, hosts)
	}
	if slices.Contains(hosts, but) {
		last = but
	} else {
		last = hosts[0]
	}
	c.destroy(slices.DeleteFunc(hosts, func(i int) bool { return i == last }))
	return last
}

// TestLastHostOfTheLobby: two of the three hosts of the lobby die with their disks. The
// third continues within a minute, and so players of whom the regions' hosts have to ask
// the lobby can play on, and others come in.
func TestLastHostOfTheLobby(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c, g, _ := playedIn(t, 1)
	at := c.indexOf(g.node)
	c.destroyTwo(shards.Lobby, at)
	died, late := c.s.Now(), c.addGuest(at)
	c.until("another comes in", func() bool { return late.in })
	if took := c.s.Now().Sub(died); took > hostpolicy.LastHostAfter+15*time.Second {
		t.Errorf("that took %v", took)
	}
	if c.noted("the lobby lost 2 of its 3 hosts. It was restored to its state of") != 1 {
		t.Errorf("said: %q", c.notes)
	}
	c.until("it has three hosts", func() bool { return len(c.hostsOf(shards.Lobby)) == 3 })
	if !g.in {
		t.Error("the guest is not in")
	}
}

// TestLastHostOfARegion: the same with a region. Nothing that was acknowledged is missing.
func TestLastHostOfARegion(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c, g, home := playedIn(t, 1)
	at := c.indexOf(g.node)
	c.buildsOn(g, g.acted+3)
	c.destroyTwo(home, at)
	died := c.s.Now()
	g.quiet = false
	c.until("it continues", func() bool {
		return c.noted(home.String()+" lost 2 of its 3 hosts. It was restored to its state of") == 1
	})
	t.Logf("led again after %v", c.s.Now().Sub(died))
	if took := c.s.Now().Sub(died); took > hostpolicy.LastHostAfter+10*time.Second {
		t.Errorf("that took %v", took)
	}
	acted := g.acted
	c.until("the guest builds again", func() bool { return g.in && g.acted > acted+3 })
	g.quiet = true
	c.until("all acts are answered", func() bool { return g.in && len(g.pending) == 0 })
	c.until("it has three hosts", func() bool { return len(c.hostsOf(home)) == 3 })
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
}

// TestLastHostIsHeardOf: the lobby's leader hears none of its other hosts any more, and
// asks the other nodes, which do: it does not continue alone.
func TestLastHostIsHeardOf(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c, g, _ := sevenPlayedIn(t, 1)
	hosts := c.hostsOf(shards.Lobby)
	late := c.addGuest(c.indexOf(g.node))
	c.until("the lobby is awake", func() bool { return late.in && c.leaderOf(shards.Lobby) >= 0 })
	last := c.leaderOf(shards.Lobby)
	c.s.Cut(func(a, b machine.Peer) bool {
		if a.Addr.IsZero() || b.Addr.IsZero() {
			return false
		}
		i, j := c.indexOf(a), c.indexOf(b)
		return (i == last || j == last) && slices.Contains(hosts, i) && slices.Contains(hosts, j)
	})
	c.s.Run(time.Minute)
	if c.noted("of its 3 hosts. It was restored") > 0 {
		t.Errorf("said: %q", c.notes)
	}
}

// TestCutOffPairIsMerged: two of the three hosts of a region are cut off from all others
// and play on, and so does the third. When they meet, the two lead, and everything that
// was built on either side is there.
func TestCutOffPairIsMerged(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	merged := 0
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed+1), func(t *testing.T) {
			c, g, home := sevenPlayedIn(t, seed+1)
			if g == nil {
				t.Skip("all nodes host something")
			}
			c.buildsOn(g, g.acted+3)
			hosts := c.hostsOf(home)
			pair := hosts[:2]
			c.s.Cut(func(a, b machine.Peer) bool {
				return !a.Addr.IsZero() && !b.Addr.IsZero() && slices.Contains(pair, c.indexOf(a)) != slices.Contains(pair, c.indexOf(b))
			})
			g.acted, g.quiet = 0, false
			c.until("the last host leads it", func() bool { return slices.Contains(c.leaders(home), hosts[2]) })
			c.s.RunUntil(func() bool { return g.in && g.acted >= 10 }, time.Minute)
			c.s.Cut(nil)
			pairLeads := func() bool {
				l := c.leaders(home)
				return len(l) == 1 && slices.Contains(pair, l[0])
			}
			c.until("one of the two leads it", pairLeads)
			g.quiet = true
			c.until("all acts are answered", func() bool { return g.in && len(g.pending) == 0 })
			c.until("all is merged", c.merged)
			if c.checkEdits() == 0 {
				t.Error("nothing was built")
			}
			if c.noted("which were made here without its hosts, are in place.") > 0 {
				merged++
			}
		})
	}
	if merged == 0 {
		t.Error("nothing was merged")
	}
}

// TestRegionLostWithMostOfTheLobby: the hosts of a player's region die with their disks,
// and so do two of the three of the lobby, which has to answer the region's new host
// before it lets the player build on. In some worlds most of the nodes near one of the
// keys are among the dead, and nothing is restored for minutes.
func TestRegionLostWithMostOfTheLobby(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	const worlds = 8
	builds := 0
	for seed := range uint64(worlds) {
		c, g, home := playedIn(t, seed+1)
		c.s.Run(10 * time.Second) // the window
		regions := c.hostsOf(home)
		c.destroyTwo(shards.Lobby, c.indexOf(g.node))
		c.destroy(slices.DeleteFunc(regions, func(i int) bool { return c.nodes[i].Machine() == nil }))
		died := c.s.Now()
		g.acted, g.quiet = 0, false
		if c.s.RunUntil(func() bool { return g.in && g.acted > 3 }, 2*time.Minute) {
			builds++
			t.Logf("seed %d: the guest builds again after %v", seed+1, c.s.Now().Sub(died))
		}
	}
	if builds < worlds/2 {
		t.Errorf("the guest builds again in %d of %d worlds", builds, worlds)
	}
}
