package node

import (
	"slices"
	"testing"
	"time"
)

// TestRecordsOutliveNodes: all nodes of a world but one end within seconds, the hosts of a
// region with their disks. When the others are back, they know from theirs that the region
// had hosts: it continues from a copy. Without its record, whoever creates it would begin
// with the land as it was generated.
func TestRecordsOutliveNodes(t *testing.T) {
	c, g, home := playedIn(t, 1)
	hosts := c.hostsOf(home)
	c.s.Run(10 * time.Second) // the window
	c.destroy(hosts)
	var others []int
	for i := range c.nodes {
		if !slices.Contains(hosts, i) {
			others = append(others, i)
			c.nodes[i].Crash()
		}
	}
	c.s.Run(5 * time.Second)
	for _, i := range others {
		c.nodes[i].Restart()
	}
	g.quiet = false
	c.until("somebody leads it", func() bool { return c.leaderOf(home) >= 0 })
	if c.noted("It was restored to its state of") == 0 {
		t.Error("it began anew")
	}
	c.buildsOn(g, g.acted+4)
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
}
