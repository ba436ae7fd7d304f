package storagelab

import (
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/overlaylab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

var Data = lab.Experiment{
	Name:          "storage-data",
	Shows:         "what is stored after a minute of updates under churn, compared object by object with one sequential replay of all actions",
	Source:        "thesis 6.4.2, tables 6.13 to 6.16",
	Deterministic: true,
	Many:          true,
	Settings:      storageSettings,
	Run:           runStorageData,
}

var Queries = lab.Experiment{
	Name:          "storage-queries",
	Shows:         "how many retrievals a minute of updates takes, how long they last, and how many find what is true",
	Source:        "thesis 6.4.2, tables 6.17 to 6.19",
	Deterministic: true,
	Many:          true,
	Settings:      storageSettings,
	Run:           runStorageQueries,
}

// storedPaper is a row of tables 6.13 and 6.17, means over ten runs; retrievals
// in the order of storage.Kind.
type storedPaper struct {
	nodes, r                            int
	objects, replicas, mib, npcReplicas float64
	queries                             [messages.Kinds]float64
}

var storedPapers = []storedPaper{
	{200, 4, 52814, 387533, 192.39, 354863, [5]float64{10001, 2, 11, 1206, 1205}},
	{400, 4, 55631, 403813, 198.40, 359099, [5]float64{22213, 3, 16, 2400, 2400}},
	{600, 4, 58550, 415162, 203.74, 357955, [5]float64{35383, 3, 18, 3596, 3595}},
	{800, 4, 61466, 426432, 209.07, 356755, [5]float64{49918, 5, 22, 4794, 4793}},
	{1000, 4, 64392, 438479, 214.55, 356264, [5]float64{65421, 7, 32, 5993, 5992}},
	{200, 9, 52825, 846261, 426.49, 772834, [5]float64{20287, 2, 9, 1205, 1205}},
	{400, 9, 55747, 896682, 442.71, 795131, [5]float64{44063, 3, 16, 2400, 2400}},
	{600, 9, 58606, 920584, 454.01, 791547, [5]float64{69034, 3, 19, 3595, 3595}},
	{800, 9, 61499, 949782, 466.75, 792873, [5]float64{96339, 5, 24, 4794, 4793}},
	{1000, 9, 64183, 975538, 479.12, 792606, [5]float64{124713, 7, 32, 5993, 5992}},
	{200, 16, 53714, 1406164, 738.09, 1275372, [5]float64{31786, 2, 8, 1199, 1199}},
	{400, 16, 55655, 1564039, 780.22, 1385291, [5]float64{72761, 3, 14, 2399, 2399}},
	{600, 16, 58617, 1640387, 807.79, 1410712, [5]float64{115255, 3, 15, 3595, 3595}},
	{800, 16, 61525, 1684521, 828.63, 1405178, [5]float64{157882, 5, 20, 4793, 4793}},
	{1000, 16, 64287, 1722009, 847.67, 1395413, [5]float64{201814, 7, 26, 5994, 5994}},
}

func storedPaperOf(nodes, r int) (storedPaper, bool) {
	for _, p := range storedPapers {
		if p.nodes == nodes && p.r == r {
			return p, true
		}
	}
	return storedPaper{}, false
}

// npcCount is how many there are in the thesis' world (6.4.1).
const npcCount = 44890

func runStorageData(t *lab.Trial) error {
	groups, results, err := doStorage(t, true)
	if err != nil {
		return err
	}
	table := lab.Table{Name: "data", Title: "What is stored in the end: means over the runs (table 6.13)", Columns: []string{
		"nodes", "r", "objects", "thesis", "actions", "replicas", "thesis", "r_eff", "thesis", "MiB", "thesis", "NPC replicas", "thesis", "NPC r_eff", "thesis"}}
	faults := lab.Table{Name: "faults", Title: "Runs, and in how many objects are lost, miss a replica in a zone, and nodes are incorrect (tables 6.14 to 6.16); all of these objects and nodes", Columns: []string{
		"nodes", "r", "at least", "at most", "runs", "lost in", "missing in", "incorrect in", "lost", "missing", "incorrect", "updates that failed"}}
	states := lab.Table{Name: "states", Title: "States of nodes at all updates: in how many something is taken for known that is not true, and how many have cells of which the node knows that it does not know them", Columns: []string{
		"nodes", "r", "states", "incorrect", "unsure"}}
	for i, g := range groups {
		p, known := storedPaperOf(g.Nodes, g.R)
		m := func(get func(*storageState) int) float64 {
			return lab.Over(results[i], func(r storageResult) float64 { return float64(get(r.Data)) }).Mean
		}
		objects, replicas := m(func(s *storageState) int { return s.Objects }), m(func(s *storageState) int { return s.Replicas })
		npcs := m(func(s *storageState) int { return s.NPCReplicas })
		mib := m(func(s *storageState) int { return s.Bytes }) / (1 << 20)
		table.Row(g.Nodes, g.R, objects, overlaylab.Beside(known, p.objects, 0), m(func(s *storageState) int { return s.Actions }),
			replicas, overlaylab.Beside(known, p.replicas, 0), replicas/objects, overlaylab.Beside(known, p.replicas/p.objects, 2),
			mib, overlaylab.Beside(known, p.mib, 2), npcs, overlaylab.Beside(known, p.npcReplicas, 0), npcs/npcCount, overlaylab.Beside(known, p.npcReplicas/npcCount, 2))
		compareKnown(t, known, "objects"+g.key(), objects, "", p.objects)
		compareKnown(t, known, "replicas"+g.key(), replicas, "", p.replicas)
		compareKnown(t, known, "stored_mib"+g.key(), mib, "MiB", p.mib)
		compareKnown(t, known, "npc_replicas"+g.key(), npcs, "", p.npcReplicas)
		faultRow(t, &faults, g, results[i])
		stateRow(t, &states, g, results[i])
	}
	t.Table(table)
	t.Table(faults)
	t.Table(states)
	return nil
}

// faultRow adds a row about what is not as it should be.
func faultRow(t *lab.Trial, table *lab.Table, g storageRun, results []storageResult) {
	var runs, all [3]int
	failed, least, most := 0, math.MaxInt, 0
	for _, r := range results {
		least, most = min(least, r.Least), max(most, r.Most)
		for k, v := range [...]int{r.Data.Lost, r.Data.Missing, r.Data.Wrong} {
			all[k] += v
			runs[k] += lab.Indicator(v > 0)
		}
		failed += r.Failed
	}
	table.Row(g.Nodes, g.R, least, most, len(results), runs[0], runs[1], runs[2], all[0], all[1], all[2], failed)
	t.Metric("lost"+g.key(), float64(all[0]), "")
	t.Metric("missing"+g.key(), float64(all[1]), "")
	t.Metric("incorrect"+g.key(), float64(all[2]), "")
}

// stateRow adds a row about what was as it should be all along.
func stateRow(t *lab.Trial, table *lab.Table, g storageRun, results []storageResult) {
	var all storageStates
	for _, r := range results {
		s := r.Data.States
		all.All, all.Wrong, all.Unsure = all.All+s.All, all.Wrong+s.Wrong, all.Unsure+s.Unsure
	}
	table.Row(g.Nodes, g.R, all.All, all.Wrong, all.Unsure)
	t.Metric("states"+g.key(), float64(all.All), "")
	t.Metric("incorrect_states"+g.key(), float64(all.Wrong), "")
	t.Metric("unsure_states"+g.key(), float64(all.Unsure), "")
}

func runStorageQueries(t *lab.Trial) error {
	groups, results, err := doStorage(t, true)
	if err != nil {
		return err
	}
	table := lab.Table{Name: "queries", Title: "Retrievals in a run (table 6.17), without result or with less than half of the zones, and those that found what is not true, in 10,000 (table 6.18)",
		Columns: []string{"nodes", "r", "kind", "retrievals", "thesis", "no result", "minority", "incorrect ‱"}}
	for i, g := range groups {
		p, known := storedPaperOf(g.Nodes, g.R)
		for k := range messages.Kinds {
			m := func(get func(storageQueries) int) float64 {
				return lab.Over(results[i], func(r storageResult) float64 { return float64(get(r.Queries[k])) }).Mean
			}
			count, wrong := m(func(q storageQueries) int { return q.Count }), m(func(q storageQueries) int { return q.Incorrect })
			table.Row(g.Nodes, g.R, k, count, overlaylab.Beside(known, p.queries[k], 0),
				m(func(q storageQueries) int { return q.None }), m(func(q storageQueries) int { return q.Minority }), wrong/max(1, count)*1e4)
			name := [...]string{"actions", "join", "fail", "update", "look"}[k]
			compareKnown(t, known, name+"_queries"+g.key(), count, "", p.queries[k])
			t.Metric(name+"_incorrect"+g.key(), wrong/max(1, count), "")
		}
	}
	t.Table(table)
	queryTable(t, groups, results, lab.Table{Name: "took", Title: "How long they take, medians in ms (table 6.19)"}, "ms",
		func(q storageQueries) float64 { return q.MedianMs }, func(p storagePaper) queryPaper { return p.took })
	return nil
}
