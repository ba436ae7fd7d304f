package nat

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// scripted is a router that does what a test says.
type scripted struct {
	err  error
	addr netip.AddrPort
}

func (s *scripted) name() string { return "script" }
func (s *scripted) mapPort(context.Context, LocalPort, time.Duration) (netip.AddrPort, time.Duration, error) {
	return s.addr, 10 * time.Minute, s.err
}

func TestMapperGoesOn(t *testing.T) {
	var told []netip.AddrPort
	a, b := &scripted{err: ErrNoRouter}, &scripted{err: ErrNoRouter}
	m := &mapper{clients: []client{a, b}, cfg: RouterConfig{RetryAfter: time.Hour, Log: slog.New(slog.DiscardHandler)},
		opened: func(a netip.AddrPort) { told = append(told, a) }}
	check := func(what string, want time.Duration, tellings ...string) {
		t.Helper()
		told = nil
		if got := m.renewMapping(t.Context()); got != want {
			t.Errorf("%s: again after %v, want %v", what, got, want)
		}
		if len(told) != len(tellings) {
			t.Fatalf("%s: told %v", what, told)
		}
		for i, s := range tellings {
			if told[i].String() != s {
				t.Errorf("%s: told %v, want %s", what, told[i], s)
			}
		}
	}
	none := netip.AddrPort{}.String()
	check("nobody opens", time.Hour)
	b.err, b.addr = nil, netip.MustParseAddrPort("27.1.1.1:1")
	check("the second opens", 5*time.Minute, "27.1.1.1:1")
	check("it is renewed", 5*time.Minute)
	b.addr = netip.MustParseAddrPort("27.1.1.2:1")
	check("another address", 5*time.Minute, "27.1.1.2:1")
	b.err = ErrNoRouter
	check("it opens no more", time.Hour, none)
	a.err, a.addr = nil, netip.MustParseAddrPort("28.1.1.1:1")
	check("now the first opens", 5*time.Minute, "28.1.1.1:1")
}

// TestNoIPv6: where there is no address to be reached by, no router is asked.
func TestNoIPv6(t *testing.T) {
	none := func() (netip.Addr, error) { return netip.Addr{}, errNoIPv6 }
	m := &mapper{cfg: RouterConfig{RetryAfter: time.Hour, Log: slog.New(slog.DiscardHandler)}, clients: []client{
		&pcp{server: "[::1]:1", own6: none}, &upnpPinhole{igd: &igd{device: "http://127.0.0.1:1/"}, own: none}}}
	if got := m.renewMapping(t.Context()); got != time.Hour || m.active != nil {
		t.Errorf("again after %v, by %v", got, m.active)
	}
	if _, err := m.try(t.Context(), m.clients[0]); !errors.Is(err, errNoIPv6) {
		t.Error(err)
	}
}

func TestCancelledRequest(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := (&pcp{server: "127.0.0.1:1"}).mapPort(ctx, LocalPort{UDP, 4747}, MappingLifetime); err == nil {
		t.Error("opened after the end")
	}
}

// TestHostileRouters: what a router says that makes no sense opens nothing.
func TestHostileRouters(t *testing.T) {
	for at, want := range map[string]bool{
		"27.1.1.1:1": true, "192.168.0.2:1": true, "[2001:db8::1]:1": true, "[::ffff:27.1.1.1]:1": true,
		"27.1.1.1:0": false, "0.0.0.0:1": false, "127.0.0.1:1": false, "224.0.0.1:1": false, "255.255.255.255:1": false, "[::]:1": false, "[fe80::1]:1": false,
	} {
		a := netip.MustParseAddrPort(at)
		if got, err := openedAt(a.Addr(), a.Port()); (err == nil) != want || want && got.Addr() != a.Addr().Unmap() {
			t.Errorf("%s: %v, %v", at, got, err)
		}
	}
}

func TestParseRoutes(t *testing.T) {
	const table = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	0000A8C0	00000000	0001	0	0	0	00FFFFFF	0	0	0
eth0	00000000	0100A8C0	0003	0	0	100	00000000	0	0	0
`
	if ip, ok := parseRoutes(table); !ok || ip.String() != "192.168.0.1" {
		t.Errorf("gateway %v, %v", ip, ok)
	}
	if ip, ok := parseRoutes(strings.Join(strings.Split(table, "\n")[:2], "\n")); ok {
		t.Errorf("gateway %v without a default route", ip)
	}
}

func TestParseIPv6(t *testing.T) {
	const routes = `20010db8000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth0
`
	if ip, ok := parseRoutes6(routes); !ok || ip.String() != "fe80::1%eth0" {
		t.Errorf("gateway %v, %v", ip, ok)
	}
	if ip, ok := parseRoutes6(strings.Join(strings.Split(routes, "\n")[:2], "\n")); ok {
		t.Errorf("gateway %v without a default route", ip)
	}
	// Of the loopback, on a cable, of the private network, temporary, deprecated, good.
	const addrs = `00000000000000000000000000000001 01 80 10 80       lo
fe800000000000000000000000000002 02 40 20 80     eth0
fd000000000000000000000000000002 02 40 00 80     eth0
20010db80000000000000000000000aa 02 40 00 01     eth0
20010db80000000000000000000000bb 02 40 00 20     eth0
20010db80000000000000000000000cc 02 40 00 00     eth0
`
	if ip, ok := parseAddrs6(addrs); !ok || ip.String() != "2001:db8::cc" {
		t.Errorf("own address %v, %v", ip, ok)
	}
	if ip, ok := parseAddrs6(strings.Join(strings.Split(addrs, "\n")[:5], "\n")); ok {
		t.Errorf("own address %v where there is none that stays", ip)
	}
}
