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
	cfg    *Config
	stop   <-chan struct{} // ports stay open until it is closed
	beside *sync.WaitGroup // counts what keeps them open

	router *nat.Router
	until  time.Time // the start waits until then

	mu    sync.Mutex
	at    map[routerPort]netip.AddrPort
	nodes nat.LocalPort // for other nodes
	page  nat.LocalPort // that the page comes from
}

type routerPort struct {
	nat.LocalPort
	six bool // by IPv6
}

func newRouterPorts(cfg *Config, beside *sync.WaitGroup, stop <-chan struct{}) *routerPorts {
	return &routerPorts{cfg: cfg, beside: beside, stop: stop, at: map[routerPort]netip.AddrPort{}}
}

// openForNodes has the router open the port for other nodes, and returns where, if it has
// by the time that a person waits. What changes later counts at the next start.
func (r *routerPorts) openForNodes(port uint16) netip.AddrPort {
	nodes := nat.LocalPort{Protocol: nat.UDP, Number: port}
	r.mu.Lock()
	r.nodes = nodes
	r.mu.Unlock()
	if !r.cfg.MapPort || near(r.cfg.Nodes) {
		return netip.AddrPort{}
	}
	r.open(nodes)
	return r.outside(nodes, false)
}

// setPage says at which port the page comes from this node.
func (r *routerPorts) setPage(port uint16) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.page = nat.LocalPort{Protocol: nat.TCP, Number: port}
}

// openForPlayers has the router open the ports that the page comes from, at an address or
// by HTTPS. A page of another server needs none.
func (r *routerPorts) openForPlayers(addr netip.AddrPort, s *https) {
	if !r.cfg.MapPort {
		return
	}
	var open []uint16
	if s != nil {
		open = s.ports()
	} else if ip := addr.Addr().Unmap(); r.cfg.Page == "" && !ip.IsLoopback() {
		open = []uint16{addr.Port()}
	}
	for _, n := range open {
		r.open(nat.LocalPort{Protocol: nat.TCP, Number: n})
	}
}

// open has the router open a port while the host runs, and waits for a moment until it has.
func (r *routerPorts) open(port nat.LocalPort) {
	if r.router == nil {
		cfg := r.cfg.Router
		cfg.Log = r.cfg.Log
		r.router, r.until = nat.NewRouter(cfg), time.Now().Add(routerTime)
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
	r.beside.Go(func() {
		ctx, cancel := runningUntil(r.stop)
		defer cancel()
		r.router.Open(ctx, port, note(false))
	})
	r.beside.Go(func() {
		ctx, cancel := runningUntil(r.stop)
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

// players is where the router has opened the TCP port that the page comes from, by IPv4
// and by IPv6; not valid: it has not.
func (r *routerPorts) players() (four, six netip.AddrPort) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at[routerPort{r.page, false}], r.at[routerPort{r.page, true}]
}

// browsers6 is where the router lets browsers in by UDP over IPv6.
func (r *routerPorts) browsers6() netip.AddrPort {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at[routerPort{r.nodes, true}]
}

// fromAnywhere reports whether an address is reached from anywhere.
func fromAnywhere(at netip.AddrPort) bool {
	return at.IsValid() && traversal.Scope(at.Addr()) >= anywhere
}

// anywhere is the scope of addresses that are reached from anywhere.
const anywhere = 3

// playerAddrs are the addresses by which players elsewhere reach the page.
func (r *routerPorts) playerAddrs() (out []netip.Addr) {
	four, six := r.players()
	for _, at := range []netip.AddrPort{four, six} {
		if fromAnywhere(at) {
			out = append(out, at.Addr())
		}
	}
	return out
}

// pages are the page as players elsewhere reach it.
func (r *routerPorts) pages() (out []string) {
	four, six := r.players()
	for _, at := range []netip.AddrPort{four, six} {
		if fromAnywhere(at) {
			out = append(out, pageOf(at.Addr(), at.Port()))
		}
	}
	return out
}
