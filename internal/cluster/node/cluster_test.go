package node

import (
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// cluster is a world on several nodes, in the simulator, each with wanderers.
type cluster struct {
	testing.TB
	s      *sim.Sim
	nodes  []*sim.Node
	guests []*sim.Node
	alone  bool                                          // nodes run without a network
	change func(int, *Net)                               // of a node's configuration, may be nil
	spawn  world.Pos                                     // zero: as everywhere
	mobs   int                                           // in a region
	ahead  map[int]slewed                                // of the true time, nodes' clocks
	slow   func(of int, m machine.Message) time.Duration // until a message is sent, may be nil
	relay  func(a, b int) bool                           // whether the link between two nodes passes over a relay, may be nil
	shows  func(of int, env machine.Env) machine.Env     // what a node's regions say passes it, may be nil
	off    map[int]bool                                  // machines that are off, where the node has ended
	deaf   map[int]bool                                  // nodes that hear nothing of machines whose nodes have ended
	notes  []string                                      // what the nodes have told their people
	heeds  bool                                          // regions do what is handed over, whatever they ignore
	hears  func(of int, r *region.Region) Region         // what a node's regions hear passes it, may be nil
	signed bool                                          // players sign what they do (Region.Signed)
	orders uint64                                        // that were signed
}

// nodePeer is a node's name: its address is not zero, as those of sessions are.
func nodePeer(i int) machine.Peer {
	p := machine.Peer{ID: id.Of(fmt.Append(nil, "node ", i))}
	p.Addr[15], p.Addr[17] = 1, byte(i)
	return p
}

func newCluster(t testing.TB, seed uint64, nodes int) *cluster {
	return newClusterOn(t, seed, nodes, sim.Config{Delay: 5 * time.Millisecond, Jitter: 10 * time.Millisecond})
}

func newClusterOn(t testing.TB, seed uint64, nodes int, cfg sim.Config) *cluster {
	if cfg.Start = singleNodeStart; cfg.Carry == nil {
		cfg.Carry = overBytes(nil)
	}
	c := &cluster{TB: t, s: sim.NewWith(seed, cfg), off: map[int]bool{}, deaf: map[int]bool{}}
	for i := range nodes {
		c.addNode(i)
	}
	return c
}

// changedCluster is a cluster of nodes with changed settings, which have found each other.
func changedCluster(t testing.TB, seed uint64, nodes int, change func(i int, n *Net)) *cluster {
	c := newCluster(t, seed, 0)
	c.change = change
	c.start(nodes)
	return c
}

// start adds nodes, which find each other.
func (c *cluster) start(nodes int) {
	for i := range nodes {
		c.addNode(i)
	}
	c.s.Run(3 * time.Second)
}

// playedCluster is a cluster with a guest at the first node, who has been in for a while.
func playedCluster(t testing.TB, seed uint64, nodes int, while time.Duration) (*cluster, *wanderer) {
	t.Helper()
	c := newCluster(t, seed, 0)
	c.start(nodes)
	g := c.enterGuest(0)
	c.s.Run(while)
	return c, g
}

func (c *cluster) addNode(i int) {
	cfg := testConfig(singleNodeStart)
	if c.spawn != (world.Pos{}) {
		cfg.Lobby.Spawn, cfg.Region.Rules.Spawn = c.spawn, c.spawn
	}
	cfg.Region.Rules.Mobs, cfg.Region.Signed = c.mobs, c.signed
	cfg.Net = &Net{Config: part.Config{Self: nodePeer(i), World: id.Of([]byte("country"))}, Signer: testSigner{nodePeer(i).ID}}
	if i > 0 {
		cfg.Net.Known = []machine.Peer{nodePeer(0)}
	}
	var self *sim.Node
	self = c.s.AddAs(nodePeer(i), func(env machine.Env) machine.Machine {
		cfg := cfg
		net := *cfg.Net
		cfg.Decisions = decision.New(net.World, founderPublic)
		if i == 0 {
			cfg.Sign = func(s *decision.Statement) { s.Sign(founderKey) }
		}
		if self != nil {
			net.Self = self.Peer()
			net.Stored = self.Disk.Spaces()
		}
		net.Log = c.honest(i)
		if c.change != nil {
			c.change(i, &net)
		}
		net.Note = func(text string) {
			c.Logf("node %d: %s", i, text)
			c.notes = append(c.notes, text)
		}
		cfg.Net = &net
		if c.alone {
			cfg.Net = nil
		}
		mk := makers{
			lobby: func(env machine.Env, c lobby.Config) machine.Machine { return lobby.New(env, c) },
			region: func(rc region.Config, env machine.Env) Region {
				if c.shows != nil {
					env = c.shows(i, env)
				}
				r := region.New(rc, env)
				if c.hears != nil {
					return c.hears(i, r)
				}
				return r
			},
		}
		return newNode(cfg, pathEnv{slowEnv{flatEnv{clockEnv{env, c, i}}, c, i}, c, i}, mk)
	})
	c.nodes = append(c.nodes, self)
}

// testSigner signs as a node whose id is of no key.
type testSigner struct{ self id.ID }

func (s testSigner) Sign(statement []byte) (out copies.Signature) {
	copy(out.Key[:], s.self[:])
	sum := sha256.Sum256(append(out.Key[:], statement...))
	copy(out.Sig[:], sum[:])
	return out
}

func (s testSigner) Check(statement []byte, sig copies.Signature) (who id.ID, ok bool) {
	copy(who[:], sig.Key[:])
	return who, testSigner{who}.Sign(statement) == sig
}

// The founder's key is that of node 0.
var (
	founderKey    = ed25519.NewKeyFromSeed([]byte("the key of the founder's node 00"))
	founderPublic = [32]byte(founderKey.Public().(ed25519.PublicKey))
)

// clockEnv is a node's clock that is ahead of the true time.
type clockEnv struct {
	machine.Env
	c    *cluster
	node int
}

func (e clockEnv) Now() machine.Time {
	now := e.Env.Now()
	return now.Add(e.c.ahead[e.node].at(now))
}

// SetTimer sets a timer that is never early: a clock that is being corrected may be
// past its time by then.
func (e clockEnv) SetTimer(at machine.Time, t machine.Timer) {
	e.Env.SetTimer(at.Add(-e.c.ahead[e.node].at(e.Env.Now())), t)
}

// slewed is how far a clock is ahead, which changes as internal/net/clock corrects a
// clock: by a twentieth of the time that passes.
type slewed struct {
	from, to time.Duration
	since    machine.Time
}

func (s slewed) at(now machine.Time) time.Duration {
	return min(s.to, s.from+now.Sub(s.since)/20)
}

// Backlog implements machine.Backlogger.
func (e clockEnv) Backlog(to machine.Peer) (waiting, limit int) { return machine.Backlog(e.Env, to) }

// slowEnv lets a node say some things late, as one that has too much to do.
type slowEnv struct {
	flatEnv
	c    *cluster
	node int
}

func (e slowEnv) Send(to machine.Peer, m machine.Message) {
	if e.c.slow != nil {
		if d := e.c.slow(e.node, m); d > 0 {
			e.c.s.At(e.c.s.Now().Add(d), func() { e.c.nodes[e.node].Call(func() { e.flatEnv.Send(to, m) }) })
			return
		}
	}
	e.flatEnv.Send(to, m)
}

// addGuest adds a wanderer at a node.
func (c *cluster) addGuest(at int) *wanderer {
	i := len(c.guests)
	peer := machine.Peer{ID: id.Of(fmt.Append(nil, "session ", i))}
	c.guests = append(c.guests, c.s.AddAs(peer, func(env machine.Env) machine.Machine {
		return newWanderer(env, nodePeer(at), i, singleNodeGuests)
	}))
	return c.wanderer(i)
}

// enterGuest adds a guest and waits until it is in.
func (c *cluster) enterGuest(at int) *wanderer {
	c.Helper()
	g := c.addGuest(at)
	c.until("the guest is in", func() bool { return g.in })
	return g
}

// enterFounder does so with the founder, who plays at its own node.
func (c *cluster) enterFounder(at int) *wanderer {
	c.Helper()
	founder := c.addGuest(at)
	founder.local = true
	c.until("the founder is in", func() bool { return founder.in })
	return founder
}

func (c *cluster) wanderer(i int) *wanderer { return c.guests[i].Machine().(*wanderer) }
func (c *cluster) node(i int) *Node         { return c.nodes[i].Machine().(*Node) }

func (c *cluster) until(what string, cond func() bool) {
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

// leaderOf is the node whose shard runs; there must be no two.
func (c *cluster) leaderOf(p shards.Shard) int {
	c.Helper()
	leader := -1
	for i, n := range c.nodes {
		if n.Machine() == nil {
			continue
		}
		if h := c.node(i).net.hosting.replicas[p]; h != nil && h.group.Raft.Leads() {
			if leader >= 0 {
				c.Fatalf("%v is led by the nodes %d and %d", p, leader, i)
			}
			leader = i
		}
	}
	return leader
}

// dump says what the nodes know of a shard.
func (c *cluster) dump(p shards.Shard) {
	for i, n := range c.nodes {
		if n.Machine() == nil {
			c.Logf("node %d is down", i)
			continue
		}
		w := c.node(i).net
		if h := w.hosting.replicas[p]; h != nil {
			st := h.group.Raft.Status()
			c.Logf("node %d: leads %v, status leads %v asleep %v term %d, members %v", i, h.group.Leading, st.Leads, st.Asleep, st.Term, st.Members)
		}
		for _, r := range w.routes.All() {
			if r.Shard == p {
				c.Logf("node %d: route to %s, seeking %v, %d members", i, r.Leader.ID.Short(), r.Searching, len(r.Members))
			}
		}
	}
}

// guestWhere adds guests at one node after the other, until one has built in a region for
// which something holds, and stands still; nil: there is none.
func (c *cluster) guestWhere(holds func(at int, home shards.Shard) bool) (g *wanderer, home shards.Shard) {
	c.Helper()
	c.s.Run(3 * time.Second)
	for at := range c.nodes {
		g = c.addGuest(at)
		c.until("the guest is in", func() bool { return g.in })
		c.s.Run(20 * time.Second)
		g.quiet = true
		c.until("all acts are answered", func() bool { return len(g.pending) == 0 })
		home = shards.Shard{Region: g.home}
		if g.acted > 0 && holds(at, home) {
			return g, home
		}
	}
	return nil, home
}

// lastReads lets the last guest read what checkEdits compares.
func (c *cluster) lastReads() {
	last := len(c.guests) - 1
	c.guests[0], c.guests[last] = c.guests[last], c.guests[0]
}

// settle brings everybody back, lets the wanderers stand still and what is on
// its way arrive.
func (c *cluster) settle() {
	c.Helper()
	c.s.Cut(nil)
	for _, n := range c.nodes {
		if n.Machine() == nil {
			n.Restart()
		}
	}
	for i := range c.guests {
		c.wanderer(i).quiet = true
	}
	all := func(cond func(*wanderer) bool) func() bool {
		return func() bool {
			for i := range c.guests {
				if !cond(c.wanderer(i)) {
					return false
				}
			}
			return true
		}
	}
	c.s.Run(10 * time.Second)
	c.until("everybody is in", all(func(g *wanderer) bool { return g.in }))
	c.s.Run(2 * time.Second)
	c.until("all acts are answered", all(func(g *wanderer) bool { return g.in && len(g.pending) == 0 }))
}

func (c *cluster) up() (n int) {
	for _, x := range c.nodes {
		if x.Machine() != nil {
			n++
		}
	}
	return n
}
