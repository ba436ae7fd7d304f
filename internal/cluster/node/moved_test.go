package node

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// TestLongMoved: nodes that start again on another port are found there: by those
// who look for the shards that they host, by the other members of their groups,
// and by whoever reads the record, which names the new addresses soon.
func TestLongMoved(t *testing.T) {
	simtest.Long(t)
	for _, seed := range seeds(t, 3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			c, g := playedCluster(t, seed, 4, 40*time.Second)
			entries := g.entries
			for i := 1; i < 4; i++ {
				c.nodes[i].Crash() // no group has a majority without them
			}
			c.s.Run(2 * time.Second)
			for i := 1; i < 4; i++ {
				to := nodePeer(i).Addr
				to[17] += 100
				c.nodes[i].Move(to)
				c.nodes[i].Restart()
			}
			c.until("the guest is in again and builds", func() bool { c.s.Run(time.Second); return g.entries > entries && g.in && g.acted > 3 })
			home := shards.Shard{Region: g.home}
			g.quiet = true
			c.s.Run(30 * time.Second)
			leader := c.leaderOf(home)
			if leader < 0 {
				t.Fatal("nobody leads")
			}
			h := c.node(leader).net.hosting.replicas[home]
			if len(h.group.Members()) != 3 {
				t.Errorf("%d members", len(h.group.Members()))
			}
			for _, m := range h.group.Members() {
				c.isThere(m)
			}
			asked := false
			c.nodes[0].Call(func() {
				c.node(0).net.dir.Find(home, func(r kademlia.Result) {
					asked = true
					if r.Record == nil {
						t.Error("no record")
						return
					}
					hosts, err := records.DecodeHosts(r.Record.Payload)
					if err != nil {
						t.Error(err)
					}
					for _, m := range hosts.Members {
						c.isThere(m)
					}
				})
			})
			c.until("the directory has answered", func() bool { return asked })
			c.checkEdits()
		})
	}
}

// isThere: a peer is a node at the address that it has.
func (c *cluster) isThere(p machine.Peer) {
	c.Helper()
	for _, n := range c.nodes {
		if n.Peer() == p {
			return
		}
	}
	c.Errorf("nobody is at %v", p.Addr)
}
