package machine

import (
	"net/netip"
	"testing"
)

func TestAddr(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"1.2.3.4:5", "1.2.3.4:5"},
		{"[::ffff:1.2.3.4]:5", "1.2.3.4:5"},
		{"[2001:db8::1]:65535", "[2001:db8::1]:65535"},
		{"[fe80::1%eth0]:1", "[fe80::1]:1"},
	} {
		a := AddrFrom(netip.MustParseAddrPort(c.in))
		if a.String() != c.out || AddrFrom(a.AddrPort()) != a || a.IsZero() {
			t.Errorf("%s became %s, want %s", c.in, a, c.out)
		}
	}
	if a := AddrFrom(netip.AddrPort{}); !a.IsZero() || a.AddrPort().IsValid() || a.String() != "here" {
		t.Errorf("the zero Addr is %s", a)
	}
}
