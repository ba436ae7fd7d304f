package storagelab

import (
	"fmt"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/overlaylab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

var Hops = lab.Experiment{
	Name:          "storage-hops",
	Shows:         "how many answers a query needs, over how many links it travels and how long it takes, by kind of query",
	Source:        "thesis 6.4.3, tables 6.19, 6.27 and 6.28",
	Deterministic: true,
	Many:          true,
	Settings:      storageSettings,
	Run:           runStorageHops,
}

func runStorageHops(t *lab.Trial) error {
	groups, results, err := doStorage(t, false)
	if err != nil {
		return err
	}
	queryTable(t, groups, results, lab.Table{Name: "messages", Title: "Answers to a query until it is over (table 6.27)"}, "",
		func(q storageQueries) float64 { return q.Messages }, func(p storagePaper) queryPaper { return p.messages })
	queryTable(t, groups, results, lab.Table{Name: "hops", Title: "Links that a query or a store travels over (table 6.28)"}, "",
		func(q storageQueries) float64 { return q.Hops }, func(p storagePaper) queryPaper { return p.hops })
	queryTable(t, groups, results, lab.Table{Name: "took", Title: "How long queries take, medians in ms (table 6.19)"}, "ms",
		func(q storageQueries) float64 { return q.MedianMs }, func(p storagePaper) queryPaper { return p.took })
	return nil
}

// of returns the thesis' figure for a kind of query, stores last.
func (p queryPaper) of(kind int) float64 {
	return [...]float64{p.actions, p.join, p.failure, p.update, p.look, p.store}[kind]
}

// queryTable puts a figure for each kind of query beside the thesis'. Kinds that
// did not occur in any run have none.
func queryTable(t *lab.Trial, groups []storageRun, results [][]storageResult, table lab.Table, unit string, get func(storageQueries) float64, paper func(storagePaper) queryPaper) {
	table.Columns = []string{"nodes", "r"}
	kinds := int(messages.Kinds)
	if table.Name == "hops" {
		kinds++
	}
	for k := range kinds {
		table.Columns = append(table.Columns, storageKindName(k), "thesis")
	}
	for i, g := range groups {
		p, known := storagePaperOf(g.Nodes, g.R)
		row := []any{g.Nodes, g.R}
		for k := range kinds {
			var values []float64
			for _, r := range results[i] {
				if r.Queries[k].Count > 0 {
					values = append(values, get(r.Queries[k]))
				}
			}
			if len(values) == 0 {
				row = append(row, "–", overlaylab.Beside(known, paper(p).of(k), 2))
				continue
			}
			v := lab.Mean(values)
			row = append(row, fmt.Sprintf("%.2f", v), overlaylab.Beside(known, paper(p).of(k), 2))
			name := table.Name + "_" + strings.ReplaceAll(storageKindName(k), " ", "_") + g.key()
			compareKnown(t, known, name, v, unit, paper(p).of(k))
		}
		table.Row(row...)
	}
	t.Table(table)
}

// storageKindName names a kind of query as the thesis does, and stores.
func storageKindName(k int) string {
	if k == int(messages.Kinds) {
		return "store"
	}
	return messages.Kind(k).String()
}
