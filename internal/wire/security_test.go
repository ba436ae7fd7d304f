package wire

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestSecurityTable: docs/security.md has a row of five columns about every message of
// the client protocol.
func TestSecurityTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	for line := range strings.Lines(string(page)) {
		if strings.Count(line, "|") == 6 {
			rows.WriteString(line)
		}
	}
	count := 0
	for typ := range 256 {
		for _, make := range []func(Type) Message{fromClient, fromNode} {
			m := make(Type(typ))
			if m == nil {
				continue
			}
			count++
			if name := fmt.Sprintf("`%s`", strings.TrimPrefix(fmt.Sprintf("%T", m), "*")); !strings.Contains(rows.String(), name) {
				t.Errorf("docs/security.md does not say who may send %s", name)
			}
		}
	}
	if count < 25 {
		t.Errorf("only %d messages were found", count)
	}
}
