package node

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// country is a world on several nodes, in the simulator, each with wanderers.
type country struct {
	testing.TB
	s      *sim.Sim
	nodes  []*sim.Node
	guests []*sim.Node
}

// nodePeer is a node's name: its address is not zero, as those of sessions are.
func nodePeer(i int) machine.Peer {
	p := machine.Peer{ID: id.Of(fmt.Append(nil, "node ", i))}
	p.Addr[15], p.Addr[17] = 1, byte(i)
	return p
}

func newCountry(t testing.TB, seed uint64, nodes int) *country {
	c := &country{TB: t, s: sim.NewWith(seed, sim.Config{Start: townStart, Delay: 5 * time.Millisecond, Jitter: 10 * time.Millisecond})}
	for i := range nodes {
		c.addNode(i)
	}
	return c
}

func (c *country) addNode(i int) {
	cfg := testConfig(townStart)
	cfg.Net = &Net{Self: nodePeer(i), World: id.Of([]byte("country"))}
	if i > 0 {
		cfg.Net.Known = []machine.Peer{nodePeer(0)}
	}
	c.nodes = append(c.nodes, c.s.AddAs(nodePeer(i), func(env machine.Env) machine.Machine { return New(cfg, flatEnv{env}) }))
}

// addGuest adds a wanderer at a node.
func (c *country) addGuest(at int) *wanderer {
	i := len(c.guests)
	peer := machine.Peer{ID: id.Of(fmt.Append(nil, "session ", i))}
	c.guests = append(c.guests, c.s.AddAs(peer, func(env machine.Env) machine.Machine {
		return newWanderer(env, nodePeer(at), i, townGuests)
	}))
	return c.wanderer(i)
}

func (c *country) wanderer(i int) *wanderer { return c.guests[i].Machine().(*wanderer) }
func (c *country) node(i int) *Node         { return c.nodes[i].Machine().(*Node) }

func (c *country) until(what string, cond func() bool) {
	c.Helper()
	if c.s.RunUntil(cond, time.Minute) {
		return
	}
	for i := range c.guests {
		g := c.wanderer(i)
		c.Logf("%s: link %v, in %v, home %v, %d pending, refused %v", g.name, g.link, g.in, g.home, len(g.pending), g.refused)
	}
	c.Fatalf("%s: not within a minute", what)
}

// TestFarPlay: a session on one node plays in a region that another one leads.
func TestFarPlay(t *testing.T) {
	c := newCountry(t, 1, 1)
	first := c.addGuest(0)
	c.until("the first guest is in", func() bool { return first.in })
	c.addNode(1)
	c.s.Run(5 * time.Second)
	second := c.addGuest(1)
	c.until("the second guest is in", func() bool { return second.in })
	c.until("the second guest has built", func() bool {
		for _, e := range second.edits {
			if e.sure && e.block == world.Bricks {
				return true
			}
		}
		return false
	})
	spawnRegion := Part{Region: spawn.Region()}
	if c.node(1).regions[spawnRegion.Region] != nil || c.node(0).regions[spawnRegion.Region] == nil {
		t.Fatal("the spawn region is not at the first node alone")
	}
	c.nodes[1].Crash()
	c.s.Run(time.Second)
	if n := c.node(0).regions[spawnRegion.Region]; n == nil {
		t.Fatal("the spawn region has gone")
	}
}
