package nodelab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var EditLatency = lab.Experiment{
	Name:   "edit-latency",
	Shows:  "how long a block edit takes until it is acknowledged: kept by three processes, each of which has synced it to disk or will",
	Source: "own aims: 15 ms (p50) and 60 ms (p99), better 3 and 10 ms",
	Settings: []lab.Setting{
		{Name: "nodes", Default: "3", Text: "processes that host the world; up to three keep the region"},
		editorsSetting("3"),
		{Name: "seconds", Default: "20", Unit: "s", Text: "how long"},
	},
	Run: runEditLatency,
}

// masons are players who edit, and the nodes that they are at.
type masons struct {
	all []*Mason
	at  []*NodeProcess
	who []client.Identity
}

// MaxMasons is how many have places of their own to edit.
const MaxMasons = 4

// nodesSetting is how many nodes there are, of which three keep the region.
func nodesSetting(n string) lab.Setting {
	return lab.Setting{Name: "nodes", Default: n, Text: "processes that host the world; three keep the region"}
}

func editorsSetting(n string) lab.Setting {
	return lab.Setting{Name: "editors", Default: n, Text: "players that edit, at nodes in turn; at most 4"}
}

// play lets all edit until ctx ends, and returns what they report.
func (es *masons) play(ctx context.Context) []chan Edit {
	reports := make([]chan Edit, len(es.all))
	for i, e := range es.all {
		reports[i] = make(chan Edit, 1<<14)
		go e.Play(ctx, reports[i])
	}
	return reports
}

// join brings editors to the nodes of a cluster in turn.
func (c *cluster) join(n int) (*masons, error) {
	es, each := &masons{}, 1
	if c.setup.pairs {
		each = 2
	}
	for i := range n {
		who, err := client.NewIdentity(fmt.Sprintf("editor %d", i))
		if err != nil {
			return nil, err
		}
		p := c.nodes[i/each%len(c.nodes)]
		e, err := JoinMason(c.ctx, p.URL, who, i)
		if err != nil {
			es.close()
			return nil, fmt.Errorf("editor %d: %w", i, err)
		}
		es.all, es.at, es.who = append(es.all, e), append(es.at, p), append(es.who, who)
	}
	return es, nil
}

func (es *masons) close() {
	for _, e := range es.all {
		e.Close()
	}
}

// Stepping is how often players say what they do, as browsers do.
const Stepping = 50 * time.Millisecond

// Play lets a mason stand there and edit until ctx ends or its connection
// does.
func (e *Mason) Play(ctx context.Context, report chan<- Edit) {
	steps, acts := time.NewTicker(Stepping), time.NewTicker(editPause)
	defer steps.Stop()
	defer acts.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-steps.C:
			if _, err := e.Step(world.Input{}); err != nil {
				return
			}
		case <-acts.C:
			if !e.Begin(report) {
				return
			}
		}
	}
}

// withMasons checks the settings, starts nodes, lets editors join them, and ends
// both when run has returned.
func withMasons(t *lab.Trial, nodes, n int, run func(c *cluster, es *masons) error) error {
	return withMasonsIn(t, nodes, n, clusterSetup{}, run)
}

// withMasonsIn is that for nodes that are set up differently.
func withMasonsIn(t *lab.Trial, nodes, n int, setup clusterSetup, run func(c *cluster, es *masons) error) error {
	if n > MaxMasons {
		t.Reject("editors", fmt.Sprintf("at most %d", MaxMasons))
	}
	return withClusterOf(t, nodes, setup, func(c *cluster) error {
		es, err := c.join(n)
		if err != nil {
			return err
		}
		defer es.close()
		return run(c, es)
	})
}

// withCluster checks the settings, starts nodes, and ends them when run has returned.
func withCluster(t *lab.Trial, nodes int, run func(c *cluster) error) error {
	return withClusterOf(t, nodes, clusterSetup{}, run)
}

func withClusterOf(t *lab.Trial, nodes int, setup clusterSetup, run func(c *cluster) error) (err error) {
	if err := t.Settings(); err != nil {
		return err
	}
	c, err := startCluster(t.Context, t.Seed, nodes, setup)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	return run(c)
}

func runEditLatency(t *lab.Trial) error {
	nodes, n, seconds := t.Int("nodes", 1), t.Int("editors", 1), t.Float("seconds", 1)
	return withMasons(t, nodes, n, func(c *cluster, es *masons) error {
		return reportEditLatency(t, c, es, nodes, seconds)
	})
}

// reportEditLatency lets editors edit for a while and reports how long each edit took.
func reportEditLatency(t *lab.Trial, c *cluster, es *masons, nodes int, seconds float64) error {
	n := len(es.all)
	region := c.spawn.Region()
	lead, err := c.settled(region, min(nodes, 3))
	if err != nil {
		return err
	}
	t.Logf("%d nodes, %d editors; the region has its hosts", nodes, n)
	sync, err := diskSyncs(c.dir)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(t.Context)
	defer stop()
	by := es.play(ctx)
	if err := firstEdits(t.Context, by); err != nil {
		return err
	}
	began := time.Now()
	if err := lab.Sleep(t.Context, lab.Duration(seconds)); err != nil {
		return err
	}
	stop()
	time.Sleep(time.Second) // the last answers
	var all, here, far []float64
	refused := map[string]int{}
	line := lab.Series{Name: "edits"}
	for i := range by {
		for range len(by[i]) {
			d := <-by[i]
			if d.Sent.Before(began) {
				continue // while others had none acknowledged yet
			}
			if !d.OK {
				refused[string(d.Code)]++
				continue
			}
			ms := Milliseconds(d.Done.Sub(d.Sent))
			all = append(all, ms)
			if es.at[i] == lead {
				here = append(here, ms)
			} else {
				far = append(far, ms)
			}
		}
	}
	if len(all) == 0 {
		return errors.New("no edit was acknowledged")
	}
	table := lab.Table{Name: "edit-latency", Title: "From the edit until it is acknowledged", Columns: []string{"players of", "edits", "p50 ms", "p90 ms", "p99 ms", "max ms"}}
	for _, row := range []struct {
		name string
		ms   []float64
	}{{"all nodes", all}, {"the node that leads the region", here}, {"other nodes", far}} {
		table.Row(row.name, len(row.ms), lab.Percentile(row.ms, 0.5), lab.Percentile(row.ms, 0.9), lab.Percentile(row.ms, 0.99), lab.Percentile(row.ms, 1))
	}
	t.Table(table)
	line.Points = lab.Cumulative(all)
	t.Plot(lab.Plot{Name: "edit-latency", Title: "Edits acknowledged within a time", X: "ms", Y: "% of the edits", Series: []lab.Series{line}})
	t.Metric("p50_ms", lab.Percentile(all, 0.5), "ms")
	t.Metric("p99_ms", lab.Percentile(all, 0.99), "ms")
	t.Metric("sync_p50_ms", lab.Percentile(sync, 0.5), "ms")
	t.Metric("of_sync", lab.Percentile(all, 0.5)/lab.Percentile(sync, 0.5), "")
	t.Metric("edits_per_s", float64(len(all))/time.Since(began).Seconds(), "1/s")
	reportRefusals(t, refused)
	return nil
}

// firstEdits waits until each editor has had an edit acknowledged: what is measured
// afterwards does not depend on how long editors take to find their hosts.
func firstEdits(ctx context.Context, by []chan Edit) error {
	ctx, cancel := context.WithTimeout(ctx, SettleTime)
	defer cancel()
	for i, reports := range by {
		for ok := false; !ok; {
			select {
			case d := <-reports:
				ok = d.OK
			case <-ctx.Done():
				return fmt.Errorf("no edit of editor %d was acknowledged within %v", i, SettleTime)
			}
		}
	}
	return nil
}

// reportRefusals reports how many edits were refused, and why.
func reportRefusals(t *lab.Trial, by map[string]int) {
	table, all := lab.Table{Name: "refusals", Title: "Edits that were refused", Columns: []string{"reason", "edits"}}, 0
	for _, code := range slices.Sorted(maps.Keys(by)) {
		table.Row(code, by[code])
		all += by[code]
	}
	t.Table(table)
	t.Metric("refused", float64(all), "edits")
}

// diskSyncs is how long the disk takes, in ms, to sync what was appended to a file
// in dir: the least that a durable edit can take, measured in the same run.
func diskSyncs(dir string) (ms []float64, err error) {
	f, err := os.CreateTemp(dir, "sync")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	record := make([]byte, 256) // about what an edit appends to the write-ahead log
	for range 100 {
		begin := time.Now()
		if _, err := f.Write(record); err != nil {
			return nil, err
		}
		if err := f.Sync(); err != nil {
			return nil, err
		}
		ms = append(ms, Milliseconds(time.Since(begin)))
	}
	return ms, nil
}
