package node

import (
	"crypto/ed25519"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// logKey is the key with which a node of a simulation signs.
func logKey(i int) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(fmt.Appendf(nil, "the key of node %15d.", i)[:ed25519.SeedSize])
}

// logOwners are the nodes of simulations by their keys.
var logOwners = sync.OnceValue(func() map[[32]byte]id.ID {
	const most = 256 // nodes of a simulation
	owner := map[[32]byte]id.ID{}
	for k := range most {
		owner[[32]byte(logKey(k).Public().(ed25519.PublicKey))] = nodePeer(k).ID
	}
	return owner
})

// logKeys are those of a node; proven hears of proofs.
func logKeys(i int, proven func(regionlog.Evidence)) *accountability.LogKeys {
	owner := logOwners()
	key := logKey(i)
	return &accountability.LogKeys{
		Key:    [32]byte(key.Public().(ed25519.PublicKey)),
		Sign:   func(text []byte) [64]byte { return [64]byte(ed25519.Sign(key, text)) },
		Node:   func(k [32]byte) id.ID { return owner[k] },
		Proven: proven,
	}
}

// honest are the keys of a node in a simulation whose nodes all follow the rules: a proof
// against any of them is an error.
func (c *cluster) honest(i int) *accountability.LogKeys {
	return logKeys(i, func(p regionlog.Evidence) {
		found, err := p.Check()
		c.Errorf("node %d convicts an honest host, %s: %v, %v", i, accusedBy(p), found, err)
	})
}

// accusedBy is the node that evidence is against.
func accusedBy(e regionlog.Evidence) id.ID {
	_, to := e.Span()
	return logOwners()[to.Key]
}

// convicted is who was refused by how many others.
func (c *cluster) convicted(i int) (by int) {
	for k, n := range c.nodes {
		if n.Machine() != nil && c.node(k).net.convicted.Has(nodePeer(i).ID) {
			by++
		}
	}
	return by
}

// lies are what a leader does behind its own log.
var lies = []struct {
	name string
	tell func(a *regionlog.Area, built world.Pos, player id.ID)
}{
	{"drops an acknowledged edit", func(a *regionlog.Area, built world.Pos, _ id.ID) {
		now, _ := a.Block(built)
		a.Area.Revert([]world.BlockChange{{At: built, Was: world.Air, Now: now}})
	}},
	{"invents a block", func(a *regionlog.Area, built world.Pos, _ id.ID) {
		at := built.Add(0, 9, 0)
		a.Area.Revert([]world.BlockChange{{At: at, Was: world.GoldOre, Now: world.Air}})
	}},
	{"grants an item", func(a *regionlog.Area, _ world.Pos, player id.ID) {
		a.Player(player).Items[30] = world.Stack{Block: world.GoldOre, Count: 50}
	}},
	{"logs that it grants an item", func(a *regionlog.Area, _ world.Pos, player id.ID) {
		p := a.Player(player)
		p.Items[30] = world.Stack{Block: world.GoldOre, Count: 50}
		a.Changed(p)
	}},
	{"gives what nobody has ordered", func(a *regionlog.Area, _ world.Pos, player id.ID) {
		a.Act([]world.Command{{Player: player, Kind: world.CmdOrder, Seq: 1, Order: &world.Order{Kind: world.OrderGive, Block: world.GoldOre, Count: 50}}})
	}},
	{"answers in a neighbour's name", func(a *regionlog.Area, _ world.Pos, player id.ID) {
		m := &world.Remote{Kind: world.RemoteBreak, Player: player, Seq: 1, Block: world.GoldOre, Got: world.GoldOre, Code: world.Done}
		a.Act([]world.Command{{Player: player, Kind: world.CmdSettle, Seq: 1, Remote: m}})
	}},
	{"lets a friend fly", func(a *regionlog.Area, _ world.Pos, player id.ID) { a.Player(player).Mode = world.Spectator }},
}

// TestLongLyingHost: a leader that changes its region against the rules is convicted by the
// followers within two seconds, and another leads; nothing that was acknowledged is lost.
func TestLongLyingHost(t *testing.T) {
	simtest.Long(t)
	for k, lie := range lies {
		t.Run(lie.name, func(t *testing.T) {
			const nodes = 5
			proofs := 0
			c := newCluster(t, uint64(k+1), 0)
			c.mobs = 4
			c.change = func(i int, n *Net) {
				n.Log = logKeys(i, func(p regionlog.Evidence) {
					proofs++
					if _, err := p.Check(); err != nil {
						t.Errorf("node %d: %v", i, err)
					}
				})
			}
			c.start(nodes)
			g := c.enterGuest(0)
			c.s.Run(30 * time.Second)
			liar, at := c.liarFor(g)
			if c.convicted(liar) > 0 {
				t.Fatal("it is convicted before it lies")
			}
			began := c.s.Now()
			c.nodes[liar].Call(func() {
				if !c.node(liar).WithArea(g.home, func(a *regionlog.Area) { lie.tell(a, at, g.player()) }) {
					t.Error("the region does not run there")
				}
			})
			home := shards.Shard{Region: g.home}
			c.until("the liar is convicted", func() bool { return c.convicted(liar) >= 2 })
			if d := c.s.Now().Sub(began); d > 2*time.Second {
				t.Errorf("convicted after %v", d)
			} else {
				t.Logf("convicted after %v", d)
			}
			c.until("another leads", func() bool {
				for i := range c.nodes {
					if h := c.node(i).net.hosting.replicas[home]; i != liar && h != nil && h.group.Leading {
						return true
					}
				}
				return false
			})
			t.Logf("replaced after %v", c.s.Now().Sub(began))
			g.acted = 0
			c.until("the guest builds", func() bool { return g.in && g.acted >= 3 })
			c.builtIsThere(g, liar)
			if !slices.ContainsFunc(g.told, func(s string) bool { return strings.Contains(s, "the previous one was caught") }) {
				t.Errorf("the guest was told %q", g.told)
			}
			for i := range c.nodes {
				if n := c.convicted(i); i != liar && n > 0 {
					t.Errorf("node %d, which is honest, is convicted by %d", i, n)
				}
			}
			if proofs < 2 || !slices.ContainsFunc(c.notes, func(s string) bool { return strings.Contains(s, "does not follow") }) {
				t.Errorf("%d proofs, notes %q", proofs, c.notes)
			}
		})
	}
}

// builtIsThere compares what the guest's regions have with what was acknowledged.
func (c *cluster) builtIsThere(g *wanderer, liar int) {
	c.Helper()
	g.quiet = true
	c.until("all is answered", func() bool { return g.in && len(g.pending) == 0 })
	for at, e := range g.edits { // the order does not matter
		leader := c.leaderOf(shards.Shard{Region: at.Region()})
		if !e.sure || leader < 0 || leader == liar {
			continue
		}
		c.node(leader).WithArea(at.Region(), func(a *regionlog.Area) {
			if now, ok := a.Block(at); ok && now != e.block {
				c.Errorf("%v is %v, but %v was acknowledged", at, now, e.block)
			}
		})
	}
}

// liarFor waits until a node other than the guest's leads the guest's region with two
// followers who replay it, and the guest has built there.
func (c *cluster) liarFor(g *wanderer) (liar int, built world.Pos) {
	c.Helper()
	c.until("somebody else leads the guest's region, and is followed", func() bool {
		home := shards.Shard{Region: g.home}
		liar = c.leaderOf(home)
		if liar <= 0 || !g.in {
			return false
		}
		follow := 0
		for i := range c.nodes {
			if h := c.node(i).net.hosting.replicas[home]; h != nil && h.followed.IsFollowing() {
				follow++
			}
		}
		for at, e := range g.edits {
			if at.Region() == g.home && e.sure && e.block != world.Air {
				built = at
				return follow >= 2
			}
		}
		return false
	})
	return liar, built
}

// TestLongConvictedBefore: a node follows none against which it had a proof before it
// started, and takes it into no group, and its players go on, also where that one leads.
func TestLongConvictedBefore(t *testing.T) {
	simtest.Long(t)
	const nodes = 5
	c := &cluster{TB: t, s: sim.NewWith(1, sim.Config{Start: singleNodeStart, Carry: overBytes(nil), Delay: 5 * time.Millisecond})}
	c.change = func(i int, n *Net) {
		if n.Log = logKeys(i, nil); i == 2 {
			n.Log.Convicted = []regionlog.Evidence{evidenceAgainst(t, n.World, 1)}
		}
	}
	for i := range nodes {
		c.addNode(i)
	}
	g, other := c.addGuest(2), c.addGuest(1)
	c.until("the guests are in", func() bool { return g.in && other.in })
	c.s.Run(2 * time.Minute)
	if by := c.convicted(1); by < nodes-1 {
		t.Errorf("node 1 is convicted by %d: the others have not heard of it", by)
	}
	g.acted, other.acted = 0, 0
	c.until("the guests build", func() bool { return g.in && other.in && g.acted > 3 && other.acted > 3 })
	for p, h := range c.node(2).net.hosting.replicas {
		if leader := h.group.Leader(); leader == nodePeer(1) || leader == nodePeer(2) && h.group.IsMember(nodePeer(1).ID) {
			t.Errorf("node 2 hosts %v with node 1, led by %v", p, leader.ID.Short())
		}
	}
}
