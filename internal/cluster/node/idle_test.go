package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// TestLongIdleGroupsHibernate: of three nodes each hosts everything, and leads its share. When
// nobody needs the shards any more, their groups hibernate, and no lead is passed on for
// the sake of loads that others have just changed.
func TestLongIdleGroupsHibernate(t *testing.T) {
	simtest.Long(t)
	for seed := range uint64(6) {
		c := newCluster(t, seed, 3)
		c.s.Run(3 * time.Second)
		c.enterGuest(1)
		c.s.Run(20 * time.Second)
		c.guests[0].Crash()
		c.s.Run(time.Minute)
		awake, terms := 0, uint64(0)
		for i := range c.nodes {
			for p, h := range c.node(i).net.hosting.replicas {
				st := h.group.Raft.Status()
				terms = max(terms, st.Term)
				if !p.Lobby && !st.Asleep {
					awake++
				}
			}
		}
		t.Logf("seed %d: %d replicas are awake, the highest term is %d", seed, awake, terms)
		if awake > 0 || terms > 10 {
			t.Errorf("seed %d: %d replicas are awake, the highest term is %d", seed, awake, terms)
		}
	}
}
