package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// TestLongRecordsOfHibernating: the record of a shard that nobody needs is published
// again and again, whoever of its hosts has gone or started anew meanwhile
// (Kademlia 2.5).
func TestLongRecordsOfHibernating(t *testing.T) {
	simtest.Long(t)
	if last := part.DefaultRenewAfter + 8*part.DefaultRenewAfter/12; last >= kademlia.Expire {
		t.Fatalf("the last of nine members comes after %v, too late", last)
	}
	const renewAfter = 2 * time.Minute
	for what, happen := range map[string]func(*cluster, shards.Shard){
		"nothing happens": func(*cluster, shards.Shard) {},
		"its leader goes": func(c *cluster, p shards.Shard) {
			for i := range c.nodes {
				if h := c.node(i).net.hosting.replicas[p]; h != nil && h.group.Leader() != (machine.Peer{}) {
					c.nodes[c.indexOf(h.group.Leader())].Crash()
					return
				}
			}
			c.Fatal("no leader")
		},
		"all start anew": func(c *cluster, _ shards.Shard) {
			for _, n := range c.nodes {
				n.Restart()
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			c := changedCluster(t, 1, 4, func(_ int, n *Net) { n.RenewAfter = renewAfter })
			g := c.enterGuest(0)
			c.s.Run(40 * time.Second)
			home := shards.Shard{Region: g.home}
			c.guests[0].Crash()
			c.until("the part sleeps", func() bool { return c.leaderOf(home) < 0 })
			c.s.Run(time.Minute)
			happen(c, home)
			c.s.Run(5 * renewAfter)
			if c.leaderOf(home) >= 0 {
				t.Error("somebody leads the part that nobody needs")
			}
			found := 0
			for i, n := range c.nodes {
				if n.Machine() == nil {
					continue
				}
				n.Call(func() {
					c.node(i).net.dir.Find(home, func(r kademlia.Result) {
						if r.Record == nil {
							t.Errorf("node %d finds no record", i)
							return
						}
						found++
						if age := c.s.Now().Sub(r.Record.Until.Add(-kademlia.Expire)); age > 2*renewAfter {
							t.Errorf("the record that node %d finds is %v old", i, age)
						}
					})
				})
			}
			c.s.Run(10 * time.Second)
			if found < 3 {
				t.Errorf("%d nodes have found the record", found)
			}
		})
	}
}
