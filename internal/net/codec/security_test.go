package codec

import (
	"os"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/checks/securitytest"
)

// TestSecurityTable: docs/security.md says of every message between nodes who may send it.
func TestSecurityTable(t *testing.T) {
	page, err := os.ReadFile("../../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := securitytest.Rows(string(page))
	for _, typ := range Types() {
		if !rows[typ.String()] {
			t.Errorf("docs/security.md does not say who may send %s, and how that is verified", typ)
		}
	}
}
