package overlaylab

import (
	"fmt"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var Attack = lab.Experiment{
	Name:          "overlay-attack",
	Shows:         "nodes that join early, never leave and answer every request for a routing table's entry: how much of the honest nodes' tables they get",
	Source:        "thesis 6.3.4, tables 6.11 and 6.12",
	Deterministic: true,
	Many:          true,
	Settings: []lab.Setting{
		{Name: "scenarios", Default: "100+10,200+60", Text: "honest nodes before the attack + attackers; the thesis has 100+5,100+10,200+10,100+20,200+20,100+30,200+40,200+60"},
		{Name: "wary", Default: "no", Text: "yes: attackers answer only for entries that they fit, so that audits do not find them out"},
		{Name: "r", Default: "4,9,16", Text: "zones"},
		{Name: "iad", Default: "12", Unit: "s", Text: "mean time between two arrivals; the thesis has 6"},
		{Name: "hours", Default: "1", Unit: "h", Text: "simulated time; the thesis has 8"},
		narrowSetting,
	},
	Differs: differsAttack,
	Run:     runOverlayAttack,
}

func runOverlayAttack(t *lab.Trial) error {
	scenarios, zones, iad, hours := scenariosOf(t), t.Zones("r"), t.Float("iad", 0.1), t.Float("hours", 0.1)
	wide, wary := !t.Flag("narrow"), t.Flag("wary")
	if err := t.Settings(); err != nil {
		return err
	}
	var groups []overlayRun
	for _, s := range scenarios {
		for _, r := range zones {
			groups = append(groups, overlayRun{IAD: iad, R: r, Hours: hours, Honest: s[0], Malicious: s[1], Wide: wide, Wary: wary})
		}
	}
	results, err := doGroups(t, groups)
	if err != nil {
		return err
	}
	compare := iad == 6 && hours == 8
	attackTable(t, groups, results, compare, lab.Table{Name: "tables", Title: "Share of malicious nodes in the routing tables of honest ones (table 6.11)"},
		func(o overlayResult) lab.Spread { return o.Malicious }, func(p attackPaper) attackRow { return p.table })
	attackTable(t, groups, results, compare, lab.Table{Name: "top-layer", Title: "The same in the top layer (table 6.12)"},
		func(o overlayResult) lab.Spread { return o.MaliciousTop }, func(p attackPaper) attackRow { return p.top })
	var eclipsed float64
	for _, list := range results {
		eclipsed += lab.Over(list, func(o overlayResult) float64 { return float64(o.Eclipsed) }).Mean * float64(len(list))
	}
	t.Metric("eclipsed", eclipsed, "")
	defenceTable(t, groups, results)
	return allExact(t, groups, results)
}

// defenceTable is what audits bring, and what they cost the tables.
func defenceTable(t *lab.Trial, groups []overlayRun, results [][]overlayResult) {
	table := lab.Table{Name: "defence", Title: "Audits (ours), and the tables of all nodes",
		Columns: []string{"scenario", "r", "attackers that an honest node keeps out", "honest ones", "entries filled, of what can be", "with the nearest node"}}
	for i, g := range groups {
		honest := func(o overlayResult) float64 { return float64(max(o.Nodes-g.Malicious, 1)) }
		avg := func(get func(overlayResult) float64) float64 { return lab.Over(results[i], get).Mean }
		wronged := avg(func(o overlayResult) float64 { return float64(o.Wronged) / honest(o) })
		table.Row(fmt.Sprintf("%d+%d", g.Honest, g.Malicious), g.R,
			fmt.Sprintf("%.2f", avg(func(o overlayResult) float64 { return float64(o.Caught) / honest(o) })), fmt.Sprintf("%.4f", wronged),
			fmt.Sprintf("%.3f", avg(func(o overlayResult) float64 { return float64(o.Filled) / float64(max(o.Fillable, 1)) })),
			fmt.Sprintf("%.3f", avg(func(o overlayResult) float64 { return float64(o.Closest) / float64(max(o.Filled, 1)) })))
		t.Metric(fmt.Sprintf("wronged_h%d_m%d_r%d", g.Honest, g.Malicious, g.R), wronged, "")
	}
	t.Table(table)
}

// scenariosOf reads HONEST+MALICIOUS,….
func scenariosOf(t *lab.Trial) (out [][2]int) {
	for text := range strings.SplitSeq(t.Text("scenarios"), ",") {
		var s [2]int
		if n, err := fmt.Sscanf(text, "%d+%d", &s[0], &s[1]); err != nil || n < 2 || s[0] < 1 || s[1] < 1 {
			t.Reject("scenarios", "HONEST+MALICIOUS, divided by commas")
			return nil
		}
		out = append(out, s)
	}
	return out
}

func attackTable(t *lab.Trial, groups []overlayRun, results [][]overlayResult, compare bool, table lab.Table, get func(overlayResult) lab.Spread, paper func(attackPaper) attackRow) {
	table.Columns = []string{"scenario", "r", "in the network", "thesis", "mean", "thesis", "over theirs", "thesis", "deviation", "thesis", "greatest", "thesis", "greatest, mean", "thesis"}
	for i, g := range groups {
		p, known := attackPaperOf(g)
		known = known && compare
		a := paper(p)
		net := lab.Over(results[i], func(o overlayResult) float64 { return float64(g.Malicious) / float64(max(o.Nodes, 1)) }).Mean
		share := lab.Over(results[i], func(o overlayResult) float64 { return get(o).Mean })
		greatest := lab.Over(results[i], func(o overlayResult) float64 { return get(o).Max })
		table.Row(fmt.Sprintf("%d+%d", g.Honest, g.Malicious), g.R,
			fmt.Sprintf("%.4f", net), Beside(known, p.share, 4),
			share.PlusMinus(4), besideMean(known, paperRow{mean: a.mean, runs: a.runs}),
			fmt.Sprintf("%.2f", share.Mean/net), Beside(known, a.mean/max(p.share, 1e-9), 2),
			fmt.Sprintf("%.4f", lab.Over(results[i], func(o overlayResult) float64 { return get(o).SD }).Mean), Beside(known, a.sd, 4),
			fmt.Sprintf("%.3f", greatest.Max), Beside(known, a.max, 3),
			fmt.Sprintf("%.3f", greatest.Mean), Beside(known, a.maxMean, 3))
		key := fmt.Sprintf("%s_share_h%d_m%d_r%d", strings.ReplaceAll(table.Name, "-", "_"), g.Honest, g.Malicious, g.R)
		t.AgainstIf(known, key, share.Mean, "", a.mean)
		t.AgainstIf(known, key+"_greatest", greatest.Mean, "", a.maxMean)
	}
	t.Table(table)
}

func attackPaperOf(g overlayRun) (attackPaper, bool) {
	for _, p := range attackPapers {
		if p.honest == g.Honest && p.malicious == g.Malicious && p.r == g.R {
			return p, true
		}
	}
	return attackPaper{}, false
}
