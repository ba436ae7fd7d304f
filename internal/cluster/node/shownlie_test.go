package node

import (
	"crypto/ed25519"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// evidenceAgainst is evidence against a node that has put gold into an empty region.
func evidenceAgainst(t *testing.T, of id.ID, node int) (proof *regionlog.Proof) {
	a := regionlog.NewArea(world.AreaConfig{Seed: 7}, world.RegionPos{X: 200}, false)
	for i := range world.Columns {
		a.SetColumn(&world.Column{Pos: a.Pos().Column(i)})
	}
	var r *regionlog.Replayer
	key := logKey(node)
	a.Record(&regionlog.Signing{World: of, Key: [32]byte(key.Public().(ed25519.PublicKey)), Sign: func(b []byte) [64]byte { return [64]byte(ed25519.Sign(key, b)) }},
		func(out *regionlog.Output) {
			if r == nil {
				r, _ = regionlog.NewReplayer(out.Checkpoint, out.State)
			} else if proof == nil {
				proof, _ = r.Entry(out.Entry, out.Checkpoint)
			}
		})
	for tick := range uint64(2 * regionlog.Every) {
		a.Tick(tick+1, nil)
		if tick == 5 {
			a.Area.Revert([]world.BlockChange{{At: world.Pos{X: 200 * world.RegionSize, Y: 70}, Was: world.GoldOre}})
		}
		a.EndTick(machine.Time(tick))
	}
	if proof == nil {
		t.Fatal("nothing is proven")
	}
	return proof
}

// showEnv is the way out of a region whose node shows a session something else.
type showEnv struct {
	machine.Env
	lie *shownLie
}

// shownLie is what a node shows one session: change changes a message; nil: no more.
type shownLie struct {
	of     int // node
	change func(m machine.Message) machine.Message
	to     id.ID // session
}

func (e showEnv) Send(to machine.Peer, m machine.Message) {
	if e.lie.change != nil && to.ID == e.lie.to {
		m = e.lie.change(m)
	}
	e.Env.Send(to, m)
}

func (e showEnv) Backlog(to machine.Peer) (waiting, limit int) { return machine.Backlog(e.Env, to) }

// gold is a frame with a block of gold instead of what the frame has.
func gold(f *region.Frame, at world.Pos) *region.Frame {
	e := frame.CellEncoder{Buf: frame.AppendCount(nil, 1)}
	e.Begin(uint8(at.Column().Index()), false)
	e.Block(frame.Block{Place: frame.Place(at), Block: world.GoldOre})
	e.End()
	lie := *f
	lie.Cells = e.Buf
	return &lie
}

// shownCluster is a cluster whose first node has a guest, and the leader of the guest's
// region, another node, which lies in what it shows.
func shownCluster(t *testing.T, seed uint64, carry func(*cluster, machine.Message) machine.Message) (c *cluster, g *wanderer, lie *shownLie, built world.Pos) {
	return shownClusterOf(t, seed, 1, carry)
}

// shownClusterOf is one with several guests at the first node, who watch the same region.
func shownClusterOf(t *testing.T, seed uint64, guests int, carry func(*cluster, machine.Message) machine.Message) (c *cluster, g *wanderer, lie *shownLie, built world.Pos) {
	lie = &shownLie{of: -1}
	cfg := sim.Config{Delay: 5 * time.Millisecond, Jitter: 10 * time.Millisecond}
	if carry != nil {
		bytes := overBytes(nil)
		cfg.Carry = func(m machine.Message) machine.Message { return carry(c, bytes(m)) }
	}
	c = newClusterOn(t, seed, 0, cfg)
	c.mobs = 4
	c.change = func(i int, n *Net) { n.Log = logKeys(i, nil) }
	c.shows = func(of int, env machine.Env) machine.Env { return liarEnv{showEnv{env, lie}, of} }
	c.start(5)
	var all []*wanderer
	for range guests {
		all = append(all, c.enterGuest(0))
	}
	g = all[0]
	c.s.Run(20 * time.Second)
	lie.of, built = c.liarFor(g)
	for i, w := range all {
		c.guests[i].Call(func() { w.session.watch(built.Region(), region.RateEvery) })
	}
	c.s.Run(3 * time.Second)
	return c, g, lie, built
}

// liarEnv lets only the node that lies lie.
type liarEnv struct {
	showEnv
	of int
}

func (e liarEnv) Send(to machine.Peer, m machine.Message) {
	if e.of == e.lie.of {
		e.showEnv.Send(to, m)
		return
	}
	e.Env.Send(to, m)
}

// TestShownLie: a leader that shows a player something else than it signs is convicted by
// the player's node within two seconds, and by the others, who are sent the proof; another
// leads. So is one that shows another player of the same node the truth.
func TestShownLie(t *testing.T) {
	for k, name := range []string{"a block of nobody", "an old state", "a block of nobody to one of two", "an old state to one of two"} {
		t.Run(name, func(t *testing.T) {
			name, toOne := strings.CutSuffix(name, " to one of two")
			guests := 1
			if toOne {
				guests = 2
			}
			c, g, lie, built := shownClusterOf(t, uint64(k+3), guests, nil)
			liar, home := lie.of, shards.Shard{Region: g.home}
			if n := c.node(0).Stats().ColumnsCompared; n < 16 {
				t.Fatalf("%d columns compared", n)
			}
			began := c.s.Now()
			lie.to = id.Of([]byte("session 0"))
			told := false
			var seen frame.Frame
			lie.change = func(m machine.Message) machine.Message {
				switch m := m.(type) {
				case *region.Frame:
					if name == "a block of nobody" && !told && m.Region == built.Region() {
						told = true
						return gold(m, built.Add(0, 9, 0))
					}
					if name == "an old state" && len(m.Cells) > 1 { // nothing happens any more
						if seen.DecodeCells(m.Cells) == nil && !told && slices.ContainsFunc(seen.Cells, func(c frame.Cell) bool { return len(c.Blocks) > 0 }) {
							told, began = true, c.s.Now()
						}
						f := *m
						f.Cells = frame.NoCells
						return &f
					}
				}
				return m
			}
			c.until("the player's node convicts it", func() bool { return c.node(0).net.convicted.Has(nodePeer(liar).ID) })
			t.Logf("convicted after %v", c.s.Now().Sub(began))
			if d := c.s.Now().Sub(began); d > 2*time.Second {
				t.Errorf("convicted after %v", d)
			}
			c.until("the others convict it", func() bool { return c.convicted(liar) == 4 })
			c.until("another leads", func() bool { l := c.leaderOf(home); return l >= 0 && l != liar })
			t.Logf("replaced after %v", c.s.Now().Sub(began))
			g.acted = 0
			c.until("the guest builds", func() bool { return g.in && g.acted >= 3 })
			if !slices.ContainsFunc(c.notes, func(s string) bool { return strings.Contains(s, "other blocks than it has signed") }) {
				t.Errorf("notes %q", c.notes)
			}
			for i := range c.nodes {
				if n := c.convicted(i); i != liar && n > 0 {
					t.Errorf("node %d, which is honest, is convicted by %d", i, n)
				}
			}
		})
	}
}

// TestShownUnsigned: a leader that sends something else than it signs that it has sent is
// not convicted, for nothing is proven; the player is shown the region anew.
func TestShownUnsigned(t *testing.T) {
	var at world.Pos
	told := 0
	c, g, lie, built := shownCluster(t, 9, func(c *cluster, m machine.Message) machine.Message {
		if w, ok := m.(*ToWatchers); ok && at != (world.Pos{}) && w.Region == at.Region() && told == 0 {
			told++
			f := gold(&region.Frame{Region: w.Region, Tick: w.Tick, Cells: w.Cells}, at)
			x := *w
			x.Cells = f.Cells
			return &x
		}
		return m
	})
	at = built.Add(0, 9, 0)
	c.until("it is noticed", func() bool { return told > 0 && c.node(0).Stats().ShownUnsigned > 0 })
	view := func() *regionlog.View { return c.node(0).net.shown.View(at.Region()) }
	c.until("the block is gone", func() bool { b, ok := view().Block(id.Of([]byte("session 0")), at); return ok && b == world.Air })
	c.s.Run(10 * time.Second)
	if n := c.convicted(lie.of); n > 0 || !g.in {
		t.Errorf("convicted by %d", n)
	}
}

// TestShownUnsignedToFollowers: a leader that shows players at both followers something else
// than it signs loses the lead: each of them has seen it itself. While it is only one, the
// leader leads on.
func TestShownUnsignedToFollowers(t *testing.T) {
	liar, lied := -1, map[id.ID]bool{}
	var at world.Pos
	c, _, lie, built := shownCluster(t, 9, func(c *cluster, m machine.Message) machine.Message {
		w, ok := m.(*ToWatchers)
		if !ok || liar < 0 || w.Region != at.Region() || !slices.ContainsFunc(w.To, func(x Watcher) bool { return lied[x.Session] }) {
			return m
		}
		x := *w
		x.Cells = gold(&region.Frame{}, at).Cells
		return &x
	})
	home := shards.Shard{Region: built.Region()}
	var sessions []id.ID // at the followers
	for _, i := range c.hostsOf(home) {
		if i == lie.of {
			continue
		}
		w := c.addGuest(i)
		k := len(c.guests) - 1
		c.until("another guest is in", func() bool { return w.in })
		c.guests[k].Call(func() { w.session.watch(built.Region(), region.RateEvery) })
		sessions = append(sessions, id.Of(fmt.Append(nil, "session ", k)))
	}
	c.s.Run(5 * time.Second)
	if c.leaderOf(home) != lie.of || len(sessions) != 2 {
		t.Fatalf("node %d leads, %d guests at followers", c.leaderOf(home), len(sessions))
	}
	at, liar = built.Add(0, 9, 0), lie.of
	lied[sessions[0]] = true
	c.s.Run(30 * time.Second)
	if c.leaderOf(home) != liar {
		t.Error("one follower alone has removed the leader")
	}
	lied[sessions[1]] = true
	began := c.s.Now()
	c.until("another leads", func() bool { l := c.leaderOf(home); return l >= 0 && l != liar })
	t.Logf("another leads after %v", c.s.Now().Sub(began))
	if n := c.convicted(liar); n > 0 {
		t.Errorf("convicted by %d, and nothing is proven", n)
	}
}

// TestWithheldLog: a leader that runs a region and sends nobody its log loses the lead, and
// is not convicted.
func TestWithheldLog(t *testing.T) {
	c, g, lie, _ := shownCluster(t, 4, nil)
	home := shards.Shard{Region: g.home}
	c.slow = func(of int, m machine.Message) time.Duration {
		switch m.(type) {
		case *accountability.LogEntries, *accountability.LogState, *accountability.Shown:
			if of == lie.of {
				return time.Hour
			}
		}
		return 0
	}
	g.quiet = true
	began := c.s.Now()
	c.until("another leads", func() bool { l := c.leaderOf(home); return l >= 0 && l != lie.of })
	if d := c.s.Now().Sub(began); d < accountability.WithheldAfter/2 || d > 3*accountability.WithheldAfter {
		t.Errorf("another leads after %v", d)
	}
	if n := c.convicted(lie.of); n > 0 {
		t.Errorf("convicted by %d, and nothing is proven", n)
	}
	g.quiet, g.acted = false, 0
	c.until("the guest builds", func() bool { return g.in && g.acted >= 3 })
}

// TestLogWithheldFromOne: a leader that signs what it shows, and sends one of its followers
// no log, is suspected by that one, and not convicted.
func TestLogWithheldFromOne(t *testing.T) {
	c, g, lie, _ := shownCluster(t, 4, nil)
	starved := -1
	for _, i := range c.hostsOf(shards.Shard{Region: g.home}) {
		if i != lie.of {
			starved = i
		}
	}
	before := c.node(starved).Stats().Suspected
	c.sendsNoLog(lie.of, starved)
	g.quiet = true
	began := c.s.Now()
	c.until("it is suspected", func() bool { return c.node(starved).Stats().Suspected > before })
	if d := c.s.Now().Sub(began); d < accountability.WithheldAfter || d > accountability.WithheldAfter+time.Minute {
		t.Errorf("suspected after %v", d)
	} else {
		t.Logf("suspected after %v", d)
	}
	if n := c.convicted(lie.of); n > 0 {
		t.Errorf("convicted by %d, and nothing is proven", n)
	}
}

// sendsNoLog lets a node send another no log of any region.
func (c *cluster) sendsNoLog(of, to int) {
	links := c.node(of).net.links
	links.Env = noLogEnv{links.Env, nodePeer(to).ID}
}

// noLogEnv is the way out of a node that sends another no log.
type noLogEnv struct {
	machine.Env
	to id.ID
}

func (e noLogEnv) Send(to machine.Peer, m machine.Message) {
	switch m.(type) {
	case *accountability.LogEntries, *accountability.LogState:
		if to.ID == e.to {
			return
		}
	}
	e.Env.Send(to, m)
}
