package transport

import (
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit/limittest"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestHostileAddressForms: handshakes and links are counted alike for all forms of an
// address and all addresses of a /64.
func TestHostileAddressForms(t *testing.T) {
	now := time.Unix(1000, 0)
	limittest.Addresses(t, func(a, b netip.Addr) bool {
		s := newGuests(1)
		for range pendingEach {
			if !s.begin(a, true, now) {
				t.Errorf("%s has too many handshakes at once", a)
			}
		}
		return !s.begin(b, true, now)
	})
	limittest.Addresses(t, func(a, b netip.Addr) bool {
		s := newGuests(1)
		peer := func(a netip.Addr, key byte) machine.Peer {
			return machine.Peer{ID: id.ID{key}, Addr: machine.AddrFrom(netip.AddrPortFrom(a, 1))}
		}
		s.count(peer(a, 1), 1)
		return !s.room(peer(b, 2))
	})
}
