package session

import (
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit/limittest"
)

// TestHostileAddressForms: handshakes are counted alike for all forms of an address
// and all addresses of a /64.
func TestHostileAddressForms(t *testing.T) {
	limittest.Addresses(t, func(a, b netip.Addr) bool {
		origins, now := newOrigins(), time.Unix(1000, 0)
		for n := 0; origins.Of(a, now).proven.Take(1, now); n++ {
			if n > 1<<20 {
				t.Fatal("no limit")
			}
		}
		return !origins.Of(b, now).proven.Take(1, now)
	})
}
