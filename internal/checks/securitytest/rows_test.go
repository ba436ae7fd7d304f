package securitytest

import "testing"

// TestRows: a row counts only if none of its five cells is empty.
func TestRows(t *testing.T) {
	rows := Rows("| message | who | how | gain | bound |\n|---|---|---|---|---|\n" +
		"| `a.A`, `a.B` | who | how | gain | bound |\n| `a.C` | who | how | gain | |\n| `a.D` | | how | gain | bound |\n" +
		"| `a.E` | who |  | gain | bound |\n| `a.F` | who | how | | bound |\n| `a.G` | who | how | gain |\n")
	if len(rows) != 2 || !rows["a.A"] || !rows["a.B"] {
		t.Errorf("complete rows: %v", rows)
	}
}
