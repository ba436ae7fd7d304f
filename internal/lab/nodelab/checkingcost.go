package nodelab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var CheckingCost = lab.Experiment{
	Name:   "checking-cost",
	Shows:  "what it takes that followers replay a region and players' nodes compare what they are shown: the same load with and without",
	Source: "Haeberlen et al., Accountable Virtual Machines (OSDI 2010): 13 % of the frame rate",
	Settings: []lab.Setting{
		nodesSetting("4"),
		editorsSetting("4"),
		{Name: "walkers", Default: "60", Text: "players who walk about, at all nodes"},
		{Name: "rounds", Default: "3", Text: "with and without in turn"},
		{Name: "seconds", Default: "20", Unit: "s", Text: "of measuring in a round"},
	},
	Run: runCheckingCost,
}

// checkingLoad is what a round has taken.
type checkingLoad struct {
	lead, follow, upload, log float64 // cores, of a follower; bytes a second
	players                   int
	edits                     []float64          // ms
	kinds                     map[string]float64 // bytes that the leader sends a second, by kind of message
}

func runCheckingCost(t *lab.Trial) error {
	nodes, editors, walkers := t.Int("nodes", 3), t.Int("editors", 1), t.Int("walkers", 1)
	rounds, seconds := t.Int("rounds", 1), t.Float("seconds", 1)
	table := lab.Table{Name: "checking-cost", Title: "With and without checking", Columns: []string{
		"checked", "leader, % of a core", "a follower, % of a core", "leader sends, kB/s", "log, kB/s", "edits", "p50 ms", "p99 ms", "load average",
	}}
	var sum [2]checkingLoad
	for range rounds {
		for i, checked := range []string{"no", "yes"} {
			l, err := checkingRound(t, nodes, editors, walkers, seconds, i == 0)
			if err != nil {
				return err
			}
			table.Row(checked, 100*l.lead, 100*l.follow, l.upload/1e3, l.log/1e3, len(l.edits), lab.Percentile(l.edits, 0.5), lab.Percentile(l.edits, 0.99), loadAverage())
			s := &sum[i]
			s.lead, s.follow, s.upload, s.log = s.lead+l.lead, s.follow+l.follow, s.upload+l.upload, s.log+l.log
			s.edits, s.players = append(s.edits, l.edits...), l.players
			if s.kinds == nil {
				s.kinds = map[string]float64{}
			}
			for k, n := range l.kinds {
				s.kinds[k] += n / float64(rounds)
			}
		}
	}
	t.Table(table)
	without, with := &sum[0], &sum[1]
	t.Table(byKind(without, with))
	t.Metric("leader_upload_ratio", with.upload/without.upload, "")
	t.Metric("leader_cpu_ratio", with.lead/without.lead, "")
	t.Metric("follower_cpu_ratio", with.follow/without.follow, "")
	t.Metric("edit_p50_ms", lab.Percentile(with.edits, 0.5), "ms")
	t.Metric("edit_p99_ms", lab.Percentile(with.edits, 0.99), "ms")
	t.Metric("journal_mb_per_player_hour", with.log/float64(rounds)/float64(with.players)*3600/1e6, "MB")
	if with.log == 0 || without.log > 0 {
		return fmt.Errorf("%.0f bytes of logs with checking and %.0f without", with.log, without.log)
	}
	return nil
}

// byKind is what a leader sends, by kind of message, with and without.
func byKind(without, with *checkingLoad) lab.Table {
	table := lab.Table{Name: "checking-cost-kinds", Title: "What the leader sends, kB/s (before packets)", Columns: []string{"message", "without", "with"}}
	for _, k := range slices.SortedFunc(maps.Keys(with.kinds), func(a, b string) int { return cmp.Or(cmp.Compare(with.kinds[b], with.kinds[a]), strings.Compare(a, b)) }) {
		if with.kinds[k] >= 100 {
			table.Row(k, without.kinds[k]/1e3, with.kinds[k]/1e3)
		}
	}
	return table
}

// checkingRound measures a world in which nobody checks, or all do.
func checkingRound(t *lab.Trial, nodes, editors, walkers int, seconds float64, unchecked bool) (l checkingLoad, err error) {
	err = withMasonsIn(t, nodes, editors, clusterSetup{unchecked: unchecked}, func(c *cluster, es *masons) error {
		l.players = editors
		return l.measure(t, c, es, walkers, seconds)
	})
	return l, err
}

// measure measures a world in which walkers have joined the editors.
func (l *checkingLoad) measure(t *lab.Trial, c *cluster, es *masons, walkers int, seconds float64) error {
	for i, p := range c.nodes {
		crowd, err := startCrowd(t.Context, crowdOrder{Addr: p.URL, Seed: t.Seed, Homes: []world.Pos{c.spawn}, Above: i * 1000})
		if err != nil {
			return err
		}
		defer crowd.close()
		r, err := crowd.do(crowdOrder{Join: (walkers + i) / len(c.nodes), Pause: 20 * time.Millisecond})
		if err == nil && r.Lost > 0 {
			err = fmt.Errorf("%d walkers of node %d were lost: %s", r.Lost, i, r.Error)
		}
		if err != nil {
			return err
		}
		l.players += r.Players
	}
	ctx, stop := context.WithCancel(t.Context)
	defer stop()
	reports := es.play(ctx)
	region := c.spawn.Region()
	lead, err := c.steady(region, 5*time.Second)
	if err != nil {
		return err
	}
	before, after, err := c.readingsOver(t.Context, region, seconds)
	if err != nil {
		return err
	}
	followers := 0
	for i, p := range c.nodes {
		cpu := (after[i].CPU - before[i].CPU) / seconds
		l.log += float64(after[i].Log-before[i].Log) / seconds
		switch {
		case p == lead:
			l.lead, l.upload, l.kinds = cpu, float64(after[i].Sent-before[i].Sent)/seconds, map[string]float64{}
			for k, n := range after[i].Kinds {
				l.kinds[k] = float64(n-before[i].Kinds[k]) / seconds
			}
		case after[i].Holds:
			l.follow += cpu
			followers++
		}
	}
	if now, _, err := c.leader(region); err != nil || now != lead || followers == 0 {
		return errors.Join(err, errors.New("the region has moved to another leader while it was measured"))
	}
	l.follow /= float64(followers)
	stop()
	for _, r := range reports {
		for range len(r) {
			if e := <-r; e.OK {
				l.edits = append(l.edits, Milliseconds(e.Done.Sub(e.Sent)))
			}
		}
	}
	return nil
}

// readings asks all nodes what they have done so far.
func (c *cluster) readings(region world.RegionPos) (out []NodeReport, err error) {
	for _, p := range c.nodes {
		r, err := p.Ask(NodeOrder{Region: &region})
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// readingsOver are those before and after some seconds.
func (c *cluster) readingsOver(ctx context.Context, region world.RegionPos, seconds float64) (before, after []NodeReport, err error) {
	if before, err = c.readings(region); err != nil {
		return nil, nil, err
	}
	if err = lab.Sleep(ctx, lab.Duration(seconds)); err != nil {
		return nil, nil, err
	}
	after, err = c.readings(region)
	return before, after, err
}

// loadAverage is that of the machine over the last minute; empty: it is not known.
func loadAverage() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	one, _, _ := strings.Cut(string(b), " ")
	return one
}
