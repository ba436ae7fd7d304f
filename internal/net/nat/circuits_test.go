package nat

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
)

// TestHostileCircuitAddresses: browsers that come through one helper share what an
// address may do (join codes, handshakes, connections), whatever the helper says of them;
// those through another have a share of their own.
func TestHostileCircuitAddresses(t *testing.T) {
	one, other := id.Of([]byte("one")), id.Of([]byte("other"))
	want := limit.Key(circuitAddr(one, 0).Addr())
	for _, number := range []uint64{1, 1 << 32, 1<<64 - 1} {
		at := circuitAddr(one, number)
		if got := limit.Key(at.Addr()); got != want {
			t.Errorf("circuit %d counts as %v, want %v", number, got, want)
		}
		if at == circuitAddr(one, 0) {
			t.Errorf("circuit %d has the address of another", number)
		}
	}
	if limit.Key(circuitAddr(other, 0).Addr()) == want {
		t.Error("two helpers share what an address may do")
	}
}
