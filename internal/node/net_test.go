package node

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/hall"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
	"github.com/voxelpopuli/voxelpopuli/internal/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// country is a world on several nodes, in the simulator, each with wanderers.
type country struct {
	testing.TB
	s      *sim.Sim
	nodes  []*sim.Node
	guests []*sim.Node
	alone  bool                                          // nodes run without a network
	change func(int, *Net)                               // of a node's configuration, may be nil
	spawn  world.Pos                                     // zero: as everywhere
	mobs   int                                           // in a region
	ahead  map[int]time.Duration                         // of the true time, nodes' clocks
	slow   func(of int, m machine.Message) time.Duration // until a message is sent, may be nil
	notes  []string                                      // what the nodes have told their people
}

// nodePeer is a node's name: its address is not zero, as those of sessions are.
func nodePeer(i int) machine.Peer {
	p := machine.Peer{ID: id.Of(fmt.Append(nil, "node ", i))}
	p.Addr[15], p.Addr[17] = 1, byte(i)
	return p
}

func newCountry(t testing.TB, seed uint64, nodes int) *country {
	return newCountryOn(t, seed, nodes, sim.Config{Delay: 5 * time.Millisecond, Jitter: 10 * time.Millisecond})
}

func newCountryOn(t testing.TB, seed uint64, nodes int, cfg sim.Config) *country {
	if cfg.Start = townStart; cfg.Carry == nil {
		cfg.Carry = overBytes(nil)
	}
	c := &country{TB: t, s: sim.NewWith(seed, cfg)}
	for i := range nodes {
		c.addNode(i)
	}
	return c
}

func (c *country) addNode(i int) {
	cfg := testConfig(townStart)
	if c.spawn != (world.Pos{}) {
		cfg.Hall.Spawn, cfg.Region.Rules.Spawn = c.spawn, c.spawn
	}
	cfg.Region.Rules.Mobs = c.mobs
	cfg.Net = &Net{Self: nodePeer(i), World: id.Of([]byte("country"))}
	if i > 0 {
		cfg.Net.Known = []machine.Peer{nodePeer(0)}
	}
	var self *sim.Node
	self = c.s.AddAs(nodePeer(i), func(env machine.Env) machine.Machine {
		cfg := cfg
		net := *cfg.Net
		if self != nil {
			net.Self = self.Peer()
			net.Stored = self.Disk.Spaces()
		}
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
		return New(cfg, slowEnv{flatEnv{clockEnv{env, c, i}}, c, i})
	})
	c.nodes = append(c.nodes, self)
}

// clockEnv is a node's clock that is ahead of the true time.
type clockEnv struct {
	machine.Env
	c    *country
	node int
}

func (e clockEnv) Now() machine.Time { return e.Env.Now().Add(e.c.ahead[e.node]) }

func (e clockEnv) SetTimer(at machine.Time, t machine.Timer) {
	e.Env.SetTimer(at.Add(-e.c.ahead[e.node]), t)
}

// Backlog implements machine.Backlogger.
func (e clockEnv) Backlog(to machine.Peer) (waiting, limit int) { return machine.Backlog(e.Env, to) }

// slowEnv lets a node say some things late, as one that has too much to do.
type slowEnv struct {
	flatEnv
	c    *country
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

// leaderOf is the node whose part runs; there must be no two.
func (c *country) leaderOf(p Part) int {
	c.Helper()
	leader := -1
	for i, n := range c.nodes {
		if n.Machine() == nil {
			continue
		}
		if h := c.node(i).net.hosts[p]; h != nil && h.rep.Leads() {
			if leader >= 0 {
				c.Fatalf("%v is led by the nodes %d and %d", p, leader, i)
			}
			leader = i
		}
	}
	return leader
}

// dump says what the nodes know of a part.
func (c *country) dump(p Part) {
	for i, n := range c.nodes {
		if n.Machine() == nil {
			c.Logf("node %d is down", i)
			continue
		}
		w := c.node(i).net
		if h := w.hosts[p]; h != nil {
			st := h.rep.Status()
			c.Logf("node %d: leads %v, status leads %v asleep %v term %d, members %v", i, h.leading, st.Leads, st.Asleep, st.Term, st.Members)
		}
		if r := w.routes[p]; r != nil {
			c.Logf("node %d: route to %s, seeking %v, %d members, %d tries", i, r.leader.ID.Short(), r.seeking, len(r.members), r.tries)
		}
	}
}

// checkPresence: a player is present in exactly one region, of all nodes.
func (c *country) checkPresence() {
	c.Helper()
	at := map[string][]string{}
	for i, n := range c.nodes {
		if n.Machine() == nil {
			continue
		}
		for _, p := range c.node(i).awake {
			if !c.node(i).net.hosts[Part{Region: p.pos}].rep.Leads() {
				continue
			}
			for _, name := range p.m.(*region.Region).PlayerNames() {
				at[name] = append(at[name], fmt.Sprintf("%v on node %d", p.pos, i))
			}
		}
	}
	for i := range c.guests {
		if g := c.wanderer(i); g != nil && len(at[g.name]) != 1 {
			c.Errorf("%s is in %v", g.name, at[g.name])
		}
	}
}

// TestTakeover: the node that leads the region of a player dies; another goes
// on with everything that was acknowledged, and the player plays on.
func TestTakeover(t *testing.T) {
	c := newCountry(t, 1, 3)
	c.s.Run(5 * time.Second)
	g := c.addGuest(0)
	c.until("the guest is in", func() bool { return g.in })
	c.until("the guest is in a region of another node, which two more keep", func() bool {
		l := c.leaderOf(Part{Region: g.home})
		return l > 0 && len(c.node(l).net.hosts[Part{Region: g.home}].members()) == 3
	})
	home := Part{Region: g.home}
	leader := c.leaderOf(home)
	if leader < 0 {
		c.dump(home)
		t.Fatal("nobody leads")
	}
	t.Logf("region %v and the hall are led by the nodes %d and %d", g.home, leader, c.leaderOf(theHall))
	entries := g.entries
	c.nodes[leader].Crash()
	c.until("the guest is in again", func() bool { return g.entries > entries && g.in })
	c.dump(home)
	c.until("the guest builds again", func() bool { c.s.Run(time.Second); return g.acted > 3 })
}

// settle brings everybody back, lets the wanderers stand still and what is on
// its way arrive.
func (c *country) settle() {
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

// checkEdits reads the world through one of the sessions and compares it with
// what was acknowledged.
func (c *country) checkEdits() (edits int) {
	c.Helper()
	reader := c.wanderer(0)
	where := map[world.RegionPos]bool{}
	for i := range c.guests {
		for at := range c.wanderer(i).edits {
			where[at.Column().Region()] = true
		}
	}
	asked := false
	c.guests[0].Call(func() {
		asked = true
		clear(reader.columns)
		for pos := range where {
			reader.watch(pos, region.RateNone)
			reader.watch(pos, region.RateEvery)
		}
	})
	c.until("all columns are there", func() bool {
		read := map[world.RegionPos]int{}
		for at := range reader.columns {
			read[at.Region()]++
		}
		for pos := range where {
			if read[pos] < world.Columns {
				return false
			}
		}
		return asked
	})
	for i := range c.guests {
		g := c.wanderer(i)
		for at, e := range g.edits {
			got := reader.columns[at.Column()].At(int(at.X&31), int(at.Y), int(at.Z&31))
			if e.sure && got != e.block {
				c.Errorf("%s: %v in %v is %v, but %v was acknowledged", g.name, at, at.Column().Region(), got, e.block)
			}
			if got == world.Bricks {
				edits++
			}
		}
	}
	return edits
}

// trouble of several nodes.
type calamity func(*country)

// crashSome crashes a node, or lets one that is down start again.
func crashSome(c *country) {
	n := c.nodes[c.s.Rand().Intn(len(c.nodes))]
	if n.Machine() == nil {
		n.Restart()
	} else if c.up() > 3 {
		n.Crash()
	}
}

// cutSome cuts one or two nodes off from the others, perhaps in one direction
// only, or ends that.
func cutSome(c *country) {
	r := c.s.Rand()
	if r.OneIn(3) {
		c.s.Cut(nil)
		return
	}
	off := map[id.ID]bool{nodePeer(r.Intn(len(c.nodes))).ID: true}
	if r.OneIn(2) {
		off[nodePeer(r.Intn(len(c.nodes))).ID] = true
	}
	oneWay := r.OneIn(3)
	c.s.Cut(func(a, b machine.Peer) bool {
		if a.Addr.IsZero() || b.Addr.IsZero() { // sessions are with their node
			return false
		}
		return off[a.ID] && !off[b.ID] || !oneWay && off[b.ID] && !off[a.ID]
	})
}

// live lets wanderers live through calamities, and checks that no acknowledged
// edit is lost, a player is present in one region, and a part has one leader.
func (c *country) live(times int, happen ...calamity) (edits int) {
	c.s.Run(3 * time.Second)
	for i := range townGuests {
		c.addGuest(i % len(c.nodes))
	}
	c.s.Run(5 * time.Second)
	r := c.s.Rand()
	for range times {
		c.s.Run(time.Duration(1+r.Intn(8000)) * time.Millisecond)
		happen[r.Intn(len(happen))](c)
		for range 5 {
			c.s.Run(100 * time.Millisecond)
			c.checkLeaders()
		}
	}
	c.settle()
	c.checkLeaders()
	c.checkPresence()
	return c.checkEdits()
}

// checkLeaders: no part has two leaders.
func (c *country) checkLeaders() {
	c.Helper()
	parts := map[Part]bool{}
	for i, n := range c.nodes {
		if n.Machine() != nil {
			for p := range c.node(i).net.hosts {
				parts[p] = true
			}
		}
	}
	for p := range parts {
		c.leaderOf(p)
	}
}

// TestCountry: nodes crash and come back at random moments. Of a failure run
// one seed again with SEED=n.
func TestCountry(t *testing.T) {
	edits := 0
	for _, seed := range seeds(t, 4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			edits += newCountry(t, seed, 5).live(6, crashSome)
		})
	}
	t.Logf("%d blocks stand", edits)
	if edits == 0 {
		t.Fatal("nobody built")
	}
}

// wide is a network with latencies from 2 to 200 ms, where nobody hears of a
// crash or a cut before a timeout, and datagrams are lost.
func wide() sim.Config {
	return sim.Config{Internet: &sim.Internet{
		Min: 2 * time.Millisecond, Max: 200 * time.Millisecond, Shape: 1.5, Header: 100, Segment: 40,
		Loss: 0.02, Ping: time.Second, Timeout: 3 * time.Second,
	}}
}

// TestPartitions: nodes are cut off from each other, also in one direction
// only, and crash.
func TestPartitions(t *testing.T) {
	edits := 0
	for _, seed := range seeds(t, 4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			edits += newCountryOn(t, seed, 5, wide()).live(6, crashSome, cutSome, cutSome)
		})
	}
	t.Logf("%d blocks stand", edits)
	if edits == 0 {
		t.Fatal("nobody built")
	}
}

func (c *country) up() (n int) {
	for _, x := range c.nodes {
		if x.Machine() != nil {
			n++
		}
	}
	return n
}

// TestLeave: a node that stops in good order hands over what it leads, also
// where it is the only member of a group; players of other nodes go on where
// they stand, with all that they built.
func TestLeave(t *testing.T) {
	for _, nodes := range []int{2, 4} {
		t.Run(fmt.Sprint(nodes, " nodes"), func(t *testing.T) {
			c := newCountry(t, 3, nodes)
			c.s.Run(3 * time.Second)
			for i := range nodes {
				c.addGuest(i)
			}
			c.s.Run(20 * time.Second)
			leader := c.leaderOf(Part{Region: spawn.Region()})
			stay := (leader + 1) % nodes
			g := c.wanderer(stay)
			done, at := false, c.s.Now()
			c.nodes[leader].Call(func() {
				c.node(leader).Shutdown(func(err error) {
					if done = true; err != nil {
						t.Error(err)
					}
				})
			})
			c.until("the shutdown ends", func() bool { return done })
			if took := c.s.Now().Sub(at); took >= handOverTime {
				t.Errorf("handing over took %v", took)
			}
			c.nodes[leader].Crash()
			c.until("the guest builds again", func() bool { c.s.Run(time.Second); return g.in && g.acted > 3 })
			for p := range c.node(stay).net.routes {
				if c.leaderOf(p) == leader {
					t.Errorf("%v is still led by the node that has gone", p)
				}
			}
			c.guests[0], c.guests[stay] = c.guests[stay], c.guests[0]
			c.guests = slices.DeleteFunc(c.guests, func(n *sim.Node) bool { return n.Machine().(*wanderer).node == nodePeer(leader) })
			for i := range c.guests {
				c.wanderer(i).quiet = true
			}
			c.s.Run(5 * time.Second)
			c.until("the homes of all hear them", func() bool { // one may just have got another host
				for i := range c.guests {
					if g := c.wanderer(i); g == nil || !g.in || c.s.Now().Sub(g.heard) > time.Second {
						return false
					}
				}
				return true
			})
			c.checkEdits()
			c.checkPresence()
		})
	}
}

// TestAdoption: a world that had one node is shared: what is on that node's
// disk is hosted by groups, with all that was built, also where nobody is.
func TestAdoption(t *testing.T) {
	c := &country{TB: t, s: sim.NewWith(5, sim.Config{Start: townStart, Delay: 5 * time.Millisecond, Carry: overBytes(nil)}), alone: true}
	c.addNode(0)
	for range 3 {
		c.addGuest(0)
	}
	c.s.Run(40 * time.Second)
	for i := range c.guests {
		c.wanderer(i).quiet = true
	}
	c.s.Run(2 * time.Second)
	c.alone = false
	c.nodes[0].Restart()
	c.addNode(1)
	c.addNode(2)
	c.settle()
	had := 0
	for _, space := range c.nodes[0].Disk.Spaces() {
		p, ok := partIn(space)
		if !ok {
			continue
		}
		had++
		c.until(p.String()+" has three hosts", func() bool {
			for i := range c.nodes {
				if h := c.node(i).net.hosted(p); h == nil || len(h.members()) != 3 {
					return false
				}
			}
			return true
		})
	}
	if had < 2 {
		t.Fatalf("%d parts were stored", had)
	}
	c.nodes[0].Crash()
	c.s.Run(5 * time.Second)
	reader := c.addGuest(1)
	reader.quiet = true
	c.until("a reader is in", func() bool { return reader.in })
	c.guests[0], c.guests[3] = c.guests[3], c.guests[0]
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
}

// TestOthersParts: a node cannot speak for a part that it does not host.
func TestOthersParts(t *testing.T) {
	c := newCountry(t, 1, 4)
	c.s.Run(3 * time.Second)
	g := c.addGuest(0)
	c.until("the guest is in", func() bool { return g.in })
	c.s.Run(10 * time.Second)
	home := Part{Region: g.home}
	leader := c.leaderOf(home)
	if leader < 0 {
		t.Fatal("nobody leads")
	}
	p := world.NewPlayer(id.Of([]byte("nobody")), "nobody", world.Creative, spawn.Centre())
	p.Epoch = 9
	offer := &region.Handover{Player: p.ID, Epoch: 9, State: p.AppendBinary(nil)}
	lie := &Routed{To: home, From: Part{Region: world.RegionPos{X: g.home.X + 1, Z: g.home.Z}}, Msg: offer}
	liar := -1
	for i := range c.nodes {
		if !c.node(leader).net.speaksFor(nodePeer(i), lie.From) && i != leader {
			liar = i
		}
	}
	if liar < 0 {
		t.Fatal("everybody hosts the neighbour")
	}
	say := func(m machine.Message) {
		c.nodes[liar].Call(func() { c.node(liar).net.send(nodePeer(leader), m) })
		c.s.Run(12 * time.Second)
	}
	say(lie)
	say(&Routed{To: theHall, From: home, Session: id.ID{}, Msg: &hall.Enter{Player: p.ID, Name: "nobody", Local: true}})
	say(&Routed{To: home, From: home, Msg: offer})
	for i := range c.nodes {
		for _, q := range c.node(i).awake {
			if slices.Contains(q.m.(*region.Region).PlayerNames(), "nobody") {
				t.Errorf("node %d has taken over a player from a node that hosts nothing there", i)
			}
		}
	}
	c.checkPresence()
}

// TestSameSeedSameCountry: the same seed gives the same events on all nodes.
func TestSameSeedSameCountry(t *testing.T) {
	run := func() uint64 {
		c := newCountryOn(t, 3, 4, wide())
		c.s.Run(3 * time.Second)
		for i := range 3 {
			c.addGuest(i)
		}
		for range 3 {
			c.s.Run(5 * time.Second)
			crashSome(c)
			cutSome(c)
		}
		c.s.Run(10 * time.Second)
		return c.s.Trace()
	}
	if a, b := run(), run(); a != b {
		t.Fatalf("traces %x and %x", a, b)
	}
}
