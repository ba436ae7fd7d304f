package storagelab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/overlaylab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/attack"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

var Attack = lab.Experiment{
	Name:          "storage-attack",
	Shows:         "how many malicious nodes that know everything and act as one the storage stands before objects are tampered with",
	Source:        "thesis 6.4.4, tables 6.29 to 6.40",
	Deterministic: true,
	Many:          true,
	Settings: append(minuteSettings[:len(minuteSettings):len(minuteSettings)],
		lab.Setting{Name: "attack", Default: "thesis", Text: "how they attack: thesis, some of " + attack.Names() + " with + between them, or worst, which looks for the worst mixture of them"},
		lab.Setting{Name: "malicious", Default: "search", Text: "how many of the nodes are: a list, or search for the most that all runs stand"},
		lab.Setting{Name: "most", Default: "0", Text: "where the search begins from above; 0 is 4, 9 or 16 % of the nodes for r = 4, 9, 16"},
		lab.Setting{Name: "among", Default: "all", Text: "with attack=worst: the ways that are mixed, besides the thesis', with + between them; -places: all but that"},
		lab.Setting{Name: "scout", Default: "1", Text: "with attack=worst: the first so many seeds look for the mixture, and all for what it takes"},
		lab.Setting{Name: "added", Default: "3", Text: "with attack=worst: so many ways at most are added to the worst one"},
		lab.Setting{Name: "whole", Default: "no", Text: "yes goes on when objects have been tampered with, as the thesis does, and counts retrievals; no ends a run there"},
	),
	Run: runStorageAttack,
}

// siegePaper says in how many of ten runs objects were tampered with (tables
// 6.29 to 6.31), n = 1000.
var siegePapers = map[int][]struct{ malicious, runs int }{
	4:  {{1, 0}, {2, 0}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 2}, {8, 4}, {9, 6}, {10, 9}},
	9:  {{15, 0}, {18, 0}, {19, 0}, {20, 1}, {25, 2}, {30, 4}, {35, 5}, {40, 8}, {50, 10}, {75, 10}},
	16: {{35, 0}, {37, 0}, {38, 0}, {39, 1}, {40, 1}, {45, 2}, {49, 3}, {60, 6}, {75, 10}, {100, 10}},
}

// siegeTolerated is the largest number that all ten runs stood.
var siegeTolerated = map[int]float64{4: 0.002, 9: 0.019, 16: 0.038}

// siegeRow is what the runs with as many malicious nodes have shown.
type siegeRow struct {
	malicious int
	results   []siegeResult
}

// fallen is how many of them failed.
func (r siegeRow) fallen() (n int) {
	for i := range r.results {
		n += lab.Indicator(r.results[i].fails())
	}
	return n
}

func runStorageAttack(t *lab.Trial) error {
	sizes, zones, updates := t.Ints("nodes", 4), t.Zones("r"), t.Int("updates", 3)
	most, whole, protocol := t.Int("most", 0), t.Flag("whole"), ProtocolOf(t)
	var list []int
	if t.Text("malicious") != "search" {
		list = t.Ints("malicious", 0)
	}
	worst := t.Text("attack") == worstAttack
	if _, err := attack.ParseWays(t.Text("attack")); err != nil && !worst {
		t.Reject("attack", "thesis, some of "+attack.Names()+" with + between them, or worst")
	}
	search := worstSearch{among: waysAmong(t), seeds: min(t.Int("scout", 1), t.Runs), most: t.Int("added", 0)}
	if err := t.Settings(); err != nil {
		return err
	}
	for _, r := range zones {
		for _, n := range sizes {
			g := siegeRun{storageRun: storageRun{Nodes: n, R: r, Updates: updates, Protocol: protocol}, Ways: t.Text("attack"), ToEnd: whole}
			if worst {
				var err error
				if g, err = g.findWorst(t, search, list, most); err != nil {
					return err
				}
			}
			rows, err := g.rows(t, list, most)
			if err != nil {
				return err
			}
			reportSieges(t, g, rows, len(zones)*len(sizes) == 1, worst)
			if worst {
				t.Fact("worst_mixture"+g.key(), g.Ways)
				t.Fact("repeat"+g.key(), g.command(t, rows))
			}
		}
	}
	return nil
}

// command repeats the runs of the numbers that were looked at.
func (g siegeRun) command(t *lab.Trial, rows []siegeRow) string {
	var list []string
	for _, row := range rows {
		list = append(list, strconv.Itoa(row.malicious))
	}
	return fmt.Sprintf("vplab run storage-attack --set nodes=%d --set r=%d --set updates=%d --set protocol=%s --set attack=%s --set malicious=%s --seed %d --runs %d",
		g.Nodes, g.R, g.updates(), g.Protocol, g.Ways, strings.Join(list, ","), t.Seed, t.Runs)
}

// rows does the runs with each number of malicious nodes of a list, ascending, or
// of a search.
func (g siegeRun) rows(t *lab.Trial, list []int, most int) (rows []siegeRow, err error) {
	if list == nil {
		if most == 0 {
			most = g.most()
		}
		return searchSiege(most, func(m int) (siegeRow, error) { return g.row(t, m, true) })
	}
	var runs []siegeRun
	for _, m := range list {
		for k := range t.Runs {
			runs = append(runs, g.with(t, m, k))
		}
	}
	results, err := lab.DoAll(t, runs)
	if err != nil {
		return nil, err
	}
	for i, m := range list {
		rows = append(rows, siegeRow{m, results[i*t.Runs : (i+1)*t.Runs]})
	}
	return rows, nil
}

// with is the k-th run with so many malicious nodes.
func (g siegeRun) with(t *lab.Trial, malicious, k int) siegeRun {
	g.Malicious, g.Seed = min(malicious, g.Nodes), t.Seed+uint64(k)
	return g
}

// most is the number of malicious nodes that a search begins with.
func (g siegeRun) most() int { return max(4, g.Nodes*g.R/100) }

// searchSiege halves the numbers among which the most that all runs stand must
// be, supposing that they stand fewer as well.
func searchSiege(most int, try func(m int) (siegeRow, error)) (rows []siegeRow, err error) {
	stood, fell := 0, most+1
	for fell-stood > 1 {
		m := (stood + fell) / 2
		row, err := try(m)
		if err != nil {
			return nil, err
		}
		if row.fallen() > 0 {
			fell = m
		} else {
			stood = m
		}
		at := len(rows)
		for at > 0 && rows[at-1].malicious > m {
			at--
		}
		rows = slices.Insert(rows, at, row)
	}
	return rows, nil
}

// hastyRuns are done at a time where one that fails is enough. The number is the same on
// all machines, so that these do the same runs.
const hastyRuns = 4

// row does all runs with so many malicious nodes, or, hasty, only until one of
// them has not stood.
func (g siegeRun) row(t *lab.Trial, m int, hasty bool) (siegeRow, error) {
	row := siegeRow{malicious: m}
	batch := t.Runs
	if hasty {
		batch = hastyRuns
	}
	for k := 0; k < t.Runs; {
		var runs []siegeRun
		for ; k < t.Runs && len(runs) < batch; k++ {
			runs = append(runs, g.with(t, m, k))
		}
		results, err := lab.DoAll(t, runs)
		if err != nil {
			return row, err
		}
		row.results = append(row.results, results...)
		t.Logf("n = %d, r = %d, %d malicious (%s): %d of %d runs failed", g.Nodes, g.R, m, g.Ways, row.fallen(), len(row.results))
		if hasty && row.fallen() > 0 {
			break
		}
	}
	return row, nil
}

// reportSieges reports what the runs of one scenario have shown.
func reportSieges(t *lab.Trial, g siegeRun, rows []siegeRow, only, worst bool) {
	known := g.Nodes == 1000 && g.Ways == "thesis"
	thesis := known && g.Protocol == storage.ProtocolThesis
	table := lab.Table{
		Name:    "tampered" + g.key(),
		Title:   fmt.Sprintf("Runs with objects of which most replicas were tampered with, %d nodes, r = %d, %s (tables 6.29 to 6.31)", g.Nodes, g.R, g.Protocol),
		Columns: []string{"malicious", "runs", "tampered in", "thesis, of ten", "with a tampered replica", "honest nodes, most", "objects, most", "of them lost by their own nodes", "first after update", "actions dropped", "nodes unsure, most", "objects nobody knows, most", "failed", "objects not as they are for three updates", "signed actions", "without effect", "never signed", "updates in doubt"},
	}
	tolerated, broken := 0, false
	for _, row := range rows {
		nodes, objects, own, first, seen, dropped, unsure, lost := 0, 0, 0, int64(0), 0, 0, 0, 0
		var verdict siegeVerdict
		tampered := 0
		for _, r := range row.results {
			nodes, objects, own, dropped = max(nodes, r.Nodes), max(objects, r.Objects), max(own, r.Own), dropped+r.Dropped
			unsure, lost = max(unsure, r.Unsure), max(lost, r.Lost)
			seen += lab.Indicator(r.Seen > 0)
			tampered += lab.Indicator(r.First > 0)
			verdict.add(r.siegeVerdict)
			if r.First > 0 && (first == 0 || r.First < first) {
				first = r.First
			}
		}
		paper, has := siegePaperOf(g.R, row.malicious)
		table.Row(row.malicious, len(row.results), tampered, overlaylab.Beside(thesis && has, float64(paper), 0), seen, nodes, objects, own, first, dropped, unsure, lost,
			row.fallen(), verdict.Stuck, verdict.Signed, verdict.Ineffective, verdict.Unsigned, verdict.Doubtful)
		name := fmt.Sprintf("tampered_m%d%s", row.malicious, g.key())
		compareKnown(t, thesis && has && len(row.results) == 10, name, float64(tampered), "runs", float64(paper))
		broken = broken || row.fallen() > 0
		if !broken {
			tolerated = row.malicious
		}
	}
	t.Table(table)
	if g.ToEnd { // otherwise retrievals were still going on
		reportRuns(t, g, rows)
		reportTampering(t, g, rows)
	}
	share := float64(tolerated) / float64(g.Nodes)
	name := "tolerated_share"
	if worst {
		name = "worst_tolerated_share"
	}
	compareKnown(t, known, name+g.key(), share, "", siegeTolerated[g.R])
	if only {
		compareKnown(t, known, name, share, "", siegeTolerated[g.R])
		if len(rows) == 1 {
			t.Metric("fallen_runs", float64(rows[0].fallen()), "runs")
		}
	}
}

func siegePaperOf(r, malicious int) (runs int, known bool) {
	for _, p := range siegePapers[r] {
		if p.malicious == malicious {
			return p.runs, true
		}
	}
	return 0, false
}

// reportTampering is what attackers had a hand in and what came of it.
func reportTampering(t *lab.Trial, g siegeRun, rows []siegeRow) {
	tried := lab.Table{
		Name:    "tried" + g.key(),
		Title:   "Share of honest nodes' retrievals that attackers had a hand in (tables 6.32 to 6.34)",
		Columns: []string{"malicious", "all"},
	}
	found := lab.Table{
		Name:    "found" + g.key(),
		Title:   "Retrievals of honest nodes that found what is not true, in all runs (tables 6.35 to 6.40); in brackets those of them that took nothing false for known",
		Columns: []string{"malicious"},
	}
	for k := range messages.Kinds {
		tried.Columns, found.Columns = append(tried.Columns, k.String()), append(found.Columns, k.String())
	}
	for _, row := range rows {
		var every, touched int
		for _, r := range row.results {
			for k := range messages.Kinds {
				every, touched = every+r.Queries[k], touched+r.Tried[k]
			}
		}
		a, b := []any{row.malicious, shareOf(touched, every)}, []any{row.malicious}
		for k := range messages.Kinds {
			var all, hand, wrong, guessed int
			for _, r := range row.results {
				all, hand, wrong, guessed = all+r.Queries[k], hand+r.Tried[k], wrong+r.Tampered[k], guessed+r.Guessed[k]
			}
			a, b = append(a, shareOf(hand, all)), append(b, fmt.Sprintf("%d (%d)", wrong, guessed))
		}
		tried.Row(a...)
		found.Row(b...)
	}
	t.Table(tried)
	t.Table(found)
}

// shareOf writes a share as the thesis does.
func shareOf(part, all int) string {
	if all == 0 {
		return "–"
	}
	return strconv.FormatFloat(float64(part)/float64(all), 'f', 4, 64)
}
