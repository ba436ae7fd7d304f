package storagelab

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/overlaylab"
)

var ThesisMinute = lab.Experiment{
	Name:   "thesis-minute",
	Shows:  "what it costs to simulate the storage: the set-up of a network and one minute of updates of the thesis' world",
	Source: "thesis 6.4.1: nearly six hours and 20 GB for one minute, n = 1000, r = 16",
	Settings: []lab.Setting{
		{Name: "nodes", Default: "1000", Text: "how many start"},
		{Name: "r", Default: "16", Text: "zones: 4, 9 or 16"},
		{Name: "iad", Default: "0", Unit: "s", Text: "mean time between two arrivals; 0 is what the thesis has for so many nodes"},
	},
	Run: runThesisMinute,
}

// The thesis' simulator: nearly six hours, 20 GB (6.4.1).
const (
	thesisWall   = 21600
	thesisMemory = 20000
)

func runThesisMinute(t *lab.Trial) error {
	o := storageRun{Nodes: t.Int("nodes", 10), R: t.Zones("r")[0], IAD: t.Float("iad", 0), Seed: t.Seed}
	if err := t.Settings(); err != nil {
		return err
	}
	begin, cpu, peak := time.Now(), lab.CPUTime(), 0.0
	n := newStorageNet(o)
	k := 0
	phases, err := n.do(t.Context, func() {
		if k++; k%5 == 0 {
			peak = max(peak, lab.ReadMemory().Resident)
			t.Logf("%v, %d nodes, %d M events", n.sim.Now().Sub(0).Round(time.Second), len(n.live()), n.sim.Events()/1e6)
		}
	})
	if err != nil {
		return err
	}
	wall, cpu := time.Since(begin), lab.CPUTime()-cpu
	t.Against("wall_s", wall.Seconds(), "s", thesisWall)
	t.Against("peak_mb", peak, "MB", thesisMemory)
	overlaylab.ReportSpeed(t, n.sim, wall, cpu)
	t.Metric("events", float64(n.sim.Events()), "")
	t.Metric("nodes", float64(len(n.live())), "")
	table := lab.Table{Name: "phases", Title: "Where the time goes", Columns: []string{"phase", "wall s", "events", "events/s"}}
	for _, p := range phases {
		table.Row(p.Name, p.Wall.Seconds(), p.Events, float64(p.Events)/p.Wall.Seconds())
	}
	t.Table(table)
	t.Table(n.queryTable())
	t.Metric("updates_failed", float64(n.probe.failed), "")
	t.Metric("replays", float64(n.memo.Steps), "")
	t.Metric("replays_shared", float64(n.memo.Hits), "")
	rows, gross := overlaylab.RowsOf(&n.traffic), 0.0
	for _, r := range rows {
		gross += float64(r.Gross)
	}
	t.Metric("gross_gb", gross/1e9, "GB")
	t.Fact("trace", fmt.Sprintf("%016x", n.sim.Trace()))
	t.Table(overlaylab.TrafficTable(rows))
	return nil
}

// queryTable is what was asked for, and how it went.
func (n *storageNet) queryTable() lab.Table {
	table := lab.Table{Name: "queries", Title: "Retrievals (tables 6.17, 6.19, 6.27, 6.28)",
		Columns: []string{"kind", "queries", "messages", "median ms", "no result", "minority", "hops"}}
	for _, q := range n.probe.queries() {
		table.Row(q.Kind, q.Count, q.Messages, q.MedianMs, q.None, q.Minority, q.Hops)
	}
	return table
}
