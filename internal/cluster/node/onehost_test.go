package node

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
)

// TestOneHostReturnsAlone: all hosts of a region are killed after something was built that
// no copy has. One comes back alone. If the region was not restored meanwhile it goes on
// there; if it was, what the host alone has is merged, and nothing that was acknowledged
// is missing, as long as nobody has built in the same place. The same holds if it was only
// cut off, and the two others were killed.
func TestOneHostReturnsAlone(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	for _, x := range []struct{ restored, cut bool }{{false, false}, {true, false}, {true, true}} {
		restored := x.restored
		c, g, home := sevenPlayedIn(t, 1)
		if g == nil {
			t.Fatal("all nodes host something")
		}
		hosts := c.hostsOf(home)
		if lead := slices.Index(hosts, c.leaderOf(home)); x.cut { // who has published the record itself
			hosts[0], hosts[lead] = hosts[lead], hosts[0]
		}
		c.s.Run(10 * time.Second)
		c.buildsOn(g, g.acted+3)
		alone := nodePeer(hosts[0])
		if x.cut {
			c.s.Cut(func(a, b machine.Peer) bool {
				return !a.Addr.IsZero() && !b.Addr.IsZero() && (a.ID == alone.ID) != (b.ID == alone.ID)
			})
		}
		for _, i := range hosts {
			if i != hosts[0] || !x.cut {
				c.nodes[i].Crash()
			}
		}
		if restored {
			c.nodes[c.indexOf(g.node)].Call(func() { // somebody needs it, and builds nothing
				w := c.node(c.indexOf(g.node)).net
				w.routes.Search(home)
			})
			c.until("it is restored", func() bool { return slices.ContainsFunc(c.leaders(home), func(i int) bool { return i != hosts[0] }) })
			c.s.Run(10 * time.Second)
		}
		if c.s.Cut(nil); !x.cut {
			c.nodes[hosts[0]].Restart()
		}
		back := c.s.Now()
		if restored {
			merged := func() bool { return c.noted("which a host had that came back alone, are in place.") == 1 }
			if !c.s.RunUntil(merged, 2*time.Minute) {
				t.Fatalf("cut off: %v: what it has is not merged", x.cut)
			}
		} else {
			c.until("it goes on there", func() bool { return c.leaderOf(home) == hosts[0] })
		}
		took := c.s.Now().Sub(back)
		t.Logf("restored: %v, cut off: %v; after %v", restored, x.cut, took)
		if took > hostpolicy.LastHostAfter+time.Minute {
			t.Errorf("that took %v; said: %q", took, c.notes)
		}
		c.rebuilds(g)
		if l := c.leaders(home); len(l) != 1 {
			t.Errorf("%v lead it", l)
		}
	}
}
