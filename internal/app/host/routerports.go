package host

import (
	"net/netip"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/net/nat"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat/traversal"
)

// Ports that the home's router opens: the UDP port for other nodes, and the TCP ports of
// the page where it comes from this node. They stay open while the host runs.

// routerTime is how long the start waits for the home's router, for all ports together.
const routerTime = 4 * time.Second

// otherTime is how much longer it waits for a port by IPv6 once it has the one by IPv4.
const otherTime = 300 * time.Millisecond

// routerPorts is what the router has opened.
type routerPorts struct {
	router *nat.Router
	until  time.Time // the start waits until then

	mu sync.Mutex
	at map[routerPort]netip.AddrPort
}

type routerPort struct {
	nat.LocalPort
	six bool // by IPv6
}

// openPort has the router open the port for other nodes, and returns where, if it has by
// the time that a person waits. What changes later counts at the next start.
func (h *Host) openPort() netip.AddrPort {
	if !h.cfg.MapPort || near(h.cfg.Nodes) {
		return netip.AddrPort{}
	}
	port := nat.LocalPort{Protocol: nat.UDP, Number: h.peers.socket.Addr().Port()}
	h.keepOpen(port)
	return h.router.outside(port, false)
}

// openForPlayers has the router open the ports that the page comes from. A page of
// another server needs none.
func (h *Host) openForPlayers() {
	if !h.cfg.MapPort {
		return
	}
	var open []uint16
	if h.https != nil {
		open = h.https.ports()
	} else if ip := h.addr.Addr().Unmap(); h.cfg.Page == "" && !ip.IsLoopback() {
		open = []uint16{h.addr.Port()}
	}
	for _, n := range open {
		h.keepOpen(nat.LocalPort{Protocol: nat.TCP, Number: n})
	}
}

// open has the router open a port until stop is closed, and waits for a moment until it
// has. What goes on meanwhile is counted beside.
func (r *routerPorts) open(cfg nat.RouterConfig, port nat.LocalPort, beside *sync.WaitGroup, stop <-chan struct{}) {
	if r.router == nil {
		r.router, r.until, r.at = nat.NewRouter(cfg), time.Now().Add(routerTime), map[routerPort]netip.AddrPort{}
	}
	opened := make(chan struct{}, 1)
	note := func(six bool) func(netip.AddrPort) {
		return func(at netip.AddrPort) {
			r.mu.Lock()
			r.at[routerPort{port, six}] = at
			r.mu.Unlock()
			select {
			case opened <- struct{}{}:
			default:
			}
		}
	}
	beside.Go(func() {
		ctx, cancel := runningUntil(stop)
		defer cancel()
		r.router.Open(ctx, port, note(false))
	})
	beside.Go(func() {
		ctx, cancel := runningUntil(stop)
		defer cancel()
		r.router.OpenIPv6(ctx, port, note(true))
	})
	t := time.NewTimer(time.Until(r.until))
	defer t.Stop()
	for {
		four, six := r.outside(port, false).IsValid(), r.outside(port, true).IsValid()
		if four && six {
			return
		}
		if four {
			t.Reset(otherTime)
		}
		select {
		case <-opened:
		case <-t.C:
			return
		}
	}
}

// outside is where the router has opened a port; not valid: it has not.
func (r *routerPorts) outside(port nat.LocalPort, six bool) netip.AddrPort {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at[routerPort{port, six}]
}

// keepOpen has the router open a port while the host runs.
func (h *Host) keepOpen(port nat.LocalPort) {
	cfg := h.cfg.Router
	cfg.Log = h.cfg.Log
	h.router.open(cfg, port, &h.beside, h.stop)
}

// playersOutside is where the router has opened the TCP port that the page comes from,
// by IPv4 and by IPv6; not valid: it has not.
func (h *Host) playersOutside() (four, six netip.AddrPort) {
	port := nat.LocalPort{Protocol: nat.TCP, Number: h.addr.Port()}
	if h.https != nil {
		port.Number = h.https.addr.Port()
	}
	return h.router.outside(port, false), h.router.outside(port, true)
}

// browsersOutside6 is where the router lets browsers in by UDP over IPv6.
func (h *Host) browsersOutside6() netip.AddrPort {
	return h.router.outside(nat.LocalPort{Protocol: nat.UDP, Number: h.peers.socket.Addr().Port()}, true)
}

// fromAnywhere reports whether an address is reached from anywhere.
func fromAnywhere(at netip.AddrPort) bool {
	return at.IsValid() && traversal.Scope(at.Addr()) >= anywhere
}

// anywhere is the scope of addresses that are reached from anywhere.
const anywhere = 3

// outerAddrs are the addresses by which players elsewhere reach the page.
func (h *Host) outerAddrs() (out []netip.Addr) {
	four, six := h.playersOutside()
	for _, at := range []netip.AddrPort{four, six} {
		if fromAnywhere(at) {
			out = append(out, at.Addr())
		}
	}
	return out
}

// outerPages are the page as players elsewhere reach it.
func (h *Host) outerPages() (out []string) {
	four, six := h.playersOutside()
	for _, at := range []netip.AddrPort{four, six} {
		if fromAnywhere(at) {
			out = append(out, pageOf(at.Addr(), at.Port()))
		}
	}
	return out
}
