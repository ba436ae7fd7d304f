// Package limittest tests budgets that are counted by address. An attacker has a whole
// IPv6 /64, and reaches a socket for both protocols at an IPv4 address in two forms.
package limittest

import (
	"net/netip"
	"testing"
)

// Addresses tests a budget with pairs of addresses. shared uses up what the first may
// have, in a fresh budget, and reports whether nothing is left for the second.
func Addresses(t *testing.T, shared func(a, b netip.Addr) bool) {
	t.Helper()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"192.0.2.1", "192.0.2.1", true},
		{"192.0.2.1", "::ffff:192.0.2.1", true},
		{"::ffff:192.0.2.1", "192.0.2.1", true},
		{"2001:db8::1", "2001:db8::ffff:0:0:2", true},
		{"fe80::1%eth0", "fe80::1", true},
		{"192.0.2.1", "192.0.2.2", false},
		{"::ffff:192.0.2.1", "::ffff:192.0.2.2", false},
		{"::ffff:192.0.2.1", "192.0.2.2", false},
		{"2001:db8::1", "2001:db8:0:1::1", false},
	} {
		if got := shared(netip.MustParseAddr(c.a), netip.MustParseAddr(c.b)); got != c.want {
			t.Errorf("%s and %s share a budget: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
