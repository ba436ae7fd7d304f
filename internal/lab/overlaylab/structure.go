package overlaylab

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

var Structure = lab.Experiment{
	Name:   "overlay-structure",
	Shows:  "nodes that come and go, and whether their neighbourhoods are the Delaunay graph after a quiet minute; degrees, routing tables, traffic",
	Source: "thesis 6.3.1 to 6.3.3, tables 6.1 to 6.10, figures 6.2 to 6.9",
	Settings: []lab.Setting{
		{Name: "iad", Default: "25", Unit: "s", Text: "mean time between two arrivals; sessions last two hours on average"},
		{Name: "r", Default: "4", Text: "zones: 4, 9 or 16"},
		{Name: "hours", Default: "1", Unit: "h", Text: "simulated time; the thesis has 8"},
		narrowSetting,
	},
	Differs: append(slices.Clone(differsTables), differsSize),
	Run:     runOverlayStructure,
}

func runOverlayStructure(t *lab.Trial) error {
	iad, r, hours := t.Float("iad", 0.1), t.Int("r", 4), t.Float("hours", 0.1)
	narrow := t.Flag("narrow")
	if r != 4 && r != 9 && r != 16 {
		t.Reject("r", "4, 9 or 16")
	}
	if err := t.Settings(); err != nil {
		return err
	}
	begin, cpu := time.Now(), lab.CPUTime()
	n := newOverlayNet(t.Seed, thesisSpace(r, narrow), max(IDs, int(hours*3600/iad*1.3)))
	length := time.Duration(hours * float64(time.Hour))
	n.churn(lab.Duration(iad), 2*time.Hour, length)
	peak := 0.0
	curve := lab.Series{Name: fmt.Sprintf("IAD %g s", iad)}
	for step := length / 100; n.sim.Now() < machine.Time(length); {
		if err := t.Context.Err(); err != nil {
			return err
		}
		n.sim.Run(step)
		curve.Points = append(curve.Points, [2]float64{n.sim.Now().Sub(0).Hours(), float64(len(n.live()))})
		peak = max(peak, lab.ReadMemory().Resident)
		t.Logf("%.2f of %g h, %d nodes", n.sim.Now().Sub(0).Hours(), hours, len(n.live()))
	}
	wall, cpu := time.Since(begin), lab.CPUTime()-cpu
	s := n.look()
	paper, compare := paperOf(iad, r)
	reportStructure(t, n, s, paper, compare && hours == 8)
	reportCost(t, n, wall, cpu, peak)
	t.Plot(lab.Plot{Name: "nodes", Title: "Nodes in the network (figures 6.2, 6.3)", X: "hours", Y: "nodes", Series: []lab.Series{curve}})
	if s.wrong > 0 {
		return fmt.Errorf("%d of %d neighbourhoods are not the Delaunay graph", s.wrong, s.nodes)
	}
	return nil
}

// reportCost is what the simulation itself took. On a machine that does other
// things meanwhile the CPU time says more than the clock.
func reportCost(t *lab.Trial, n *overlayNet, wall, cpu time.Duration, peak float64) {
	t.Metric("wall_s", wall.Seconds(), "s")
	t.Metric("peak_mb", peak, "MB")
	ReportSpeed(t, n.sim, wall, cpu)
}

// ReportSpeed is how many events a second the simulation handled.
func ReportSpeed(t *lab.Trial, s *sim.Sim, wall, cpu time.Duration) {
	t.Metric("cpu_s", cpu.Seconds(), "s")
	t.Metric("events_per_s", float64(s.Events())/wall.Seconds(), "1/s")
	t.Metric("events_per_cpu_s", float64(s.Events())/cpu.Seconds(), "1/s")
}

func reportStructure(t *lab.Trial, n *overlayNet, s overlayState, paper overlayPaper, compare bool) {
	t.Metric("delaunay_exact", float64(lab.Indicator(s.wrong == 0 && s.shaky == 0)), "")
	t.Metric("nodes", float64(s.nodes), "")
	t.Metric("started", float64(len(n.nodes)), "")
	t.AgainstIf(compare, "degree_mean", lab.Mean(s.degree), "", paper.degree.mean)
	t.Metric("degree_sd", lab.Deviation(s.degree), "")
	t.Metric("degree_min", slices.Min(s.degree), "")
	t.Metric("degree_max", slices.Max(s.degree), "")
	t.AgainstIf(compare, "fill_mean", lab.Mean(s.fill), "", paper.fill.mean)
	t.Metric("fill_sd", lab.Deviation(s.fill), "")
	t.Metric("fill_of_possible", float64(s.filled)/float64(s.fillable), "")
	t.Metric("fill_top", lab.Mean(s.fillTop), "")
	t.Metric("closest_share", float64(s.closest)/float64(s.filled), "")
	t.Metric("symmetric_share", float64(s.symmetric)/float64(s.filled), "")
	rows := n.trafficRows()
	var payload, gross int64
	for _, r := range rows {
		payload, gross = payload+r.Payload, gross+r.Gross
	}
	t.Metric("payload_gb", float64(payload)/1e9, "GB")
	t.Metric("gross_gb", float64(gross)/1e9, "GB")
	t.Metric("upstream_b_s", n.upstream(), "B/s")
	t.Metric("events", float64(n.sim.Events()), "")
	t.Table(TrafficTable(rows))
	t.Fact("trace", fmt.Sprintf("%016x", n.sim.Trace()))
}

// TrafficTable shows messages by type.
func TrafficTable(rows []TrafficSum) lab.Table {
	table := lab.Table{Name: "traffic", Title: "Messages by type (figures 6.7 to 6.9)",
		Columns: []string{"type", "messages", "payload MB", "gross MB", "hops", "delay ms"}}
	for _, r := range rows {
		table.Row(r.Type, r.Messages, float64(r.Payload)/1e6, float64(r.Gross)/1e6, r.Hops, r.DelayMs)
	}
	return table
}
