package storagelab

import (
	"strconv"
	"testing"
)

// Each cell is of the runs with its attacker and share.
func TestHeatMapCells(t *testing.T) {
	attacks, shares := []string{"one", "other"}, []float64{0.5, 2, 8}
	var results []siegeResult
	for k := range len(attacks) * len(shares) { // the k-th cell has k fallen runs of six
		for run := range 6 {
			r := siegeResult{}
			if run < k {
				r.First = 3
			}
			results = append(results, r)
		}
	}
	h := heatMap(attacks, shares, 6, results)
	if len(h.Rows) != 2 || h.Rows[1].Name != "other" || len(h.Columns) != 3 || h.Columns[0] != "0.5 %" {
		t.Fatalf("%+v", h)
	}
	for i, row := range h.Rows {
		for k, c := range row.Cells {
			if want := strconv.Itoa(3*i+k) + " of 6"; c.Text != want || c.Share != float64(3*i+k)/6 {
				t.Errorf("row %d, column %d: %+v, want %s", i, k, c, want)
			}
		}
	}
}
