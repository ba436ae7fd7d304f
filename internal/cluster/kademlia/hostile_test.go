package kademlia

import (
	"net/netip"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestHostileSubnets: contacts of one network share its part of a bucket, in whatever
// form their addresses are written.
func TestHostileSubnets(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"192.0.2.1", "::ffff:192.0.2.1", true},
		{"192.0.2.1", "::ffff:192.0.2.99", true},
		{"2001:db8::1", "2001:db8::2", true},
		{"2001:db8::1", "2001:db8:0:ffff::2", true},
		{"fe80::1%eth0", "fe80::2", true},
		{"192.0.2.1", "192.0.3.1", false},
		{"::ffff:192.0.2.1", "::ffff:192.0.3.1", false},
		{"2001:db8::1", "2001:db8:1::1", false},
	} {
		of := func(text string) subnet {
			s, limited := subnetOf(machine.AddrFrom(netip.AddrPortFrom(netip.MustParseAddr(text), 1)))
			if !limited {
				t.Errorf("%s is not limited", text)
			}
			return s
		}
		if got := of(c.a) == of(c.b); got != c.want {
			t.Errorf("%s and %s are one network: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
