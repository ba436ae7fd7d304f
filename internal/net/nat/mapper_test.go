package nat_test

import (
	"context"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat/nattest"
)

// opened keeps a port open until the router was asked to renew, and checks that it is
// asked to close the port at the end.
func opened(t *testing.T, r *nattest.Router, open func(context.Context, nat.LocalPort, func(netip.AddrPort)), want nattest.Request, at string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	addrs, done := make(chan netip.AddrPort, 8), make(chan struct{})
	go func() {
		open(ctx, want.Port, func(a netip.AddrPort) { addrs <- a })
		close(done)
	}()
	if a := <-addrs; a.String() != at {
		t.Errorf("opened at %v, want %s", a, at)
	}
	asked := 1
	if r.Life > 0 { // it is asked again in time
		asked = 2
	}
	for range asked {
		if q := <-r.Asked(); q != want {
			t.Errorf("asked for %+v, want %+v", q, want)
		}
	}
	stop()
	<-done
	var last nattest.Request
	for len(r.Asked()) > 0 {
		last = <-r.Asked()
	}
	if want.Life = 0; last != want {
		t.Errorf("the router was not asked to close the port: %+v", last)
	}
}

var ports = []nat.LocalPort{{Protocol: nat.UDP, Number: 4747}, {Protocol: nat.TCP, Number: 4748}}

const hour = uint32(nat.MappingLifetime / time.Second)

func router(cfg nat.RouterConfig) *nat.Router {
	cfg.Log = slog.New(slog.DiscardHandler)
	return nat.NewRouter(cfg)
}

// TestOpen: ports are opened, renewed and closed, by the first protocol that the router
// speaks.
func TestOpen(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	for _, port := range ports {
		r := &nattest.Router{Life: 1}
		opened(t, r, router(r.Start(t)).Open, nattest.Request{By: "PCP", Port: port, Life: hour}, "27.1.1.1:6000")
		r = &nattest.Router{Old: true, Life: 1}
		opened(t, r, router(r.Start(t)).Open, nattest.Request{By: "NAT-PMP", Port: port, Life: hour}, "27.1.1.1:6000")
		at := netip.AddrPortFrom(nattest.Outside, port.Number).String()
		r = &nattest.Router{}
		cfg := r.Start(t)
		cfg.Gateway = "127.0.0.1:1"
		opened(t, r, router(cfg).Open, nattest.Request{By: "UPnP", Port: port, Life: hour}, at)
		r = &nattest.Router{NoLeases: true}
		cfg = r.Start(t)
		cfg.Gateway = "127.0.0.1:1"
		opened(t, r, router(cfg).Open, nattest.Request{By: "UPnP", Port: port}, at)
	}
}

// TestOpenIPv6: the firewall lets in what comes for this machine, by PCP or UPnP.
func TestOpenIPv6(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	if !nattest.HasIPv6() {
		t.Skip("this machine has no IPv6")
	}
	for _, port := range ports {
		r := &nattest.Router{Life: 1}
		opened(t, r, router(r.Start(t)).OpenIPv6, nattest.Request{By: "PCP", Port: port, Life: hour}, netip.AddrPortFrom(nattest.Outside6, port.Number).String())
		r = &nattest.Router{Firewall: true, Old: true} // without PCP there is none for IPv6
		opened(t, r, router(r.Start(t)).OpenIPv6, nattest.Request{By: "pinhole", Port: port, Life: hour}, netip.AddrPortFrom(netip.IPv6Loopback(), port.Number).String())
	}
}
