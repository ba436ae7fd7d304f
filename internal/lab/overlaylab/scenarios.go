package overlaylab

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

var Scenarios = lab.Experiment{
	Name:          "overlay-scenarios",
	Shows:         "what can happen to an overlay at its worst, how long it takes until every neighbourhood is the Delaunay graph's again, and whether messages then find exactly whom they are for",
	Source:        "thesis 4.3, 4.7.1, 4.7.2, 6.3.2; the scenarios are ours",
	Deterministic: true,
	Many:          true,
	Settings: []lab.Setting{
		{Name: "scenarios", Default: strings.Join(scenarioNames(), ","), Text: "which of them"},
		{Name: "r", Default: "4,9,16", Text: "zones"},
		{Name: "nodes", Default: "100", Text: "how many nodes there are"},
	},
	Differs: differsScenarios,
	Run:     runOverlayScenarios,
}

// overlayScenario is what happens to n.nodes; it returns once it has happened.
type overlayScenario struct {
	name, text string
	play       func(n *overlayNet, nodes int)
}

var overlayScenarios = []overlayScenario{
	{"mass-join", "all join at once, but the first", (*overlayNet).massJoin},
	{"flash-crowd", "three for each that is there join at once", (*overlayNet).flashCrowd},
	{"half-fails", "half of all fail silently at once", (*overlayNet).halfFails},
	{"silent-failures", "for ten minutes nodes come and fail silently, half of all", (*overlayNet).silentFailures},
	{"departures", "all but an eighth leave within two minutes", (*overlayNet).departures},
	{"partition", "two halves do not hear each other for five minutes", (*overlayNet).partition},
	{"one-line", "all stand in one line, then a quarter fails", (*overlayNet).oneLine},
	{"grid", "all stand on a grid: every four on a circle", (*overlayNet).grid},
}

func scenarioNames() (names []string) {
	for _, s := range overlayScenarios {
		names = append(names, s.name)
	}
	return names
}

// scenarioRun is one of them, as a value.
type scenarioRun struct {
	What     string
	R, Nodes int
	Seed     uint64
}

func (o scenarioRun) Name() string {
	return fmt.Sprintf("overlay-%s-r%d-n%d-seed%d", o.What, o.R, o.Nodes, o.Seed)
}

type scenarioResult struct {
	Nodes                     int
	Exact                     float64 // seconds from what happened to exact neighbourhoods; below 0: never
	Unicasts, UnicastsWrong   int
	Areacasts, AreacastsWrong int
	Hops                      float64 // of unicasts
	Receivers                 float64 // of areacasts
	Events                    uint64
}

// scenarioPatience is how long an overlay may take: two parts that were cut look for
// each other at most once an hour.
const scenarioPatience = 2 * time.Hour

func (o scenarioRun) Do(ctx context.Context) (r scenarioResult, err error) {
	n := newOverlayNet(o.Seed, overlay.SpaceFor(o.R), 8*o.Nodes, quickPings)
	n.mail = &mailbox{}
	for _, s := range overlayScenarios {
		if s.name == o.What {
			s.play(n, o.Nodes)
		}
	}
	r.Exact = -1
	for begin := n.sim.Now(); n.sim.Now().Sub(begin) < scenarioPatience; n.sim.Run(time.Second) {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		if n.exact() {
			r.Exact = n.sim.Now().Sub(begin).Seconds()
			break
		}
	}
	r.Nodes = len(n.live())
	n.sim.Run(10 * time.Second)
	n.sendUnicasts(&r, 100)
	n.sendAreacasts(&r, 50)
	r.Events = n.sim.Events()
	return r, nil
}

func runOverlayScenarios(t *lab.Trial) error {
	names, zones, nodes := strings.Split(t.Text("scenarios"), ","), t.Zones("r"), t.Int("nodes", 10)
	for _, name := range names {
		if !slices.Contains(scenarioNames(), name) {
			t.Reject("scenarios", "some of "+strings.Join(scenarioNames(), ", "))
		}
	}
	if err := t.Settings(); err != nil {
		return err
	}
	var runs []scenarioRun
	for _, name := range names {
		for _, r := range zones {
			for k := range t.Runs {
				runs = append(runs, scenarioRun{What: name, R: r, Nodes: nodes, Seed: t.Seed + uint64(k)})
			}
		}
	}
	return lab.ReportAll(t, runs, reportScenarios)
}

func reportScenarios(t *lab.Trial, runs []scenarioRun, results []scenarioResult) (failed error) {
	table := lab.Table{Name: "scenarios", Title: "Until every neighbourhood is exact, and messages after that",
		Columns: []string{"scenario", "r", "nodes", "exact after s", "at most s", "unicasts", "wrong", "hops", "areacasts", "wrong", "receivers"}}
	exact := 0
	for i, r := range results {
		switch {
		case r.Exact < 0:
			failed = fmt.Errorf("%s: not the Delaunay graph after %v", runs[i].Name(), scenarioPatience)
		case r.UnicastsWrong+r.AreacastsWrong > 0:
			failed = fmt.Errorf("%s: %d unicasts and %d areacasts did not reach exactly those they are for", runs[i].Name(), r.UnicastsWrong, r.AreacastsWrong)
		default:
			exact++
		}
	}
	for i := 0; i < len(runs); i += t.Runs {
		of := results[i : i+t.Runs]
		took := lab.Over(of, func(r scenarioResult) float64 { return r.Exact })
		sum := func(get func(scenarioResult) int) float64 {
			return lab.Over(of, func(r scenarioResult) float64 { return float64(get(r)) }).Mean * float64(len(of))
		}
		table.Row(runs[i].What, runs[i].R, lab.Over(of, func(r scenarioResult) float64 { return float64(r.Nodes) }).Mean,
			took.PlusMinus(0), took.Max,
			sum(func(r scenarioResult) int { return r.Unicasts }), sum(func(r scenarioResult) int { return r.UnicastsWrong }),
			lab.Over(of, func(r scenarioResult) float64 { return r.Hops }).Mean,
			sum(func(r scenarioResult) int { return r.Areacasts }), sum(func(r scenarioResult) int { return r.AreacastsWrong }),
			lab.Over(of, func(r scenarioResult) float64 { return r.Receivers }).Mean)
		t.Metric(fmt.Sprintf("exact_s_%s_r%d", strings.ReplaceAll(runs[i].What, "-", "_"), runs[i].R), took.Mean, "s")
	}
	t.Table(table)
	t.Metric("runs", float64(len(runs)), "")
	t.Metric("held", float64(exact)/float64(len(runs)), "")
	return failed
}

// grow lets nodes join one after the other and find their places.
func (n *overlayNet) grow(nodes int) {
	for range nodes {
		n.add()
		n.sim.Run(200 * time.Millisecond)
	}
	n.sim.Run(time.Minute)
}

// crash lets a node fail silently; the bootstrapping service finds out.
func (n *overlayNet) crash(o *overlayNode) {
	o.Crash()
	n.sim.At(n.sim.Now().Add(30*time.Second), func() { n.boot.Remove(o.self) })
}

func (n *overlayNet) massJoin(nodes int) {
	n.add()
	n.sim.Run(time.Second)
	for range nodes - 1 {
		n.add()
	}
}

func (n *overlayNet) flashCrowd(nodes int) {
	n.grow(nodes / 4)
	for len(n.nodes) < nodes {
		n.add()
	}
}

func (n *overlayNet) halfFails(nodes int) {
	n.grow(nodes)
	for i, o := range n.nodes {
		if i%2 == 0 {
			n.crash(o)
		}
	}
}

func (n *overlayNet) silentFailures(nodes int) {
	n.grow(nodes)
	for range nodes / 2 {
		live := n.live()
		n.crash(live[n.sim.Rand().Intn(len(live))])
		n.add()
		n.sim.Run(10 * time.Minute / time.Duration(nodes/2))
	}
}

func (n *overlayNet) departures(nodes int) {
	n.grow(nodes)
	for live := n.live(); len(live) > nodes/8; live = n.live() {
		live[n.sim.Rand().Intn(len(live))].Stop()
		n.sim.Run(2 * time.Minute / time.Duration(nodes))
	}
}

func (n *overlayNet) partition(nodes int) {
	n.grow(nodes)
	side := map[machine.Peer]int{}
	for i, o := range n.nodes {
		side[o.Peer()] = i % 2
	}
	n.sim.Cut(func(a, b machine.Peer) bool { return side[a] != side[b] })
	n.sim.Run(5 * time.Minute)
	n.sim.Cut(nil)
}

func (n *overlayNet) oneLine(nodes int) {
	step := n.space.Side() / int32(nodes+1)
	for i := range nodes {
		at := i / 2 // from both ends in turn
		if i%2 == 1 {
			at = nodes - 1 - at
		}
		n.places[i] = geom.Point{X: step * int32(at), Y: n.space.Side() / 10}
	}
	n.grow(nodes)
	for i, o := range n.nodes {
		if i%4 == 0 {
			n.crash(o)
		}
	}
}

func (n *overlayNet) grid(nodes int) {
	side := int32(1)
	for side*side < int32(nodes) {
		side++
	}
	for i := range nodes {
		n.places[i] = geom.Point{X: int32(i) % side * 1000, Y: int32(i) / side * 1000}
	}
	n.grow(nodes)
}
