package gateway

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"testing"
	"time"

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

// TestHostileManyAddresses: who has many addresses holds no more connections than there
// are for all who have shown no token; the longest idle one of the address with the most
// gives way.
func TestHostileManyAddresses(t *testing.T) {
	s := &conns{
		limits: Limits{PendingPerAddress: 10, Pending: 4}, shared: func(netip.Addr) bool { return false },
		from: map[netip.Prefix]map[*tcp]struct{}{},
	}
	g := &Gateway{conns: s}
	add := func(from byte) (far net.Conn) {
		c, far := net.Pipe()
		t.Cleanup(func() { far.Close() })
		s.add(&tcp{Conn: c, raw: c, g: g}, netip.AddrFrom4([4]byte{192, 0, 2, from}))
		return far
	}
	honest := add(1)
	for range 6 {
		add(2)
	}
	for n := range 2 {
		add(byte(3 + n))
	}
	if s.n != 4 {
		t.Errorf("%d connections are open, want 4", s.n)
	}
	if err := honest.SetReadDeadline(time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := honest.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection of an address that has one was closed while another had more: %v", err)
	}
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
