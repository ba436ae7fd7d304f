package node

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// singleNode is a node with wanderers, in the simulator.
type singleNode struct {
	testing.TB
	s       *sim.Sim
	node    *sim.Node
	guests  []*sim.Node
	players int // most that a check has found
}

const singleNodeGuests = 5

func newSingleNode(t testing.TB, seed uint64) *singleNode {
	return newSingleNodeOn(t, seed, testConfig(singleNodeStart), func(cfg Config, env machine.Env) machine.Machine { return New(cfg, flatEnv{env}) })
}

const singleNodeStart = machine.Time(1000 * time.Hour)

func newSingleNodeOn(t testing.TB, seed uint64, cfg Config, build func(Config, machine.Env) machine.Machine) *singleNode {
	w := &singleNode{TB: t, s: sim.NewWith(seed, sim.Config{Start: singleNodeStart, Delay: 5 * time.Millisecond, Jitter: 10 * time.Millisecond})}
	w.node = w.s.Add(func(env machine.Env) machine.Machine { return build(cfg, env) })
	for i := range singleNodeGuests {
		peer := machine.Peer{ID: id.Of(fmt.Append(nil, "session ", i))}
		w.guests = append(w.guests, w.s.AddAs(peer, func(env machine.Env) machine.Machine {
			return newWanderer(env, w.node.Peer(), i, singleNodeGuests)
		}))
	}
	return w
}

func (w *singleNode) wanderer(i int) *wanderer { return w.guests[i].Machine().(*wanderer) }

func (w *singleNode) n() *Node { return w.node.Machine().(*Node) }

func (w *singleNode) until(what string, cond func() bool) {
	w.Helper()
	if !w.s.RunUntil(cond, time.Minute) {
		for i := range w.guests {
			g := w.wanderer(i)
			w.Logf("%s: link %v, in %v, home %v, %d pending, refused %v", g.name, g.link, g.in, g.home, len(g.pending), g.refused)
		}
		w.Fatalf("%s: not within a minute", what)
	}
}

func (w *singleNode) all(cond func(*wanderer) bool) func() bool {
	return func() bool {
		for i := range w.guests {
			if !cond(w.wanderer(i)) {
				return false
			}
		}
		return true
	}
}

// settle lets the wanderers stand still and what is on its way arrive.
func (w *singleNode) settle() {
	for i := range w.guests {
		w.wanderer(i).quiet = true
	}
	w.until("everybody is in", w.all(func(g *wanderer) bool { return g.in }))
	w.s.Run(2 * time.Second)
	w.until("all acts are answered", w.all(func(g *wanderer) bool { return g.in && len(g.pending) == 0 }))
}

// checkPresence: a player is present in exactly one region.
func (w *singleNode) checkPresence() {
	w.Helper()
	total := 0
	for _, r := range w.n().Stats().Regions {
		total += r.Figures.Players
	}
	if total != len(w.guests) {
		w.Fatalf("%d players are in the regions, %d are online", total, len(w.guests))
	}
	w.players = max(w.players, total)
}

// checkEdits reads the world through one of the sessions and compares it with
// what was acknowledged.
func (w *singleNode) checkEdits() (edits int) {
	w.Helper()
	reader := w.wanderer(0)
	w.guests[0].Call(func() {
		clear(reader.columns)
		for x := int32(-2); x <= 3; x++ {
			for z := int32(-2); z <= 3; z++ {
				reader.watch(world.RegionPos{X: x, Z: z}, region.RateNone)
				reader.watch(world.RegionPos{X: x, Z: z}, region.RateEvery)
			}
		}
	})
	w.until("all columns are there", func() bool { return len(reader.columns) == 36*world.Columns })
	for i := range w.guests {
		for at, e := range w.wanderer(i).edits {
			c := reader.columns[at.Column()]
			if c == nil {
				w.Fatalf("%v is beyond what was read", at)
			}
			got := c.At(int(at.X&31), int(at.Y), int(at.Z&31))
			if e.sure && got != e.block {
				w.Fatalf("%v is %v, but %v was acknowledged", at, got, e.block)
			}
			if got == world.Bricks {
				edits++
			}
		}
	}
	w.guests[0].Call(func() {
		for x := int32(-2); x <= 3; x++ {
			for z := int32(-2); z <= 3; z++ {
				reader.watch(world.RegionPos{X: x, Z: z}, region.RateNone)
			}
		}
		reader.watch(reader.home, region.RateEvery)
	})
	return edits
}

// trouble is something that goes wrong at a random moment.
type trouble int

const (
	crashNode trouble = iota
	crashGuest
	fullDisk
	brokenDisk
	slowGuest
	troubles
)

func (w *singleNode) happen(what trouble) {
	r := w.s.Rand()
	guest := w.guests[r.Intn(len(w.guests))]
	pause := func() { w.s.Run(time.Duration(r.Intn(3000)) * time.Millisecond) }
	switch what {
	case crashNode:
		w.node.Crash()
		pause()
		w.node.Restart()
	case crashGuest: // its link is lost; the script of the session goes on
		g := guest.Machine().(*wanderer)
		guest.Call(func() {
			if g.link {
				g.env.Close(g.node)
				g.OnLink(g.node, machine.LinkFailed)
			}
		})
	case fullDisk:
		w.node.Disk.Full = true
		pause()
		w.node.Disk.Full = false
	case brokenDisk:
		w.node.Disk.FailNext = 1 + r.Intn(3)
	case slowGuest:
		guest.Pause()
		pause()
		guest.Resume()
	}
}

// play lets the town live, with troubles at random moments, and checks it.
func (w *singleNode) play(rounds int, kinds trouble) {
	for i := range rounds {
		w.until("somebody is in", func() bool { return w.wanderer(i % singleNodeGuests).in })
		w.s.RunEvents(w.s.Rand().Intn(8000))
		w.happen(trouble(w.s.Rand().Intn(int(kinds))))
	}
	w.s.Run(10 * time.Second)
	w.settle()
	w.checkPresence()
}

// seeds are the seeds of a sweep: one given in the environment, or several.
func seeds(t *testing.T, n int) []uint64 {
	if s := os.Getenv("SEED"); s != "" {
		one, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return []uint64{one}
	}
	if testing.Short() {
		n = max(1, n/5)
	}
	var out []uint64
	for i := range n {
		out = append(out, uint64(i+1))
	}
	return out
}

// TestLongSingleNode plays many seeds of a town in trouble. Of a failure run one seed
// again with SEED=n.
func TestLongSingleNode(t *testing.T) {
	simtest.Long(t)
	var edits, regions int
	for _, seed := range seeds(t, 40) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := newSingleNode(t, seed)
			kinds := troubles
			if seed%2 == 0 {
				kinds = crashNode + 1
			}
			w.play(4, kinds)
			edits += w.checkEdits()
			for i := range w.guests {
				regions = max(regions, len(w.wanderer(i).crossed))
			}
		})
	}
	t.Logf("%d blocks stand, somebody was in %d regions", edits, regions)
	if edits == 0 || regions < 2 {
		t.Fatal("nobody built, or nobody crossed a border")
	}
}

// TestSameSeedSameNode: the same seed gives the same events and the same world,
// another seed another one.
func TestSameSeedSameNode(t *testing.T) {
	run := func(seed uint64) (trace, disk uint64) {
		w := newSingleNode(t, seed)
		w.play(3, troubles)
		w.node.Call(func() { w.n().Shutdown(func(error) {}) })
		w.s.Run(10 * time.Second)
		return w.s.Trace(), w.node.Disk.Digest()
	}
	for _, seed := range seeds(t, 5) {
		t1, d1 := run(seed)
		t2, d2 := run(seed)
		if t1 != t2 || d1 != d2 {
			t.Fatalf("seed %d: traces %x and %x, worlds %x and %x", seed, t1, t2, d1, d2)
		}
		if t3, d3 := run(seed + 1000); t3 == t1 || d3 == d1 {
			t.Fatalf("seeds %d and %d give the same", seed, seed+1000)
		}
	}
}

// TestShutdownSavesAll: a shutdown ends with everything on disk, where players
// stand too.
func TestShutdownSavesAll(t *testing.T) {
	for _, seed := range seeds(t, 10) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := newSingleNode(t, seed)
			w.until("everybody is in", w.all(func(g *wanderer) bool { return g.in }))
			w.s.RunEvents(w.s.Rand().Intn(8000))
			for i := range w.guests {
				w.wanderer(i).quiet = true
			}
			w.s.Run(2 * time.Second) // bodies come to rest
			was := map[string]world.Vec{}
			for i := range w.guests {
				was[w.wanderer(i).name] = w.wanderer(i).pos
			}
			done := false
			w.node.Call(func() {
				w.n().Shutdown(func(err error) {
					if done = true; err != nil {
						t.Error(err)
					}
				})
			})
			w.until("the shutdown ends", func() bool { return done })
			w.node.Crash()
			w.node.Restart()
			w.settle()
			for i := range w.guests {
				g := w.wanderer(i)
				if g.refused[0] != "restart" {
					t.Errorf("%s was told %q", g.name, g.refused)
				}
				if d := was[g.name].Sub(g.pos); max(d.X.Abs(), d.Y.Abs(), d.Z.Abs()) > 1<<10 {
					t.Errorf("%s left at %v and came back at %v", g.name, was[g.name], g.pos)
				}
			}
			w.checkEdits()
			w.checkPresence()
		})
	}
}

// TestLongSingleNodeOnTerrain plays survival on real terrain with mobs: players die, fall
// into water, cross borders, and crash. Nobody is lost or doubled, and the same
// seed gives the same world.
func TestLongSingleNodeOnTerrain(t *testing.T) {
	simtest.Long(t)
	slowtest.Skip(t, "generates hundreds of columns of terrain")
	for _, seed := range seeds(t, 2) {
		terrain := terrain.New(seed)
		cfg := testConfig(singleNodeStart)
		cfg.Region.Terrain = terrain
		cfg.Region.Rules = world.AreaConfig{Seed: seed, Spawn: terrain.Spawn(), Mobs: 16}
		cfg.Lobby.Spawn, cfg.Lobby.Mode = cfg.Region.Rules.Spawn, uint8(world.Survival)
		run := func() (uint64, uint64) {
			w := newSingleNodeOn(t, seed, cfg, func(c Config, env machine.Env) machine.Machine { return New(c, env) })
			w.play(5, troubles)
			mobs := 0
			for _, r := range w.n().Stats().Regions {
				mobs += r.Figures.Mobs
			}
			if mobs == 0 {
				t.Errorf("seed %d: no mobs", seed)
			}
			return w.s.Trace(), w.node.Disk.Digest()
		}
		t1, d1 := run()
		if t2, d2 := run(); t1 != t2 || d1 != d2 {
			t.Fatalf("seed %d: traces %x and %x, worlds %x and %x", seed, t1, t2, d1, d2)
		}
	}
}
