package storagelab

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/attack"
)

// HeatMap looks at many attackers and shares side by side, where storage-attack looks for
// the share that one attacker takes.
var HeatMap = lab.Experiment{
	Name:          "storage-heatmap",
	Shows:         "which share of malicious nodes the storage stands, by attacker and number of zones, as a heat map of fallen runs",
	Source:        "thesis 6.4.4",
	Deterministic: true,
	Many:          true,
	Settings: []lab.Setting{
		{Name: "nodes", Default: "200", Text: "in the network"},
		{Name: "r", Default: "4,9,16", Text: "zones, a map for each"},
		{Name: "shares", Default: "1,2,4,8,14", Unit: "%", Text: "of malicious nodes"},
		{Name: "attacks", Default: "thesis,shout,forge,shout+forge+silence,views+swap+lazy", Text: "thesis, or some of " + attack.Names() + " with + between them; divided by commas"},
		{Name: "updates", Default: "6", Text: "of 10 s each, the last two without churn"},
		{Name: "protocol", Default: "hardened", Text: ProtocolSetting.Text},
	},
	Run: runHeatMap,
}

func runHeatMap(t *lab.Trial) error {
	g := siegeRun{storageRun: storageRun{Nodes: t.Int("nodes", 4), Updates: t.Int("updates", 3), Protocol: ProtocolOf(t)}}
	zones, shares, attacks := t.Zones("r"), t.Floats("shares", 0), strings.Split(t.Text("attacks"), ",")
	for _, ways := range attacks {
		if _, err := attack.ParseWays(ways); err != nil {
			t.Reject("attacks", "thesis, or some of "+attack.Names()+" with + between them")
		}
	}
	if err := t.Settings(); err != nil {
		return err
	}
	var runs []siegeRun
	for _, r := range zones {
		for _, ways := range attacks {
			for _, share := range shares {
				o := g
				o.R, o.Ways = r, ways
				for k := range t.Runs {
					runs = append(runs, o.with(t, int(share*float64(g.Nodes)/100+0.5), k))
				}
			}
		}
	}
	results, err := lab.DoAll(t, runs)
	if err != nil {
		return err
	}
	each := len(attacks) * len(shares) * t.Runs
	for _, r := range zones {
		h := heatMap(attacks, shares, t.Runs, results[:each])
		results = results[each:]
		h.Name = fmt.Sprintf("heatmap_r%d", r)
		h.Title = fmt.Sprintf("Fallen runs, %d nodes, r = %d, %s, seeds %d to %d", g.Nodes, r, g.Protocol, t.Seed, t.Seed+uint64(t.Runs)-1)
		t.HeatMap(h)
		table := lab.Table{Title: h.Title, Columns: append([]string{h.Y}, h.Columns...)}
		for _, row := range h.Rows {
			cells := []any{row.Name}
			for _, c := range row.Cells {
				cells = append(cells, c.Text)
			}
			table.Row(cells...)
		}
		t.Table(table)
	}
	return nil
}

// heatMap puts results in their cells: runs for each share, shares for each attacker.
func heatMap(attacks []string, shares []float64, runs int, results []siegeResult) lab.HeatMap {
	h := lab.HeatMap{X: "malicious nodes", Y: "attacker"}
	for _, share := range shares {
		h.Columns = append(h.Columns, strconv.FormatFloat(share, 'g', -1, 64)+" %")
	}
	for _, ways := range attacks {
		row := lab.HeatRow{Name: ways}
		for range shares {
			fallen := siegeRow{results: results[:runs]}.fallen()
			results = results[runs:]
			row.Cells = append(row.Cells, lab.HeatCell{Share: float64(fallen) / float64(runs), Text: fmt.Sprintf("%d of %d", fallen, runs)})
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}
