package storagelab

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var Siege = lab.Experiment{
	Name:          "storage-siege",
	Shows:         "whether objects are wrong or lost in a long time in which malicious nodes come and go and attack in one way after another",
	Source:        "ours; the thesis' runs last for six updates (6.4.4)",
	Deterministic: true,
	Many:          true,
	Settings: []lab.Setting{
		{Name: "nodes", Default: "200", Text: "in the network"},
		{Name: "r", Default: "4", Text: "zones: 4, 9 or 16"},
		{Name: "minutes", Default: "60", Unit: "min", Text: "six updates each; a day is 1440"},
		{Name: "malicious", Default: "2", Text: "how many of the nodes are"},
		{Name: "attack", Default: "turns", Text: "ways as of storage-attack, / between mixtures that take turns, a minute each; turns: the thesis' with each of the others"},
		{Name: "silent", Default: "50", Unit: "%", Text: silentSetting.Text},
		{Name: "protocol", Default: "hardened", Text: ProtocolSetting.Text},
	},
	Run: runStorageSiege,
}

func runStorageSiege(t *lab.Trial) error {
	g := siegeRun{
		storageRun: storageRun{Nodes: t.Int("nodes", 4), Updates: 6 * t.Int("minutes", 1), Silent: t.Int("silent", 0), Protocol: ProtocolOf(t)},
		Malicious:  t.Int("malicious", 0), Ways: t.Text("attack"), Coming: true,
	}
	zones := t.Zones("r")
	if g.Silent > 100 {
		t.Reject("silent", "at most 100")
	}
	if g.Ways == "turns" {
		g.Ways = allTurns()
	} else if _, err := g.turns(); err != nil {
		t.Reject("attack", "turns, or ways as of storage-attack with / between mixtures")
	}
	if err := t.Settings(); err != nil {
		return err
	}
	var runs []siegeRun
	for _, r := range zones {
		g.R = r
		for k := range t.Runs {
			runs = append(runs, g.with(t, g.Malicious, k))
		}
	}
	results, err := lab.DoAll(t, runs)
	if err != nil {
		return err
	}
	table := lab.Table{Name: "sieges", Title: fmt.Sprintf("%d nodes, %d of them malicious, %s", g.Nodes, g.Malicious, g.Protocol), Columns: []string{
		"r", "seed", "minutes", "members left", "came back", "wrong", "lost for three updates or wrong", "nodes with a tampered replica", "signed actions", "without effect", "never signed", "updates in doubt", "nodes unsure, most", "failed updates",
	}}
	fallen := 0
	for i, r := range results {
		table.Row(runs[i].R, runs[i].Seed, float64(r.Updates)/6, r.Left, r.Back, r.Objects, r.Stuck, r.Nodes, r.Signed, r.Ineffective, r.Unsigned, r.Doubtful, r.Unsure, r.Failed)
		fallen += lab.Indicator(r.fails())
	}
	t.Table(table)
	var all siegeResult
	for _, r := range results {
		all.add(r.siegeVerdict)
		all.Objects, all.Updates = max(all.Objects, r.Objects), all.Updates+r.Updates
	}
	t.Metric("wrong", float64(all.Objects), "")
	t.Metric("stuck", float64(all.Stuck), "")
	t.Metric("signed", float64(all.Signed), "")
	t.Metric("without_effect", float64(all.Ineffective+all.Unsigned), "")
	t.Metric("minutes", float64(all.Updates)/6, "min")
	t.Metric("fallen_runs", float64(fallen), "runs")
	if fallen > 0 {
		return fmt.Errorf("%d of %d sieges have done harm", fallen, len(results))
	}
	return nil
}
