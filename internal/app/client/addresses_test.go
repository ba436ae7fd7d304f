package client

import (
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit/limittest"
)

// TestHostileAddressForms: new players are counted alike for all forms of an address
// and all addresses of a /64.
func TestHostileAddressForms(t *testing.T) {
	now := time.Unix(1000, 0)
	limittest.Addresses(t, func(a, b netip.Addr) bool {
		n := newNewcomers()
		for range newPlayers {
			if !n.reserve(a, now) {
				t.Errorf("%s has too few players", a)
			}
		}
		return !n.reserve(b, now)
	})
}
