package node

import (
	"testing"
	"time"
)

// TestPausingHostsAreWaitedFor: all hosts of a region do nothing for some seconds. No copy
// continues: they do, and nothing is lost.
func TestPausingHostsAreWaitedFor(t *testing.T) {
	c, g, home := playedInWide(t, 1, 12)
	hosts := c.hostsOf(home)
	g.quiet = false
	for _, i := range hosts {
		c.nodes[i].Freeze()
	}
	c.s.Run(6500 * time.Millisecond)
	for _, i := range hosts {
		c.nodes[i].Thaw()
	}
	c.s.Run(20 * time.Second)
	if n := c.noted("It was restored to its state of"); n > 0 {
		t.Errorf("a copy continues: %q", c.notes)
	}
	c.buildsOn(g, g.acted+4)
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
}
