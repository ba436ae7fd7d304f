package storagelab

import (
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

// reportRuns is what each run has shown, as the thesis lists it: what honest nodes hold in
// the end that was tampered with, and which of their retrievals found what is not true.
func reportRuns(t *lab.Trial, g siegeRun, rows []siegeRow) {
	table := lab.Table{
		Name:  "runs" + g.key(),
		Title: "Run by run: honest nodes with tampered replicas and objects with most replicas tampered with (tables 6.29 to 6.31), tampered retrievals of actions and update areas (6.35 to 6.37) and of areas of interest (6.38 to 6.40)",
		Columns: []string{
			"malicious", "seed", "honest nodes", "objects", messages.ForActions.String(), messages.ForUpdate.String(), messages.ForLook.String(),
		},
	}
	for _, row := range rows {
		for k, r := range row.results {
			table.Row(row.malicious, t.Seed+uint64(k), r.Nodes, r.Objects, r.Tampered[messages.ForActions], r.Tampered[messages.ForUpdate], r.Tampered[messages.ForLook])
		}
	}
	t.Table(table)
}
