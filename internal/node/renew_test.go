package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/kademlia"
)

// TestRecordsOfSleepers: the record of a part that nobody has needed for days is
// still there, whoever of its hosts has gone or started anew meanwhile (Kademlia
// 2.5: it is to be published again once a day).
func TestRecordsOfSleepers(t *testing.T) {
	for what, happen := range map[string]func(*country, Part){
		"nothing happens": func(*country, Part) {},
		"its leader goes": func(c *country, p Part) {
			for i := range c.nodes {
				if h := c.node(i).net.hosts[p]; h != nil && h.leader() == c.nodes[i].Peer() {
					c.nodes[i].Crash()
					return
				}
			}
			c.Fatal("no leader")
		},
		"all start anew": func(c *country, _ Part) {
			for _, n := range c.nodes {
				n.Restart()
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			c := newCountry(t, 1, 4)
			c.s.Run(3 * time.Second)
			g := c.addGuest(0)
			c.until("the guest is in", func() bool { return g.in })
			c.s.Run(40 * time.Second)
			home := Part{Region: g.home}
			c.guests[0].Crash()
			c.until("the part sleeps", func() bool { return c.leaderOf(home) < 0 })
			c.s.Run(time.Minute)
			happen(c, home)
			c.s.Run(3 * kademlia.Expire)
			if c.leaderOf(home) >= 0 {
				t.Error("somebody leads the part that nobody needs")
			}
			asked := false
			for i, n := range c.nodes {
				if n.Machine() == nil {
					continue
				}
				n.Call(func() {
					asked = true
					c.node(i).net.dir.look(home, func(r kademlia.Result) {
						if r.Record == nil {
							t.Errorf("node %d finds no record", i)
						}
					})
				})
			}
			c.s.Run(10 * time.Second)
			if !asked {
				t.Error("no node is there")
			}
		})
	}
}
