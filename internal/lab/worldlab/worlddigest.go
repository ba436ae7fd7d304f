package worldlab

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

var Digest = lab.Experiment{
	Name:          "world-digest",
	Shows:         "that the same seed and the same script give the same world, byte for byte: a node with players who walk, build and dig, in the simulator",
	Source:        "own rule: the same seed gives the same bytes",
	Deterministic: true,
	Settings: []lab.Setting{
		{Name: "seconds", Default: "60", Unit: "s", Text: "simulated time"},
		{Name: "players", Default: "8", Text: "players with a script drawn from the seed"},
	},
	Run: runWorldDigest,
}

func runWorldDigest(t *lab.Trial) error {
	seconds, players := t.Int("seconds", 1), t.Int("players", 1)
	if err := t.Settings(); err != nil {
		return err
	}
	var digests [2]played
	for i := range digests {
		t.Logf("run %d of %d", i+1, len(digests))
		var err error
		if digests[i], err = playScript(t.Seed, seconds, players); err != nil {
			return err
		}
	}
	other, err := playScript(t.Seed+1, seconds, players)
	if err != nil {
		return err
	}
	a, b := digests[0], digests[1]
	t.Metric("same", float64(lab.Indicator(a == b)), "")
	t.Metric("other_seed_differs", float64(lab.Indicator(a.world != other.world)), "")
	t.Metric("events", float64(a.events), "")
	t.Metric("edits", float64(a.edits), "")
	t.Metric("refusals", float64(a.refusals), "")
	t.Metric("handovers", float64(a.handovers), "")
	t.Fact("world", fmt.Sprintf("%016x", a.world))
	t.Fact("trace", fmt.Sprintf("%016x", a.trace))
	if a != b {
		return fmt.Errorf("two runs with one seed differ: %+v and %+v", a, b)
	}
	return nil
}

// played is what remains of a script.
type played struct {
	world     uint64 // digest of the node's disk after it was shut down
	trace     uint64 // of all events
	events    uint64
	edits     int
	refusals  int
	handovers int
}

// playScript runs a node and its players in the simulator.
func playScript(seed uint64, seconds, players int) (played, error) {
	g := terrain.New(seed)
	spawn := g.Spawn()
	s := sim.NewWith(seed, sim.Config{Jitter: 5 * time.Millisecond})
	var nodes node.Config
	nodes.Lobby = lobby.Config{Name: "lab", Seed: fmt.Sprint(seed), Spawn: spawn, Mode: uint8(world.Creative)}
	nodes.Region = region.Config{Terrain: g, Rules: world.AreaConfig{Seed: seed, Spawn: spawn, Mobs: 6}}
	n := s.Add(func(env machine.Env) machine.Machine { return node.New(nodes, env) })
	crowd := make([]*visitor, players)
	for i := range crowd {
		s.Add(func(env machine.Env) machine.Machine {
			crowd[i] = newVisitor(env, n.Peer(), seed, i)
			return crowd[i]
		})
	}
	s.Run(time.Duration(seconds) * time.Second)
	var ended bool
	var failed error
	n.Call(func() { n.Machine().(*node.Node).Shutdown(func(err error) { ended, failed = true, err }) })
	if !s.RunUntil(func() bool { return ended }, time.Minute) {
		return played{}, fmt.Errorf("the node did not shut down within a minute")
	}
	out := played{world: n.Disk.Digest(), trace: s.Trace(), events: s.Events()}
	for i, v := range crowd {
		if !v.entered {
			return out, fmt.Errorf("player %d did not get into the world", i)
		}
		out.edits += v.edits
		out.refusals += v.refusals
		out.handovers += v.handovers
	}
	return out, failed
}
