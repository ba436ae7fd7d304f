package limit_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit/limittest"
)

// TestHostileAddressForms: another form of an address, or another address of a /64,
// gets no budget of its own.
func TestHostileAddressForms(t *testing.T) {
	limittest.Addresses(t, func(a, b netip.Addr) bool {
		table := limit.NewTable(10, func() limit.Budget { return limit.NewBudget(1, 1) }, func(*limit.Budget) bool { return false })
		now := time.Unix(1000, 0)
		return table.Of(a, now).Take(1, now) && !table.Of(b, now).Take(1, now)
	})
}

// TestCanonical: each address, with a port or without, and each prefix has one form.
func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		"[::ffff:192.0.2.1]:80": "192.0.2.1:80", "192.0.2.1:80": "192.0.2.1:80",
		"[fe80::1%eth0]:80": "[fe80::1]:80", "[2001:db8::1]:80": "[2001:db8::1]:80",
	} {
		if got := limit.CanonicalPort(netip.MustParseAddrPort(in)); got.String() != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"::ffff:10.0.0.0/104": "10.0.0.0/8", "10.0.0.0/8": "10.0.0.0/8", "2001:db8::/32": "2001:db8::/32",
		"::ffff:0.0.0.0/96": "0.0.0.0/0", "::ffff:0.0.0.0/95": "",
	} {
		got, ok := limit.CanonicalPrefix(netip.MustParsePrefix(in))
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%s is %s, %v, want %q", in, got, ok, want)
		}
	}
}
