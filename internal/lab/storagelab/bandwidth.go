package storagelab

import (
	"fmt"
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/overlaylab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
)

var Bandwidth = lab.Experiment{
	Name:          "storage-bandwidth",
	Shows:         "what the storage costs: bytes a second of nodes, waiting for their channels, what they are responsible for, ask for and get",
	Source:        "thesis 6.4.3, figures 6.10 to 6.12, tables 6.20 to 6.26",
	Deterministic: true,
	Many:          true,
	Settings:      storageSettings,
	Run:           runStorageBandwidth,
}

// storageSettings are those of the experiments that look at the storage without
// attackers.
var storageSettings = append(minuteSettings[:len(minuteSettings):len(minuteSettings)], swingSetting, silentSetting)

// How nodes come and go.
var (
	swingSetting  = lab.Setting{Name: "swing", Default: "0", Unit: "%", Text: "by how much arrivals rise and fall around their mean in the course of a day (8640 updates)"}
	silentSetting = lab.Setting{Name: "silent", Default: "0", Unit: "%", Text: "how many nodes fail silently, two updates after their players have left, instead of leaving; pings every 3 s notice it"}
)

// minuteSettings are those of the experiments that look at six updates.
var minuteSettings = []lab.Setting{
	{Name: "nodes", Default: "200", Text: "nodes that join within ten minutes; the thesis has 200,400,600,800,1000"},
	{Name: "r", Default: "4", Text: "zones; the thesis has 4,9,16"},
	{Name: "updates", Default: "6", Text: "of 10 s each, the last two without churn; the thesis has 6, an hour 360"},
	ProtocolSetting,
}

// ProtocolSetting is which protocol the storage follows.
var ProtocolSetting = lab.Setting{Name: "protocol", Default: "thesis", Text: "thesis or hardened"}

// ProtocolOf returns the setting of that name.
func ProtocolOf(t *lab.Trial) storage.Protocol {
	p, err := storage.ParseProtocol(t.Text("protocol"))
	if err != nil {
		t.Reject("protocol", ProtocolSetting.Text)
	}
	return p
}

// doStorage does each scenario with all seeds, and compares with a sequential
// replay if check is set.
func doStorage(t *lab.Trial, check bool) ([]storageRun, [][]storageResult, error) {
	sizes, zones, updates, swing := t.Ints("nodes", 4), t.Zones("r"), t.Int("updates", 3), t.Int("swing", 0)
	silent, protocol := t.Int("silent", 0), ProtocolOf(t)
	if silent > 100 {
		return nil, nil, fmt.Errorf("silent is %d %%: no more than all nodes, 100, can fail", silent)
	}
	if swing > 100 {
		return nil, nil, fmt.Errorf("swing is %d %%: arrivals cannot fall by more than all, 100", swing)
	}
	if err := t.Settings(); err != nil {
		return nil, nil, err
	}
	var groups, runs []storageRun
	for _, r := range zones {
		for _, n := range sizes {
			groups = append(groups, storageRun{Nodes: n, R: r, Updates: updates, Swing: swing, Silent: silent, Check: check, Protocol: protocol})
		}
	}
	for k := range t.Runs {
		for _, g := range groups {
			g.Seed = t.Seed + uint64(k)
			runs = append(runs, g)
		}
	}
	flat, err := lab.DoAll(t, runs)
	if err != nil {
		return nil, nil, err
	}
	out := make([][]storageResult, len(groups))
	for i, r := range flat {
		out[i%len(groups)] = append(out[i%len(groups)], r)
	}
	return groups, out, nil
}

func (s storageRun) key() string { return fmt.Sprintf("_n%d_r%d", s.Nodes, s.R) }

// storageShapes are the tables that describe a distribution over the nodes.
var storageShapes = []struct {
	name, title, metric, unit string
	get                       func(*storageResult) shape
	paper                     func(storagePaper) shapePaper
}{
	{"bandwidth", "Upstream of a node, B/s (table 6.20, figure 6.11)", "upstream_b_s", "B/s",
		func(r *storageResult) shape { return r.Bandwidth }, func(p storagePaper) shapePaper { return p.bandwidth }},
	{"stored", "Data stored by a node, bytes (table 6.21)", "stored_b", "B",
		func(r *storageResult) shape { return r.Stored }, func(p storagePaper) shapePaper { return p.stored }},
	{"voronoi", "Voronoi cells, m² (table 6.23)", "voronoi_m2", "m²",
		func(r *storageResult) shape { return r.Voronoi }, func(p storagePaper) shapePaper { return p.voronoi }},
	{"maintenance", "Maintenance areas, m² (table 6.24)", "maintenance_m2", "m²",
		func(r *storageResult) shape { return r.Maintenance }, func(p storagePaper) shapePaper { return p.maintenance }},
	{"result", "Results of update areas, bytes (table 6.25)", "result_b", "B",
		func(r *storageResult) shape { return r.Result }, func(p storagePaper) shapePaper { return p.result }},
	{"update", "Update areas, m² (table 6.26)", "update_m2", "m²",
		func(r *storageResult) shape { return r.Update }, func(p storagePaper) shapePaper { return p.update }},
}

func runStorageBandwidth(t *lab.Trial) error {
	groups, results, err := doStorage(t, false)
	if err != nil {
		return err
	}
	totalTraffic(t, groups, results)
	for _, s := range storageShapes {
		table := lab.Table{
			Name: s.name, Title: s.title + ": means over the runs",
			Columns: []string{"nodes", "r", "mean", "thesis", "median", "thesis", "least", "thesis", "greatest", "thesis", "deviation", "thesis"},
		}
		for i, g := range groups {
			p, known := storagePaperOf(g.Nodes, g.R)
			paper := s.paper(p)
			row := []any{g.Nodes, g.R}
			var first float64
			for k, c := range [...]struct {
				get   func(shape) float64
				paper float64
			}{
				{func(s shape) float64 { return s.Mean }, paper.mean}, {func(s shape) float64 { return s.Median }, paper.median},
				{func(s shape) float64 { return s.Min }, paper.min}, {func(s shape) float64 { return s.Max }, paper.max},
				{func(s shape) float64 { return s.SD }, paper.sd},
			} {
				v := lab.Over(results[i], func(r storageResult) float64 { return c.get(s.get(&r)) }).Mean
				if k == 0 {
					first = v
				}
				row = append(row, math.Round(v), overlaylab.Beside(known, c.paper, 0))
			}
			table.Row(row...)
			compareKnown(t, known, s.metric+g.key(), first, s.unit, paper.mean)
		}
		t.Table(table)
	}
	for _, r := range t.Zones("r") {
		upstreamMetric(t, groups, results, r)
	}
	waitTable(t, groups, results)
	correlationTable(t, groups, results)
	storageTypes(t, groups, results)
	return nil
}

// compareKnown reports a number beside the source's, if the source has it.
func compareKnown(t *lab.Trial, known bool, name string, v float64, unit string, paper float64) {
	if known {
		t.Against(name, v, unit, paper)
	} else {
		t.Metric(name, v, unit)
	}
}

// upstreamMetric reports what a node sends in the largest network.
func upstreamMetric(t *lab.Trial, groups []storageRun, results [][]storageResult, r int) {
	best := -1
	for i, g := range groups {
		if g.R == r && (best < 0 || g.Nodes > groups[best].Nodes) {
			best = i
		}
	}
	p, known := storagePaperOf(groups[best].Nodes, r)
	v := lab.Over(results[best], func(r storageResult) float64 { return r.Bandwidth.Mean }).Mean
	compareKnown(t, known, fmt.Sprintf("mean_kb_s_r%d", r), v/1000, "kB/s", p.bandwidth.mean/1000)
}

// totalTraffic is figures 6.10 and 6.11.
func totalTraffic(t *lab.Trial, groups []storageRun, results [][]storageResult) {
	table := lab.Table{
		Name: "traffic", Title: "All traffic of the link layer in the minute of the updates (figure 6.10)",
		Columns: []string{"nodes", "r", "started", "left over", "GB", "updates that failed", "steps replayed", "found replayed"},
	}
	total := lab.Plot{Name: "total-traffic", Title: "Traffic of the link layer (figure 6.10)", X: "nodes", Y: "GB"}
	each := lab.Plot{Name: "node-traffic", Title: "Upstream of a node (figure 6.11)", X: "nodes", Y: "B/s"}
	for i, g := range groups {
		mean := func(get func(storageResult) float64) float64 { return lab.Over(results[i], get).Mean }
		gb := lab.Over(results[i], func(r storageResult) float64 { return float64(r.Sent) / 1e9 })
		table.Row(g.Nodes, g.R,
			mean(func(r storageResult) float64 { return float64(r.Started) }), mean(func(r storageResult) float64 { return float64(r.Nodes) }),
			gb.PlusMinus(2), mean(func(r storageResult) float64 { return float64(r.Failed) }),
			mean(func(r storageResult) float64 { return float64(r.Replays) }), mean(func(r storageResult) float64 { return float64(r.Reused) }))
		name := fmt.Sprintf("r = %d", g.R)
		total.Line(name).Add(float64(g.Nodes), gb.Mean)
		each.Line(name).Add(float64(g.Nodes), mean(func(r storageResult) float64 { return r.Bandwidth.Mean }))
		compareKnown(t, g.Nodes == 1000 && g.R == 16, "link_gb"+g.key(), gb.Mean, "GB", 96) // 6.4.3, Total Traffic
		t.Metric("failed"+g.key(), mean(func(r storageResult) float64 { return float64(r.Failed) }), "")
	}
	t.Table(table)
	t.Plot(total)
	t.Plot(each)
}

// waitTable is figure 6.12: of each run the node that waits most.
func waitTable(t *lab.Trial, groups []storageRun, results [][]storageResult) {
	table := lab.Table{
		Name: "waits", Title: "Waiting for a channel, ms: the node of each run that waits most, its mean and its longest (figure 6.12)",
		Columns: []string{"nodes", "r", "up, mean", "up, longest", "down, mean", "down, longest"},
	}
	for i, g := range groups {
		most := func(get func(storageResult) shape) float64 {
			return lab.Over(results[i], func(r storageResult) float64 { return get(r).Max }).Mean
		}
		table.Row(g.Nodes, g.R,
			most(func(r storageResult) shape { return r.UpMean }), most(func(r storageResult) shape { return r.UpMax }),
			most(func(r storageResult) shape { return r.DownMean }), most(func(r storageResult) shape { return r.DownMax }))
	}
	t.Table(table)
}

// correlationTable is table 6.22: how the means of the distributions go
// together, over all sizes and replication factors.
func correlationTable(t *lab.Trial, groups []storageRun, results [][]storageResult) {
	if len(groups) < 3 {
		return // nothing to correlate
	}
	of := map[string]func(storageResult) float64{
		"bandwidth":   func(r storageResult) float64 { return r.Bandwidth.Mean },
		"data":        func(r storageResult) float64 { return r.Stored.Mean },
		"Voronoi":     func(r storageResult) float64 { return r.Voronoi.Mean },
		"maintenance": func(r storageResult) float64 { return r.Maintenance.Mean },
		"update":      func(r storageResult) float64 { return r.Update.Mean },
		"result set":  func(r storageResult) float64 { return r.Result.Mean },
	}
	table := lab.Table{Name: "correlation", Title: "Correlation of the means (table 6.22)", Columns: []string{"of", "with", "here", "thesis"}}
	for _, c := range [...]struct {
		a, b  string
		paper float64
	}{
		{"bandwidth", "data", .9070}, {"data", "Voronoi", .9994}, {"Voronoi", "maintenance", .9995},
		{"data", "maintenance", .9980}, {"update", "result set", .9820}, {"bandwidth", "result set", .9460},
	} {
		var x, y []float64
		for i := range groups {
			for _, r := range results[i] {
				x, y = append(x, of[c.a](r)), append(y, of[c.b](r))
			}
		}
		table.Row(c.a, c.b, fmt.Sprintf("%.4f", correlation(x, y)), fmt.Sprintf("%.4f", c.paper))
	}
	t.Table(table)
}

// correlation is Pearson's coefficient.
func correlation(x, y []float64) float64 {
	mx, my := lab.Mean(x), lab.Mean(y)
	var xy, xx, yy float64
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		xy, xx, yy = xy+dx*dy, xx+dx*dx, yy+dy*dy
	}
	return lab.Finite(xy / math.Sqrt(xx*yy))
}

// storageTypes is what the traffic consists of.
func storageTypes(t *lab.Trial, groups []storageRun, results [][]storageResult) {
	for i, g := range groups {
		table := lab.Table{
			Name:    "types" + g.key(),
			Title:   fmt.Sprintf("Messages by type, %d nodes, r = %d: the first run", g.Nodes, g.R),
			Columns: []string{"type", "messages", "payload MB", "gross MB", "% of gross", "delay ms"},
		}
		r := results[i][0]
		sum := 0.0
		for _, row := range r.Types {
			sum += float64(row.Gross)
		}
		for _, row := range r.Types {
			table.Row(row.Type, row.Messages, float64(row.Payload)/1e6, float64(row.Gross)/1e6, 100*float64(row.Gross)/sum, row.DelayMs)
		}
		t.Table(table)
	}
}
