package chaoslab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/netns"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
)

var Experiment = lab.Experiment{
	Name:   "chaos",
	Shows:  "that nothing acknowledged is lost and nothing is invented while nodes are killed, frozen, cut off, slow, full, and disagree about the time; if all hosts of a part are killed or a disk is put back, that nothing is lost unsaid",
	Source: "own rule: what was acknowledged stays, nothing else appears, land of others does not change, and a rollback takes back all of it",
	Settings: []lab.Setting{
		{Name: "minutes", Default: "2", Unit: "min", Text: "how long things go wrong"},
		{Name: "nodes", Default: "7", Text: "processes that host the world"},
		{Name: "editors", Default: "6", Text: "players that edit"},
		{Name: "hosts", Default: "loopback", Text: "namespaces: each node in a network namespace of its own, cables are pulled too (Linux, root)"},
		{Name: "losses", Default: "0", Text: "1: all hosts of a part are killed at once, too, with and without their disks, and disks are put back"},
		{Name: "keep", Default: "0", Text: "1: the nodes' folders and logs stay"},
	},
	Run: runChaos,
}

// chaos is a run of the experiment.
type chaos struct {
	t        *lab.Trial
	dir      string
	machines []*netns.Machine // one for each node; none: all nodes are on the loopback
	faults   []chaosFault
	nodes    []*chaosProcess
	editors  []*editor
	keeper   client.Identity // the founder's player: an operator
	reader   client.Identity // looks at the end
	market   world.Pos       // for the feet, beside the chest
	chest    world.Pos       // that the editors share
	furnace  world.Pos       // likewise
	village  village
	burner   *editor
	taken    []world.Pos // homes, and the market
	traders  int         // editors who have tokens
	tally    chaosTally
	wrong    violations
	seen     []sighting        // what players saw and was not acknowledged last
	lost     map[string][]loss // by the part; what the nodes have said
	putBack  []oldDisk         // disks that were put back
	wipeFrom int               // the next round in which disks may be deleted
	land     *nodelab.Land     // the terrain
	counts   map[string]int    // of faults
	begun    time.Time
	logMu    sync.Mutex
}

func (c *chaos) logf(format string, args ...any) {
	c.logMu.Lock()
	defer c.logMu.Unlock()
	c.t.Logf("%6.1f s: %s", time.Since(c.begun).Seconds(), fmt.Sprintf(format, args...))
}

func runChaos(t *lab.Trial) (err error) {
	minutes, nodes, editors, losses, keep := t.Float("minutes", 0.05), t.Int("nodes", 3), t.Int("editors", 1), t.Int("losses", 0), t.Int("keep", 0)
	hosts := t.Text("hosts")
	if hosts != "loopback" && hosts != "namespaces" {
		t.Reject("hosts", "loopback or namespaces")
	}
	if err := t.Settings(); err != nil {
		return err
	}
	c := &chaos{t: t, faults: slices.Clone(chaosFaults), land: &nodelab.Land{Gen: terrain.New(t.Seed), Columns: map[world.ColumnPos]*world.Column{}}, counts: map[string]int{}, wipeFrom: firstWipe, begun: time.Now()}
	if c.dir, err = os.MkdirTemp("", "voxelpopuli-chaos-"); err != nil {
		return err
	}
	if hosts == "namespaces" {
		var network *netns.Network
		if network, c.machines, err = newMachines(nodes); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, network.Close()) }()
		c.faults = append(c.faults, pulledCables)
	}
	if losses != 0 {
		c.faults = append(c.faults, lossFaults...)
	}
	defer func() {
		for _, p := range c.nodes {
			p.kill()
			p.log.Close()
		}
		if keep != 0 {
			t.Logf("what the nodes had and said is in %s", c.dir)
		} else {
			err = errors.Join(err, os.RemoveAll(c.dir))
		}
	}()
	t.Logf("seed %d", t.Seed)
	if err := c.begin(nodes, editors); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(t.Context)
	defer stop()
	var playing sync.WaitGroup
	for _, e := range c.editors {
		playing.Go(func() { e.run(ctx) })
	}
	playing.Go(func() { c.village.vandal.trespasses(ctx) })
	playing.Go(func() { c.village.builder.builds(ctx) })
	err = c.storm(time.Duration(minutes * float64(time.Minute)))
	if err == nil {
		err = c.calm()
	}
	stop()
	playing.Wait()
	if err != nil {
		return err
	}
	if err := c.readLosses(); err != nil {
		return err
	}
	if err := errors.Join(c.takeBack(), c.check()); err != nil {
		return err
	}
	c.judge()
	c.countLosses()
	return c.report()
}

// begin starts the nodes one after the other and makes the editors operators.
func (c *chaos) begin(nodes, editors int) error {
	for i := range nodes {
		p, err := c.node(i)
		if err != nil {
			return err
		}
		c.nodes = append(c.nodes, p)
		if err := c.start(p); err != nil {
			return err
		}
	}
	c.logf("%d nodes run", nodes)
	var err error
	if c.keeper, err = client.NewIdentity("Keeper"); err != nil {
		return err
	}
	keeper, err := c.callKeeper()
	if err != nil {
		return err
	}
	defer keeper.Close()
	if c.reader, err = client.NewIdentity("Reader"); err != nil {
		return err
	}
	if err := c.promote(keeper, c.reader); err != nil {
		return err
	}
	homes := c.homes(editors + 1)
	if err := c.settleVillage(keeper, homes[editors]); err != nil {
		return err
	}
	for i := range editors {
		who, err := client.NewIdentity(fmt.Sprint("Editor", i))
		if err != nil {
			return err
		}
		e := &editor{chaos: c, who: who, home: homes[i], rand: rng.New(c.t.Seed, uint64(i), 0xed17), spots: c.spots(homes[i])}
		c.editors = append(c.editors, e)
		if err := c.promote(keeper, who); err != nil {
			return err
		}
	}
	if err := c.openMarket(); err != nil {
		return err
	}
	return c.lightFire(keeper)
}

// promote makes a player an operator, who must be in the world for that.
func (c *chaos) promote(keeper speaker, who client.Identity) error {
	g, err := nodelab.JoinAs(c.t.Context, c.nodes[0].config.Gateway, who, calmTime)
	if err != nil {
		return err
	}
	defer g.Close()
	asked := time.Time{}
	return g.Until(c.t.Context, who.Name+" to be an operator", func() bool {
		if time.Since(asked) > 3*time.Second {
			asked = time.Now()
			_ = keeper.Say("/op " + who.Name)
		}
		return g.Self().Operator
	})
}

// homes are dry places: every other one at a corner of four regions near the
// spawn, so that its spots lie in several of them, the rest inside of regions
// around.
func (c *chaos) homes(n int) []world.Pos {
	spawn := c.land.Gen.Spawn().Region()
	out := make([]world.Pos, 0, n)
	for i := range n {
		dx, dz := int32(i/2%3)-1, int32(i/6%3)-1
		at := world.RegionPos{X: spawn.X + dx, Z: spawn.Z + dz}.Column(0).Origin()
		if i%2 == 1 {
			at = at.Add(64, 0, 64)
		}
		out = append(out, c.dry(at, apart))
	}
	return out
}

// apart is how far homes are from each other at least: no two players have the same spots.
const apart = 8

// dry finds a place for feet near one that has spots enough, so far from all others.
func (c *chaos) dry(near world.Pos, apart int32) world.Pos {
	isTaken := func(p world.Pos) bool {
		return slices.ContainsFunc(c.taken, func(o world.Pos) bool { return max(nodelab.Abs(p.X-o.X), nodelab.Abs(p.Z-o.Z)) < apart })
	}
	for r := int32(0); r < 160; r++ {
		for x := -r; x <= r; x++ {
			for z := -r; z <= r; z++ {
				if max(nodelab.Abs(x), nodelab.Abs(z)) != r {
					continue
				}
				p := near.Add(x, 0, z)
				if y, ok := c.top(p); ok && !isTaken(p) {
					p.Y = y + 1
					if len(c.spots(p)) >= 18 {
						c.taken = append(c.taken, p)
						return p
					}
				}
			}
		}
	}
	return c.land.Gen.Spawn()
}

// top is the height of the ground at a place, if one can build on it.
func (c *chaos) top(p world.Pos) (int32, bool) {
	col := c.land.Column(p.Column())
	for y := int32(world.Height - 3); y > 0; y-- {
		b := col.At(int(p.X&(world.ChunkSize-1)), int(y), int(p.Z&(world.ChunkSize-1)))
		if b == world.Air {
			continue
		}
		return y, b == world.Grass || b == world.Dirt || b == world.Stone || b == world.Sand
	}
	return 0, false
}

// spots are the places around a home that its editor changes.
func (c *chaos) spots(home world.Pos) (out []*chaosSpot) {
	const far = 3
	for x := int32(-far); x <= far; x++ {
		for z := int32(-far); z <= far; z++ {
			p := home.Add(x, 0, z)
			if y, ok := c.top(p); ok && max(nodelab.Abs(x), nodelab.Abs(z)) > 1 && nodelab.Abs(y+1-home.Y) <= 1 {
				p.Y = y + 1
				out = append(out, &chaosSpot{at: p, known: knownTo(world.Air)})
			}
		}
	}
	return out
}

// report reports, and fails if something was wrong.
func (c *chaos) report() error {
	t, n := c.t, &c.tally
	t.Metric("violations", float64(len(c.wrong.list)), "")
	t.Metric("edits", float64(n.edits.Load()), "")
	t.Metric("acknowledged", float64(n.acked.Load()), "")
	t.Metric("refused", float64(n.refused.Load()), "")
	t.Metric("unclear", float64(n.unclear.Load()), "")
	t.Metric("dropped", float64(n.drops.Load()), "")
	t.Metric("texts", float64(n.texts.Load()), "")
	t.Metric("doors_turned", float64(n.turns.Load()), "")
	t.Metric("burnt", float64(n.burnt.Load()), "")
	t.Metric("container_moves", float64(n.moves.Load()), "")
	t.Metric("tokens", float64(c.counts["tokens"]), "")
	t.Metric("trespasses_refused", float64(c.village.tries), "")
	t.Metric("rollbacks", float64(c.village.takes), "")
	t.Metric("joins", float64(n.joins.Load()), "")
	t.Metric("failed_joins", float64(n.failedJoins.Load()), "")
	for _, f := range c.faults {
		t.Metric(strings.ReplaceAll(f.name, " ", "_"), float64(c.counts[f.name]), "")
	}
	for _, name := range []string{"parts", "replicas", "replicas_behind", "expired_tokens", "leaderships", "ticks_replayed", "losses_reported", "lost_places", "lost_seen"} {
		t.Metric(name, float64(c.counts[name]), "")
	}
	if len(c.wrong.list) == 0 {
		return nil
	}
	for _, w := range c.wrong.list[:min(len(c.wrong.list), 20)] {
		t.Logf("VIOLATION: %s", w)
	}
	return fmt.Errorf("%d violations, the first: %s", len(c.wrong.list), c.wrong.list[0])
}
