package node

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
)

// TestAccusedOnce: a node that is cut off for something false, comes back and sends it
// again fills no log.
func TestAccusedOnce(t *testing.T) {
	c := newCluster(t, 1, 2)
	said := func(times int, of int) int {
		before := len(c.notes)
		c.nodes[0].Call(func() {
			for range times {
				c.node(0).net.accused.Accuse(nodePeer(of).ID, "a false list")
			}
		})
		c.s.Run(1)
		return len(c.notes) - before
	}
	if n := said(100, 1); n != 1 {
		t.Errorf("told %d times", n)
	}
	if n := said(1, 5); n != 1 {
		t.Errorf("of another node told %d times", n)
	}
	c.s.Run(part.AccuseEvery)
	if n := said(100, 1); n != 1 {
		t.Errorf("later told %d times", n)
	}
}
