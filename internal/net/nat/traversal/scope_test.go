package traversal

import (
	"net/netip"
	"testing"
)

func TestScope(t *testing.T) {
	for _, c := range []struct {
		addr  string
		scope int
	}{
		{"127.0.0.1", 0}, {"::1", 0}, {"0.0.0.0", 0},
		{"169.254.3.4", 1}, {"fe80::1", 1},
		{"10.1.2.3", 2}, {"192.168.1.2", 2}, {"::ffff:172.16.0.1", 2}, {"100.64.0.1", 2}, {"fd00::1", 2},
		{"203.0.113.5", 3}, {"2001:db8::5", 3},
	} {
		if got := Scope(netip.MustParseAddr(c.addr)); got != c.scope {
			t.Errorf("Scope(%s) = %d, want %d", c.addr, got, c.scope)
		}
	}
	if Scope(netip.Addr{}) != 0 {
		t.Error("no address has a scope")
	}
}
