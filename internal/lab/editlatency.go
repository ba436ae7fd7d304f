package lab

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
)

var editLatencyExperiment = Experiment{
	Name:   "edit-latency",
	Shows:  "how long a block edit takes until it is acknowledged: kept by three processes, each of which has synced it to disk or will",
	Source: "own aims: 15 ms (p50) and 60 ms (p99), better 3 and 10 ms",
	Settings: []Setting{
		{"nodes", "3", "", "processes that host the world; up to three keep the region"},
		{"editors", "3", "", "players that edit, at nodes in turn; at most 4"},
		{"seconds", "20", "s", "how long"},
	},
	Run: runEditLatency,
}

// masons are players who edit, and the nodes that they are at.
type masons struct {
	all []*mason
	at  []*nodeProcess
	who []client.Identity
}

// maxMasons is how many have places of their own to edit.
const maxMasons = 4

// join brings editors to the nodes of a cluster in turn.
func (c *cluster) join(n int) (*masons, error) {
	es := &masons{}
	for i := range n {
		who, err := client.NewIdentity(fmt.Sprintf("editor %d", i))
		if err != nil {
			return nil, err
		}
		p := c.nodes[i%len(c.nodes)]
		e, err := joinMason(c.ctx, p.URL, who, i)
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

// stepping is how often players say what they do, as browsers do.
const stepping = 50 * time.Millisecond

// play lets a mason stand there and edit until ctx ends or its connection
// does.
func (e *mason) play(ctx context.Context, report chan<- edit) {
	steps, acts := time.NewTicker(stepping), time.NewTicker(editPause)
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
			if !e.begin(report) {
				return
			}
		}
	}
}

// withMasons checks the settings, starts nodes, lets editors join them, and ends
// both when run has returned.
func withMasons(t *Trial, nodes, n int, run func(c *cluster, es *masons) error) (err error) {
	if n > maxMasons {
		t.reject("editors", fmt.Sprintf("at most %d", maxMasons))
	}
	if err := t.Settings(); err != nil {
		return err
	}
	c, err := startCluster(t.Context, t.Seed, nodes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	es, err := c.join(n)
	if err != nil {
		return err
	}
	defer es.close()
	return run(c, es)
}

func runEditLatency(t *Trial) error {
	nodes, n, seconds := t.Int("nodes", 1), t.Int("editors", 1), t.Float("seconds", 1)
	return withMasons(t, nodes, n, func(c *cluster, es *masons) error {
		return t.editLatency(c, es, nodes, seconds)
	})
}

// editLatency lets editors edit for a while and reports how long each edit took.
func (t *Trial) editLatency(c *cluster, es *masons, nodes int, seconds float64) error {
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
	ctx, stop := context.WithTimeout(t.Context, duration(seconds))
	defer stop()
	began := time.Now()
	by := make([]chan edit, n)
	for i, e := range es.all {
		by[i] = make(chan edit, 1<<14)
		go e.play(ctx, by[i])
	}
	<-ctx.Done()
	time.Sleep(time.Second) // the last answers
	var all, here, far []float64
	refused := map[string]int{}
	line := Series{Name: "edits"}
	for i := range by {
		for range len(by[i]) {
			d := <-by[i]
			if !d.ok {
				refused[string(d.code)]++
				continue
			}
			ms := milliseconds(d.done.Sub(d.sent))
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
	table := Table{Name: "edit-latency", Title: "From the edit until it is acknowledged", Columns: []string{"players of", "edits", "p50 ms", "p90 ms", "p99 ms", "max ms"}}
	for _, row := range []struct {
		name string
		ms   []float64
	}{{"all nodes", all}, {"the node that leads the region", here}, {"other nodes", far}} {
		table.Row(row.name, len(row.ms), percentile(row.ms, 0.5), percentile(row.ms, 0.9), percentile(row.ms, 0.99), percentile(row.ms, 1))
	}
	t.Table(table)
	for q := 1; q <= 100; q++ {
		line.Points = append(line.Points, [2]float64{percentile(all, float64(q)/100), float64(q)})
	}
	t.Plot(Plot{Name: "edit-latency", Title: "Edits acknowledged within a time", X: "ms", Y: "% of the edits", Series: []Series{line}})
	t.Metric("p50_ms", percentile(all, 0.5), "ms")
	t.Metric("p99_ms", percentile(all, 0.99), "ms")
	t.Metric("sync_p50_ms", percentile(sync, 0.5), "ms")
	t.Metric("of_sync", percentile(all, 0.5)/percentile(sync, 0.5), "")
	t.Metric("edits_per_s", float64(len(all))/time.Since(began).Seconds(), "1/s")
	t.refusals(refused)
	return nil
}

// refusals reports how many edits were refused, and why.
func (t *Trial) refusals(by map[string]int) {
	table, all := Table{Name: "refusals", Title: "Edits that were refused", Columns: []string{"reason", "edits"}}, 0
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
		ms = append(ms, milliseconds(time.Since(begin)))
	}
	return ms, nil
}
