package wire

import (
	"encoding/hex"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// TestLineText: the browser's client signs the same text (web/test/codec.test.ts).
func TestLineText(t *testing.T) {
	const want = "766f78656c706f70756c69206c696e6520310a010000000000000000000000000000000000000280808080802004" + "5a6fc3ab" + "68656c6c6f20f09f90a2"
	got := hex.EncodeToString(LineText(id.ID{0: 1, 19: 2}, 1<<40, "Zoë", "hello 🐢"))
	if got != want {
		t.Error(got)
	}
}
