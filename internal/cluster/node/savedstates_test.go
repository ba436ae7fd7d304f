package node

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// TestStateIsRestored: the founder finds the state that a region had when its first copy
// was made, with those who keep copies, and has the region put back to it while somebody
// is there: what was built since is gone, and one can build on.
func TestStateIsRestored(t *testing.T) {
	c := newCluster(t, 1, 20)
	c.s.Run(3 * time.Second)
	g := c.addGuest(5)
	c.until("the guest is in", func() bool { return g.in })
	c.until("it builds", func() bool { return g.acted > 0 })
	c.s.Run(15 * time.Second) // a copy is made
	g.quiet = true
	c.until("all acts are answered", func() bool { return len(g.pending) == 0 })
	c.s.Run(10 * time.Second)
	home := shards.Shard{Region: g.home}
	c.buildsOn(g, g.acted+6)
	c.s.Run(10 * time.Second)
	founder, stranger := -1, -1 // neither leads it, nor has a copy
	for i := range c.nodes {
		if _, kept := c.node(i).net.copies.spare(home); kept || c.node(i).net.hosting.hosts(home) {
			continue
		}
		if founder < 0 {
			founder = i
		} else {
			stranger = i
		}
	}
	for i := range c.nodes {
		c.node(i).net.cfg.Founder = nodePeer(founder).ID
	}
	find := func(i int) (out []HeldState) {
		done := false
		c.nodes[i].Call(func() { c.node(i).States(home.Region, func(l []HeldState) { out, done = l, true }) })
		c.until("it is known which states there are", func() bool { return done })
		return out
	}
	restore := func(i int, state HeldState) (out StateRestored) {
		done := false
		c.nodes[i].Call(func() {
			c.node(i).RestoreState(state, false, func(m StateRestored) { out, done = m, true })
		})
		c.until("it is restored, or not", func() bool { return done })
		return out
	}
	states := find(founder)
	if len(states) != spareHolders || states[0].Aside || states[0].Bytes == 0 || len(find(stranger)) != 0 {
		t.Fatalf("states: %+v; a stranger finds %+v", states, find(stranger))
	}
	if m := restore(stranger, states[0]); !m.Failed {
		t.Errorf("a stranger restores it: %+v", m)
	}
	other := states[0]
	other.Index++
	if m := restore(founder, other); !m.Failed {
		t.Errorf("a state that nobody has is restored: %+v", m)
	}
	m := restore(founder, states[0])
	if m.Failed || m.Changed == 0 || m.Kept > 0 {
		t.Errorf("restored: %+v", m)
	}
	if again := restore(founder, states[0]); again.Failed || again.Changed > 0 {
		t.Errorf("restored again: %+v", again)
	}
	for i := range c.guests { // what it has built since is not as it was acknowledged
		clear(c.wanderer(i).edits)
	}
	c.rebuilds(g)
}

// TestDatedCopies: of a shard that changes all the time, states of the last days stay, the
// older the fewer, and never none for long.
func TestDatedCopies(t *testing.T) {
	now := machine.Time(1000 * time.Hour)
	cfg := part.Config{}.WithDefaults()
	c := &copies{Part: part.Part{Env: &stoppedEnv{now: &now}, Cfg: &cfg}, disk: &jobs{}, reads: map[uint64]func([]machine.KV, error){}}
	p := shards.Shard{Region: world.RegionPos{X: 3}}
	for n := range 24 * 30 {
		now = now.Add(time.Hour)
		var s savedCopy
		s.shard, s.proof = p, copyProof{byte(n), byte(n >> 8)}
		s.Retired = true
		c.date(s, []machine.KV{{Key: []byte{1}, Value: []byte{byte(n)}}})
		for tag, then := range c.reads {
			then(nil, nil)
			delete(c.reads, tag)
		}
		c.next = 0
		c.beat(now)
		var ages []time.Duration
		for _, s := range c.list {
			ages = append(ages, now.Sub(s.at))
		}
		if len(ages) > 7 || n > 24*10 && (len(ages) < 4 || ages[len(ages)-1] >= dateEvery) {
			t.Fatalf("after %d hours: %v", n, ages)
		}
		day := false
		for _, a := range ages {
			day = day || a >= 18*time.Hour && a <= 60*time.Hour
		}
		if n > 24*3 && !day {
			t.Fatalf("after %d hours nothing of the day before is left: %v", n, ages)
		}
	}
}

// stoppedEnv is an environment of which only the time is used.
type stoppedEnv struct {
	machine.Env
	now *machine.Time
}

func (e *stoppedEnv) Now() machine.Time { return *e.now }

// TestOvertakenChangesAreApplied: a region is continued from a copy while its hosts are cut
// off, and the same block is changed on both sides. The hosts' block stays, and the other
// change is kept: the founder finds it without knowing the region, sees what it would
// change, and has it made. The name by which it is found stays the same.
func TestOvertakenChangesAreApplied(t *testing.T) {
	c, g, home := sevenPlayedIn(t, 1)
	if g == nil {
		t.Fatal("all nodes host something")
	}
	hosts := c.hostsOf(home)
	c.s.Cut(func(a, b machine.Peer) bool {
		return !a.Addr.IsZero() && !b.Addr.IsZero() && slices.Contains(hosts, c.indexOf(a)) != slices.Contains(hosts, c.indexOf(b))
	})
	leads := func(host bool) int {
		return slices.IndexFunc(c.nodes, func(n *sim.Node) bool {
			i := c.indexOf(n.Peer())
			return slices.Contains(hosts, i) == host && slices.Contains(c.leaders(home), i)
		})
	}
	g.quiet = false
	c.until("it is continued", func() bool { return leads(false) >= 0 })
	at := home.Region.Column(0).Origin().Add(5, 200, 5)
	build := func(i int, block world.Block) {
		made := false
		c.nodes[i].Call(func() {
			c.node(i).net.merges.make(home, []world.BlockChange{{At: at, Was: world.Air, Now: block}}, func(n int) { made = n == 1 })
		})
		c.until("it is built", func() bool { return made })
	}
	build(leads(false), world.Bricks)
	for i := range hosts {
		c.nodes[hosts[i]].Call(func() { c.node(hosts[i]).net.hosting.wake(home) })
	}
	c.until("a host leads", func() bool { return leads(true) >= 0 })
	build(leads(true), world.Glass)
	g.quiet = true
	c.s.Cut(nil)
	c.until("changes are kept", func() bool { return c.noted("are put aside, since others have changed those blocks") > 0 })
	c.until("the guest is in", func() bool { return g.in && len(g.pending) == 0 })
	founder := c.indexOf(c.nodes[0].Peer())
	for i := range c.nodes {
		c.node(i).net.cfg.Founder = nodePeer(founder).ID
	}
	find := func() (out []HeldState) {
		done := false
		c.nodes[founder].Call(func() { c.node(founder).Aside(func(l []HeldState) { out, done = l, true }) })
		c.until("it is known what was put aside", func() bool { return done })
		return slices.DeleteFunc(out, func(s HeldState) bool { return !s.Changes })
	}
	restore := func(state HeldState, show bool) (out StateRestored) {
		done := false
		c.nodes[founder].Call(func() {
			c.node(founder).RestoreState(state, show, func(m StateRestored) { out, done = m, true })
		})
		c.until("it is restored, or not", func() bool { return done })
		return out
	}
	kept := find()
	if len(kept) != 1 || kept[0].Region != home.Region || kept[0].Name() != find()[0].Name() {
		t.Fatalf("kept: %+v", kept)
	}
	for range 2 { // showing it changes nothing
		if m := restore(kept[0], true); m.Failed || m.Changed != 1 || m.Low != at || m.High != at {
			t.Errorf("shown: %+v", m)
		}
	}
	if m := restore(kept[0], false); m.Failed || m.Changed != 1 || m.Kept != 0 {
		t.Errorf("applied: %+v", m)
	}
	if m := restore(kept[0], true); m.Failed || m.Changed != 0 {
		t.Errorf("applied again it would change something: %+v", m)
	}
}

// TestKeptChangesAreNoState: a list of changes is not taken for a state that a shard could be
// continued from, and decodes as what was kept.
func TestKeptChangesAreNoState(t *testing.T) {
	now := machine.Time(1000 * time.Hour)
	cfg := part.Config{}.WithDefaults()
	var written []machine.KV
	c := &copies{Part: part.Part{Env: &stoppedEnv{now: &now}, Cfg: &cfg}, disk: &jobs{}, reads: map[uint64]func([]machine.KV, error){}}
	p := shards.Shard{Region: world.RegionPos{X: -3, Z: 2}}
	at := p.Region.Column(5).Origin().Add(3, 70, 9)
	changes := []world.BlockChange{{At: at, Was: world.Air, Now: world.Bricks}, {At: at.Add(1, 0, 0), Was: world.Stone, Now: world.Air}}
	aside := savedCopy{shard: p}
	aside.Gen.Number, aside.Index = 1, 7
	c.keep(aside, changes)
	for tag, then := range c.reads {
		then(nil, nil)
		delete(c.reads, tag)
	}
	if _, ok := c.newest(p); ok || len(c.list) != 1 || !c.list[0].isKept() || c.list[0].isDated() || c.list[0].isOrigin() {
		t.Fatalf("%+v", c.list)
	}
	if back, ok := decodeCopy(c.list[0].Space, c.list[0].encode()); !ok || !back.isKept() {
		t.Errorf("after a restart it is %+v", back)
	}
	written = encodeKept(changes)
	if got, ok := decodeKept(p.Region, written); !ok || !slices.Equal(got, changes) {
		t.Errorf("%v %v", got, ok)
	}
	if _, ok := decodeKept(world.RegionPos{}, written); ok {
		t.Error("changes of another region are taken")
	}
}
