package host

import (
	"net/netip"
	"testing"
)

func TestWidest(t *testing.T) {
	for _, c := range []struct {
		all  []string
		want string
	}{
		{nil, "127.0.0.1"},
		{[]string{"127.0.0.1", "::1"}, "127.0.0.1"},
		{[]string{"127.0.0.1", "fe80::1", "192.168.1.2"}, "192.168.1.2"},
		{[]string{"192.168.1.2", "10.0.0.2"}, "192.168.1.2"},
		{[]string{"10.0.0.2", "203.0.113.5", "2001:db8::5"}, "203.0.113.5"},
		{[]string{"2001:db8::5", "203.0.113.5"}, "203.0.113.5"},
		{[]string{"::1", "fe80::1", "2001:db8::5"}, "2001:db8::5"},
		{[]string{"2001:db8::5", "10.0.0.2"}, "10.0.0.2"},
	} {
		var all []netip.Addr
		for _, a := range c.all {
			all = append(all, netip.MustParseAddr(a))
		}
		if got := widest(all); got.String() != c.want {
			t.Errorf("of %v %v was chosen, want %s", c.all, got, c.want)
		}
	}
}
