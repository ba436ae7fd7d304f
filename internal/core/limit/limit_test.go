package limit

import (
	"net/netip"
	"testing"
	"time"
)

func TestKey(t *testing.T) {
	for in, want := range map[string]string{
		"192.0.2.1":            "192.0.2.1/32",
		"::ffff:192.0.2.1":     "192.0.2.1/32",
		"2001:db8::1":          "2001:db8::/64",
		"2001:db8::ffff:0:0:1": "2001:db8::/64",
		"2001:db8:0:1::1":      "2001:db8:0:1::/64",
		"fe80::1%eth0":         "fe80::/64",
		"::1":                  "::/64",
	} {
		if got := Key(netip.MustParseAddr(in)); got.String() != want {
			t.Errorf("%s counts as %s, want %s", in, got, want)
		}
	}
	if Key(netip.Addr{}) != (netip.Prefix{}) {
		t.Error("no address has a key")
	}
}

func TestBudget(t *testing.T) {
	now := time.Unix(1000, 0)
	b := NewBudget(2, 3)
	for i, c := range []struct {
		after time.Duration
		n     float64
		ok    bool
	}{{0, 3, true}, {0, 1, false}, {time.Second, 2, true}, {0, 1, false}, {time.Hour, 4, false}, {0, 3, true}, {-time.Hour, 1, false}} {
		now = now.Add(c.after)
		if got := b.Take(c.n, now); got != c.ok {
			t.Errorf("%d: %v, want %v", i, got, c.ok)
		}
	}
}
