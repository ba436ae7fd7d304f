package node

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// TestLongLostHosts: all hosts of a region die with their disks, in a wide network. One copy
// continues, even if several nodes inquire about the loss, and a player's acts are done again
// within fifteen seconds.
func TestLongLostHosts(t *testing.T) {
	simtest.Long(t)
	for _, seed := range seeds(t, 12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			c, g, home := playedInWide(t, seed, 12)
			if g == nil {
				t.Fatal("no such hosts with this seed: take another")
			}
			c.s.Run(10 * time.Second)
			c.destroy(c.hostsOf(home))
			died := c.s.Now()
			var done time.Duration
			g.tap = func(m machine.Message) {
				if r, ok := m.(*region.ActResult); ok && r.OK && done == 0 {
					done = c.s.Now().Sub(died)
				}
			}
			g.quiet = false
			for c.s.Now().Sub(died) < time.Minute {
				c.s.Run(100 * time.Millisecond)
				c.leaderOf(home) // fails if there are two
			}
			t.Logf("the first act is done after %v", done)
			if done == 0 || done > 15*time.Second {
				t.Errorf("the first act is done after %v", done)
			}
		})
	}
}
