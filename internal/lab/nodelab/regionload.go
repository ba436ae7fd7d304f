package nodelab

import (
	"errors"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var RegionLoad = lab.Experiment{
	Name:   "region-load",
	Shows:  "what players cost the node that hosts them: CPU, memory, ticks, bytes, and how many one region can hold",
	Source: "dissertation 4.3.1, figures 4.3 to 4.5 (Python 3.8 on two cores)",
	Settings: []lab.Setting{
		{Name: "seconds", Default: "10", Unit: "s", Text: "how long each scenario of figure 4.3 is measured (the source: an hour)"},
		{Name: "stage", Default: "5", Unit: "s", Text: "how long each stage of the ramp is measured"},
		{Name: "settle", Default: "3", Unit: "s", Text: "how long a stage is given to settle before"},
		{Name: "step", Default: "50", Unit: "players", Text: "what the ramp adds at first; stages grow by a quarter"},
		{Name: "most", Default: "2000", Unit: "players", Text: "where the ramp ends if nothing else ends it"},
		{Name: "ramp", Default: "1", Text: "0: only the scenarios of figure 4.3"},
		{Name: "followers", Default: "0", Text: "processes on this machine that host the ramp's region, too, and replay its log; at most 2"},
	},
	Run: runRegionLoad,
}

// scenario is one of figure 4.3.
type scenario struct {
	figure  string
	metric  string
	players int
	chunks  int
	paper   float64 // CPU, per cent
}

var scenarios = []scenario{
	{"4.3a", "one_chunk_cpu", 50, 1, 90},
	{"4.3b", "fifty_chunks_cpu", 50, 50, 45},
	{"4.3c", "ten_chunks_cpu", 50, 10, 25},
	{"4.3d", "ten_chunks_100_cpu", 100, 10, 55},
}

const (
	tickLimit = 50.0 // ms: p99 of a tick
	delivered = 0.99 // share of the moves that must arrive
	paperRamp = 70.0 // players that a chunk's thread held in the source
)

func runRegionLoad(t *lab.Trial) error {
	seconds, stage, settle := t.Float("seconds", 1), t.Float("stage", 1), t.Float("settle", 0)
	step, most, ramp := t.Int("step", 1), t.Int("most", 1), t.Int("ramp", 0)
	followers := min(t.Int("followers", 0), 2)
	if err := t.Settings(); err != nil {
		return err
	}
	table := lab.Table{
		Name: "figure-4-3", Title: "Scenarios of figure 4.3",
		Columns: []string{"figure", "players", "chunks", "CPU %", "source %", "heap MB", "tick p50 ms", "tick p99 ms", "kB/s a player"},
	}
	var cpu, resident []lab.Series
	for _, s := range scenarios {
		var samples []lab.Sample
		m, err := runScenario(t, s, seconds, &samples)
		if err != nil {
			return fmt.Errorf("figure %s: %w", s.figure, err)
		}
		name := fmt.Sprintf("%s: %d in %d", s.figure, s.players, s.chunks)
		samples = lab.LastOf(samples, seconds)
		cpu = append(cpu, lab.PlotSamples(name, samples, func(s *lab.Sample) float64 { return s.CPU }))
		resident = append(resident, lab.PlotSamples(name, samples, func(s *lab.Sample) float64 { return s.Resident }))
		t.Against(s.metric, 100*m.Window.CPU, "%", s.paper)
		table.Row(s.figure, s.players, s.chunks, 100*m.Window.CPU, s.paper, m.Heap, m.TickP50, m.TickP99, m.kbPerPlayer())
	}
	t.Table(table)
	t.Plot(lab.Plot{Name: "figure-4-3-cpu", Title: "CPU of the node: players in chunks, as in figure 4.3", X: "seconds", Y: "CPU, % of a core", Series: cpu})
	t.Plot(lab.Plot{Name: "figure-4-3-memory", Title: "Memory of the node: players in chunks, as in figure 4.3", X: "seconds", Y: "MB resident", Series: resident})
	if ramp == 0 {
		return nil
	}
	return runRamp(t, rampStages(step, most), stage, settle, followers)
}

// load is what a crowd of a size did to the node, and got.
type load struct {
	Window
	crowdReport
	players   int
	followers float64 // cores that they used
	replayed  float64 // entries that they replayed in a second
}

func (l *load) kbPerPlayer() float64 {
	return lab.Finite(float64(l.Bytes) / 1e3 / l.crowdReport.Seconds / float64(l.Players))
}

// crowdCPU returns the cores that the players used.
func (l *load) crowdCPU() float64 { return lab.Finite(l.crowdReport.CPU / l.crowdReport.Seconds) }

// others returns the cores that other programs took away meanwhile.
func (l *load) others() float64 {
	return max(0, l.Machine-l.Window.CPU-l.crowdCPU()-l.followers)
}

// heard returns how many moves of others each player was told of.
func (l *load) heard() float64 {
	return float64(l.Moves)/float64(l.Decoder) - float64(l.Made)/float64(l.players)
}

// deliveries returns the moves that reached players, a second, over all.
func (l *load) deliveries() float64 {
	return lab.Finite(l.heard() * float64(l.players) / l.crowdReport.Seconds)
}

// share returns which share of the moves that were made each player heard of.
func (l *load) share() float64 {
	return lab.Finite(l.heard() / (float64(l.Made) * float64(l.players-1) / float64(l.players)))
}

// measureLoad lets a crowd play for a while.
func measureLoad(t *lab.Trial, s *followed, c *crowdProcess, settle, seconds float64) (load, error) {
	if err := lab.Sleep(t.Context, lab.Duration(settle)); err != nil {
		return load{}, err
	}
	if _, err := c.do(crowdOrder{}); err != nil { // counts anew from here
		return load{}, err
	}
	cpu, replayed, err := s.work()
	if err != nil {
		return load{}, err
	}
	w, err := s.Watch(t.Context, lab.Duration(seconds))
	if err != nil {
		return load{}, err
	}
	cpuNow, replayedNow, err := s.work()
	if err != nil {
		return load{}, err
	}
	r, err := c.do(crowdOrder{})
	l := load{Window: w, crowdReport: r, players: r.Players, followers: (cpuNow - cpu) / w.Seconds, replayed: (replayedNow - replayed) / w.Seconds}
	if err == nil && r.Players == 0 {
		err = fmt.Errorf("all players were lost: %s", r.Error)
	}
	return l, err
}

func runScenario(t *lab.Trial, sc scenario, seconds float64, samples *[]lab.Sample) (m load, err error) {
	t.Logf("figure %s: %d players in %d chunks", sc.figure, sc.players, sc.chunks)
	s, err := startFollowed(t.Context, t.Seed, 0)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	c, err := startCrowd(t.Context, crowdOrder{Addr: s.LocalURL(), Seed: s.Seed(), Homes: s.homes(sc.chunks, min(sc.chunks, 10))})
	if err != nil {
		return m, err
	}
	defer c.close()
	if _, err := c.do(crowdOrder{Join: sc.players}); err != nil {
		return m, err
	}
	stop := lab.SampleNode(samples)
	defer stop()
	// Those with far homes fly there at 20 m/s.
	return measureLoad(t, s, c, 3+float64(sc.chunks)/4, seconds)
}
