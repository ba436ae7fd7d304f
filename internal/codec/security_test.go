package codec

import (
	"os"
	"strings"
	"testing"
)

// TestSecurityTable: docs/security.md says of every message between nodes who may
// send it, in a row of five columns.
func TestSecurityTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 5 || strings.TrimSpace(cells[1]) == "" || strings.TrimSpace(cells[2]) == "" {
			continue
		}
		for _, name := range strings.Split(cells[0], ",") {
			rows[strings.TrimSpace(name)] = true
		}
	}
	for _, k := range byNumber {
		if k != nil && !rows["`"+k.typ.Elem().String()+"`"] {
			t.Errorf("docs/security.md does not say who may send %s, and how that is verified", k.typ.Elem())
		}
	}
}
