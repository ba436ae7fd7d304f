package node

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// refusal is the computation of part.Config.Refusals in the simulator: the machine of a
// node that has crashed answers, unless it is off.
type refusal struct {
	c     *cluster
	by    int
	nodes []machine.Peer
}

// Run implements machine.Work.
func (r refusal) Run() (any, error) {
	var ended []bool
	for _, p := range r.nodes {
		i := r.c.indexOf(p)
		ended = append(ended, r.c.nodes[i].Machine() == nil && !r.c.off[i] && !r.c.deaf[r.by])
	}
	return ended, nil
}

// fivePlayedIn prepares a world of five nodes and a guest who has built in a region that
// its node does not host; the machines of nodes that have ended say so.
func fivePlayedIn(t *testing.T, seed uint64) (c *cluster, g *wanderer, home shards.Shard) {
	c = newCluster(t, seed, 0)
	c.change = func(i int, n *Net) {
		n.Refusals = func(nodes []machine.Peer) machine.Work { return refusal{c, i, nodes} }
	}
	for i := range 5 {
		c.addNode(i)
	}
	g, home = c.guestWhere(func(at int, home shards.Shard) bool {
		return len(c.hostsOf(home)) == 3 && !c.node(at).net.hosting.Hosts(home)
	})
	if g == nil {
		t.Fatal("all nodes host what their guests are in")
	}
	c.s.Run(10 * time.Second)
	c.lastReads()
	return c, g, home
}

// TestTwoOfFiveGoOn: three of five nodes, all hosts of a region, are killed with their disks.
// Their machines say so to both that are left, and the region goes on within seconds.
func TestTwoOfFiveGoOn(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			c, g, home := fivePlayedIn(t, seed)
			c.destroy(c.hostsOf(home))
			died := c.s.Now()
			g.quiet = false
			c.until("somebody leads it", func() bool { return c.leaderOf(home) >= 0 })
			if took := c.s.Now().Sub(died); took > 15*time.Second {
				t.Errorf("led again after %v", took)
			}
			c.until("the guest reads it", func() bool { return g.reads("restored: 36") == 1 })
			acted := g.acted
			c.until("the guest builds again", func() bool { return g.in && g.acted > acted+3 })
			g.quiet = true
			c.until("all acts are answered", func() bool { return g.in && len(g.pending) == 0 })
			c.guests[0].Call(func() { // neighbours of which one host is left wake, and are waited for
				for _, at := range slices.SortedFunc(maps.Keys(g.edits), func(a, b world.Pos) int { // a map has no order
					return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y), cmp.Compare(a.Z, b.Z))
				}) {
					g.watch(at.Column().Region(), region.RateEvery)
				}
			})
			c.s.Run(hostpolicy.LastHostAfter + 15*time.Second)
			if c.checkEdits() == 0 {
				t.Error("nothing was built")
			}
		})
	}
}

// TestTwoOfFiveWait: the three are frozen, are cut off, their machines are off, or only one
// of the two that are left is told that they have ended. The two wait: the three may be there.
func TestTwoOfFiveWait(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	for name, lose := range map[string]func(c *cluster, hosts []int){
		"frozen": func(c *cluster, hosts []int) {
			for _, i := range hosts {
				c.nodes[i].Freeze()
			}
		},
		"cut off": func(c *cluster, hosts []int) {
			c.s.Cut(func(a, b machine.Peer) bool {
				in := func(p machine.Peer) bool {
					return slices.ContainsFunc(hosts, func(i int) bool { return nodePeer(i) == p })
				}
				isNode := func(p machine.Peer) bool { return p.Addr != machine.Addr{} }
				return isNode(a) && isNode(b) && in(a) != in(b)
			})
		},
		"off": func(c *cluster, hosts []int) {
			for _, i := range hosts {
				c.off[i] = true
			}
			c.destroy(hosts)
		},
		"one says so": func(c *cluster, hosts []int) {
			c.off[hosts[0]] = true
			c.destroy(hosts)
		},
		"to one node": func(c *cluster, hosts []int) {
			for i := range c.nodes {
				if !slices.Contains(hosts, i) {
					c.deaf[i] = true
					break
				}
			}
			c.destroy(hosts)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, g, home := fivePlayedIn(t, 1)
			hosts := c.hostsOf(home)
			lose(c, hosts)
			g.quiet = false
			for range 40 {
				c.s.Run(3 * time.Second)
				for i := range c.nodes {
					if c.nodes[i].Machine() != nil && !slices.Contains(hosts, i) && c.node(i).net.hosting.Hosts(home) {
						t.Fatalf("node %d goes on without the hosts", i)
					}
				}
			}
		})
	}
}
