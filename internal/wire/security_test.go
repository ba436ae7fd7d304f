package wire

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestSecurityTable: docs/security.md says of every message of the client protocol who
// may send it.
func TestSecurityTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for typ := range 256 {
		for _, make := range []func(Type) Message{fromClient, fromNode} {
			m := make(Type(typ))
			if m == nil {
				continue
			}
			count++
			if name := fmt.Sprintf("`%s`", strings.TrimPrefix(fmt.Sprintf("%T", m), "*")); !strings.Contains(string(page), name) {
				t.Errorf("docs/security.md does not say who may send %s", name)
			}
		}
	}
	if count < 25 {
		t.Errorf("only %d messages were found", count)
	}
}
