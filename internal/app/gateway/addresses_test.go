package gateway

import (
	"net"
	"net/http"
	"net/netip"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit/limittest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// TestHostileAddressForms: wrong codes, connections and pending connections are counted
// alike for all forms of an address and all addresses of a /64.
func TestHostileAddressForms(t *testing.T) {
	t.Run("wrong codes", func(t *testing.T) {
		limittest.Addresses(t, func(a, b netip.Addr) bool {
			d, _ := newTestDoor("weak", Limits{})
			for range wrongCodes {
				if _, why := d.token(a, "wrong", false); why == nil || why.Code != wire.BadCode {
					t.Errorf("a wrong code from %s: %v", a, why)
				}
			}
			_, why := d.token(b, "wrong", false)
			return why.Code == wire.WrongCodes
		})
	})
	t.Run("connections", func(t *testing.T) {
		limittest.Addresses(t, func(a, b netip.Addr) bool {
			d, _ := newTestDoor("", Limits{PerAddress: 1})
			enter := func(a netip.Addr) *wire.Refused {
				token, why := d.token(a, "", false)
				if why != nil {
					t.Fatal(why)
				}
				_, _, why = d.enter(a, token, func(netip.Prefix) bool { return false })
				return why
			}
			if why := enter(a); why != nil {
				t.Errorf("the first connection: %v", why)
			}
			return enter(b) != nil
		})
	})
	t.Run("pending", func(t *testing.T) {
		limittest.Addresses(t, func(a, b netip.Addr) bool {
			s := &conns{
				limits: Limits{PendingPerAddress: 1, Pending: 10}, shared: func(netip.Addr) bool { return false },
				from: map[netip.Prefix]map[*tcp]struct{}{},
			}
			g := &Gateway{conns: s}
			for _, from := range []netip.Addr{a, b} {
				c, far := net.Pipe()
				defer far.Close()
				s.add(&tcp{Conn: c, raw: c, g: g}, from)
			}
			return s.n == 1
		})
	})
}

// TestHostileForwardedForms: an address that a proxy or a socket for both protocols
// writes as IPv6 is the IPv4 address, for budgets, bans and the list of proxies.
func TestHostileForwardedForms(t *testing.T) {
	g := &Gateway{cfg: Config{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fe80::/64")}}}
	for _, c := range []struct{ remote, forwarded, want string }{
		{"[::ffff:10.0.0.1]:1", "192.0.2.1", "192.0.2.1"},
		{"[::ffff:10.0.0.1]:1", "::ffff:192.0.2.1", "192.0.2.1"},
		{"10.0.0.1:1", "[::ffff:192.0.2.1]:77", "192.0.2.1"},
		{"10.0.0.1:1", "192.0.2.1, ::ffff:10.0.0.2", "192.0.2.1"},
		{"[::ffff:192.0.2.9]:1", "192.0.2.1", "192.0.2.9"}, // no proxy of ours
		{"[fe80::1%eth0]:1", "192.0.2.1", "192.0.2.1"},
		{"10.0.0.1:1", "2001:db8::1%a", "2001:db8::1"},
	} {
		r := &http.Request{RemoteAddr: c.remote, Header: http.Header{"X-Forwarded-For": {c.forwarded}}}
		if got := g.client(r); got.String() != c.want {
			t.Errorf("%s, forwarded for %s: %s, want %s", c.remote, c.forwarded, got, c.want)
		}
	}
}
