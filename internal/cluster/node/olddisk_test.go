package node

import (
	"slices"
	"testing"
	"time"
)

// TestOldDisks: all hosts of a region are killed, and two of them come back with the
// disks that they had ten seconds before. What was built then is lost, and the person who
// runs the leader is told. If the disks are as they were, nobody is told anything.
func TestOldDisks(t *testing.T) {
	for _, old := range []bool{true, false} {
		c, g, home := sevenPlayedIn(t, 1)
		if g == nil {
			t.Fatal("all nodes host something")
		}
		hosts := c.hostsOf(home)
		var restore []func()
		for _, i := range hosts {
			restore = append(restore, c.nodes[i].Disk.Snapshot())
		}
		c.buildsOn(g, g.acted+5)
		c.s.Run(10 * time.Second) // the copies have it
		for _, i := range hosts {
			c.nodes[i].Crash()
		}
		if old {
			for i := range hosts[:2] {
				restore[i]()
			}
		}
		for _, i := range hosts[:2] {
			c.nodes[i].Restart()
		}
		g.quiet = false
		c.until("they lead again", func() bool {
			l := c.leaders(home)
			return len(l) == 1 && slices.Contains(hosts[:2], l[0])
		})
		c.s.Run(20 * time.Second)
		if said := c.noted("a copy of "+home.String()+" that is newer than what its hosts have") > 0; said != old {
			t.Errorf("old disks: %v; said: %q", old, c.notes)
		}
	}
}
