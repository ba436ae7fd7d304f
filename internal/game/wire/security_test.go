package wire

import (
	"os"
	"reflect"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/checks/securitytest"
)

// TestSecurityTable: docs/security.md says of every message of the client protocol who
// may send it.
func TestSecurityTable(t *testing.T) {
	page, err := os.ReadFile("../../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := securitytest.Rows(string(page))
	count := 0
	for typ := range 256 {
		for _, blank := range []func(Type) Message{fromClient, fromNode} {
			m := blank(Type(typ))
			if m == nil {
				continue
			}
			count++
			if name := reflect.TypeOf(m).Elem().String(); !rows[name] {
				t.Errorf("docs/security.md does not say who may send %s, and how that is verified", name)
			}
		}
	}
	if count < 25 {
		t.Errorf("only %d messages were found", count)
	}
}
