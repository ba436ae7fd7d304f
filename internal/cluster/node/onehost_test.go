package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
)

// TestOneHostReturnsAlone: all hosts of a region are killed after something was built that
// no copy has. One comes back alone. If the region was not restored meanwhile it goes on
// there; if it was, what the host alone has is merged, and nothing that was acknowledged
// is missing, as long as nobody has built in the same place.
func TestOneHostReturnsAlone(t *testing.T) {
	for _, restored := range []bool{false, true} {
		c, g, home := sevenPlayedIn(t, 1)
		if g == nil {
			t.Fatal("all nodes host something")
		}
		hosts := c.hostsOf(home)
		c.s.Run(10 * time.Second)
		c.buildsOn(g, g.acted+3)
		for _, i := range hosts {
			c.nodes[i].Crash()
		}
		if restored {
			c.nodes[c.indexOf(g.node)].Call(func() { // somebody needs it, and builds nothing
				w := c.node(c.indexOf(g.node)).net
				w.routes.Search(home)
			})
			c.until("it is restored", func() bool { return c.leaderOf(home) >= 0 })
			c.s.Run(10 * time.Second)
		}
		c.nodes[hosts[0]].Restart()
		back := c.s.Now()
		if restored {
			c.until("what it has is merged", func() bool { return c.noted("which a host had that came back alone, are in place.") == 1 })
		} else {
			c.until("it goes on there", func() bool { return c.leaderOf(home) == hosts[0] })
		}
		took := c.s.Now().Sub(back)
		t.Logf("restored: %v; after %v", restored, took)
		if took > hostpolicy.LastHostAfter+time.Minute {
			t.Errorf("that took %v; said: %q", took, c.notes)
		}
		c.rebuilds(g)
		if l := c.leaders(home); len(l) != 1 {
			t.Errorf("%v lead it", l)
		}
	}
}
