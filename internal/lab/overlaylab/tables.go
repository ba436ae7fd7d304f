package overlaylab

import (
	"fmt"
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var Tables = lab.Experiment{
	Name:          "overlay-tables",
	Shows:         "neighbourhoods and routing tables after hours of coming and going: sizes, how full, how many entries are the nearest node and how many are mutual",
	Source:        "thesis 6.3.2, tables 6.1 to 6.5 and 6.7 to 6.10, figure 6.4",
	Deterministic: true,
	Many:          true,
	Settings: []lab.Setting{
		{Name: "iad", Default: "25", Unit: "s", Text: "mean times between two arrivals; the thesis has 6,7,8,9,10,11,12,13,14,15,17,18,20,25"},
		{Name: "r", Default: "4,9,16", Text: "zones"},
		{Name: "hours", Default: "1", Unit: "h", Text: "simulated time; the thesis has 8"},
		narrowSetting,
		{Name: "start", Default: "200", Text: "networks of table 6.10: nodes that join within ten minutes (the thesis has 200,400,600,800,1000); 0 for none"},
	},
	Differs: differsTables,
	Run:     runOverlayTables,
}

func runOverlayTables(t *lab.Trial) error {
	iads, zones, hours, starts := t.Floats("iad", 0.1), t.Zones("r"), t.Float("hours", 0.1), t.Ints("start", 0)
	wide := !t.Flag("narrow")
	if err := t.Settings(); err != nil {
		return err
	}
	groups := churnGroups(iads, zones, hours, wide)
	long := len(groups)
	for _, start := range starts {
		for _, r := range zones {
			if start > 0 { // 6.4.1: the arrivals keep as many as there are
				groups = append(groups, overlayRun{IAD: 7200 / float64(start), R: r, Hours: 0.5, Start: start, Wide: wide})
			}
		}
	}
	results, err := doGroups(t, groups)
	if err != nil {
		return err
	}
	compare := hours == 8
	for _, r := range zones {
		degreeTable(t, r, groups[:long], results, compare)
		fillTable(t, r, groups[:long], results, compare)
	}
	entriesTable(t, groups, results)
	fourthLayerPlot(t, groups[:long], results)
	return allExact(t, groups, results)
}

// churnGroups are the scenarios of 6.3.1.
func churnGroups(iads []float64, zones []int, hours float64, wide bool) (groups []overlayRun) {
	for _, iad := range iads {
		for _, r := range zones {
			groups = append(groups, overlayRun{IAD: iad, R: r, Hours: hours, Wide: wide})
		}
	}
	return groups
}

// doGroups does each scenario with all seeds.
func doGroups(t *lab.Trial, groups []overlayRun) ([][]overlayResult, error) {
	var runs []overlayRun
	for k := range t.Runs { // one run of every scenario first
		for _, g := range groups {
			g.Seed = t.Seed + uint64(k)
			runs = append(runs, g)
		}
	}
	flat, err := lab.DoAll(t, runs)
	if err != nil {
		return nil, err
	}
	out := make([][]overlayResult, len(groups))
	for i, r := range flat {
		out[i%len(groups)] = append(out[i%len(groups)], r)
	}
	return out, nil
}

// allExact is the promise that every run has to keep (6.3.2).
func allExact(t *lab.Trial, groups []overlayRun, results [][]overlayResult) error {
	runs, exact := 0, 0
	var first error
	for g, list := range results {
		for k, r := range list {
			runs++
			if r.Wrong == 0 && r.Shaky == 0 {
				exact++
			} else if first == nil {
				o := groups[g]
				o.Seed = t.Seed + uint64(k)
				first = fmt.Errorf("%s: %d of %d neighbourhoods are not the Delaunay graph, %d nodes unstable", o.Name(), r.Wrong, r.Nodes, r.Shaky)
			}
		}
	}
	t.Metric("runs", float64(runs), "")
	t.Metric("delaunay_exact", float64(exact)/float64(max(runs, 1)), "")
	return first
}

// Beside writes the thesis' figure next to ours; if the run is not as long as
// the thesis', it is no comparison.
func Beside(compare bool, v float64, digits int) string {
	if !compare {
		return "–"
	}
	return fmt.Sprintf("%.*f", digits, v)
}

// besideMean is the same for a mean over the runs and its deviation.
func besideMean(compare bool, p paperRow) string {
	if !compare {
		return "–"
	}
	return lab.Spread{Mean: p.mean, SD: p.runs}.PlusMinus(4)
}

// spreadCells are a mean over the runs, its deviation, the deviation within a
// run, the least and the greatest, each beside the thesis'; and that mean.
func spreadCells(results []overlayResult, get func(overlayResult) lab.Spread, compare bool, p paperRow, digits int) (mean float64, cells []any) {
	m := lab.Over(results, func(o overlayResult) float64 { return get(o).Mean })
	return m.Mean, []any{
		m.PlusMinus(4), besideMean(compare, p),
		fmt.Sprintf("%.4f", lab.Over(results, func(o overlayResult) float64 { return get(o).SD }).Mean), Beside(compare, p.sd, 4),
		lab.Over(results, func(o overlayResult) float64 { return get(o).Min }).Min, Beside(compare, p.min, digits),
		lab.Over(results, func(o overlayResult) float64 { return get(o).Max }).Max, Beside(compare, p.max, digits),
	}
}

func degreeTable(t *lab.Trial, r int, groups []overlayRun, results [][]overlayResult, compare bool) {
	table := lab.Table{
		Name: fmt.Sprintf("degree-r%d", r), Title: fmt.Sprintf("Neighbours, r = %d (table 6.%d; nodes: tables 6.1, 6.2), mean over the runs and its deviation", r, map[int]int{4: 3, 9: 4, 16: 5}[r]),
		Columns: []string{"IAD", "started", "nodes", "thesis", "mean", "thesis", "deviation", "thesis", "least", "thesis", "greatest", "thesis"},
	}
	for i, g := range groups {
		if g.R != r {
			continue
		}
		p, known := paperOf(g.IAD, r)
		known = known && compare
		d, cells := spreadCells(results[i], func(o overlayResult) lab.Spread { return o.Degree }, known, p.degree, 0)
		table.Row(append([]any{g.IAD,
			lab.Over(results[i], func(o overlayResult) float64 { return float64(o.Started) }).Mean,
			lab.Over(results[i], func(o overlayResult) float64 { return float64(o.Nodes) }).PlusMinus(0), Beside(known, float64(p.nodes), 0),
		}, cells...)...)
		t.AgainstIf(known, fmt.Sprintf("degree_iad%g_r%d", g.IAD, r), d, "", p.degree.mean)
	}
	t.Table(table)
}

func fillTable(t *lab.Trial, r int, groups []overlayRun, results [][]overlayResult, compare bool) {
	table := lab.Table{
		Name: fmt.Sprintf("fill-r%d", r), Title: fmt.Sprintf("Filled share of the routing table, r = %d (table 6.%d)", r, map[int]int{4: 7, 9: 8, 16: 9}[r]),
		Columns: []string{"IAD", "mean", "thesis", "deviation", "thesis", "least", "thesis", "greatest", "thesis", "top layer", "of what can be filled"},
	}
	for i, g := range groups {
		if g.R != r {
			continue
		}
		p, known := paperOf(g.IAD, r)
		known = known && compare
		f, cells := spreadCells(results[i], func(o overlayResult) lab.Spread { return o.Fill }, known, p.fill, 4)
		table.Row(append(append([]any{g.IAD}, cells...),
			lab.Over(results[i], func(o overlayResult) float64 { return o.FillTop.Mean }).Mean,
			lab.Over(results[i], func(o overlayResult) float64 { return float64(o.Filled) / float64(max(o.Fillable, 1)) }).Mean)...)
		t.AgainstIf(known, fmt.Sprintf("fill_iad%g_r%d", g.IAD, r), f, "", p.fill.mean)
	}
	t.Table(table)
}

// entriesTable is table 6.10. A run of other sizes is compared with the network
// of the thesis that is nearest in size.
func entriesTable(t *lab.Trial, groups []overlayRun, results [][]overlayResult) {
	table := lab.Table{
		Name: "entries", Title: "Entries of routing tables (table 6.10, the thesis' network nearest in size)",
		Columns: []string{"scenario", "r", "nodes", "filled", "a node", "thesis", "symmetric", "thesis", "closest", "thesis"},
	}
	for i, g := range groups {
		nodes := lab.Over(results[i], func(o overlayResult) float64 { return float64(o.Nodes) }).Mean
		filled := lab.Over(results[i], func(o overlayResult) float64 { return float64(o.Filled) }).Mean
		symmetric := lab.Over(results[i], func(o overlayResult) float64 { return float64(o.Symmetric) / float64(max(o.Filled, 1)) })
		closest := lab.Over(results[i], func(o overlayResult) float64 { return float64(o.Closest) / float64(max(o.Filled, 1)) })
		p := nearestEntriesPaper(nodes, g.R)
		name := fmt.Sprintf("IAD %g, %g h", g.IAD, g.Hours)
		if g.Start > 0 {
			name = fmt.Sprintf("%d at the start", g.Start)
		}
		table.Row(name, g.R, nodes, filled, filled/nodes, float64(p.filled)/float64(p.nodes),
			symmetric.PlusMinus(3), p.symmetric, closest.PlusMinus(3), p.closest)
		key := fmt.Sprintf("iad%g_r%d", g.IAD, g.R)
		if g.Start > 0 {
			key = fmt.Sprintf("n%d_r%d", g.Start, g.R)
		}
		t.Against("symmetric_"+key, symmetric.Mean, "", p.symmetric)
		t.Against("closest_"+key, closest.Mean, "", p.closest)
	}
	t.Table(table)
}

func nearestEntriesPaper(nodes float64, r int) (best entriesPaper) {
	for _, p := range entriesPapers {
		if p.r == r && (best.nodes == 0 || math.Abs(float64(p.nodes)-nodes) < math.Abs(float64(best.nodes)-nodes)) {
			best = p
		}
	}
	return best
}

// fourthLayerPlot is figure 6.4.
func fourthLayerPlot(t *lab.Trial, groups []overlayRun, results [][]overlayResult) {
	p := lab.Plot{Name: "fourth-layer", Title: "Entries of the fourth layer (figure 6.4)", X: "filled entries", Y: "share of nodes, %"}
	for i, g := range groups {
		if g.R == 4 {
			continue
		}
		line := lab.Series{Name: fmt.Sprintf("IAD %g, r = %d", g.IAD, g.R)}
		var sum, all float64
		for k := range g.R {
			count := lab.Over(results[i], func(o overlayResult) float64 { return float64(o.Fourth[k]) / float64(max(o.Nodes, 1)) }).Mean
			line.Points = append(line.Points, [2]float64{float64(k), 100 * count})
			sum, all = sum+float64(k)*count, all+count
		}
		p.Series = append(p.Series, line)
		t.Metric(fmt.Sprintf("fourth_iad%g_r%d", g.IAD, g.R), sum/all, "")
	}
	t.Plot(p)
}
