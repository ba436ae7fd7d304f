package nat

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"time"
)

// MappingLifetime is how long a port is asked for; it is asked for again in time.
const MappingLifetime = time.Hour

// Protocol is a transport protocol by its number at IANA.
type Protocol uint8

// The protocols that ports are opened for.
const (
	TCP Protocol = 6
	UDP Protocol = 17
)

// String is what UPnP calls it.
func (p Protocol) String() string {
	if p == TCP {
		return "TCP"
	}
	return "UDP"
}

// LocalPort is a port of this machine.
type LocalPort struct {
	Protocol Protocol
	Number   uint16
}

// RouterConfig says where the home's router is. The zero value is good: it is looked for.
type RouterConfig struct {
	// Gateway is where the router takes PCP and NAT-PMP for IPv4, Gateway6 PCP for
	// IPv6 (HOST:PORT), Device the URL of its description in UPnP.
	Gateway, Gateway6, Device string
	// Own6 is this machine's address by IPv6 that others are to reach.
	Own6 netip.Addr
	// RetryAfter is how long to wait after no router has opened a port; 0: 10 minutes.
	RetryAfter time.Duration
	Log        *slog.Logger // nil: slog.Default()
}

// ErrNoRouter: no router has opened the port.
var ErrNoRouter = errors.New("no router opens ports here by PCP, NAT-PMP or UPnP")

// Router is the home's router. It is safe for concurrent use.
type Router struct {
	cfg   RouterConfig
	igd   *igd
	nonce [12]byte // of PCP's mappings
}

// NewRouter returns the home's router; nothing is asked yet.
func NewRouter(cfg RouterConfig) *Router {
	cfg.RetryAfter = cmp.Or(cfg.RetryAfter, 10*time.Minute)
	cfg.Log = cmp.Or(cfg.Log, slog.Default())
	r := &Router{cfg: cfg, igd: &igd{device: cfg.Device}}
	rand.Read(r.nonce[:])
	return r
}

// Open keeps a port open by IPv4 until ctx ends, then closes it. opened is told at which
// address it is reached from outside, and that it is not any more (the zero AddrPort).
func (r *Router) Open(ctx context.Context, port LocalPort, opened func(netip.AddrPort)) {
	m := &mapper{cfg: r.cfg, port: port, opened: opened, clients: []client{&pcp{server: r.cfg.Gateway, nonce: r.nonce}, &upnpMapping{igd: r.igd}}}
	r.run(ctx, m)
}

// OpenIPv6 is Open for IPv6, where nothing is translated: it has the router's firewall
// let in what comes for the port of this machine.
func (r *Router) OpenIPv6(ctx context.Context, port LocalPort, opened func(netip.AddrPort)) {
	own := ownIPv6
	if r.cfg.Own6.IsValid() {
		own = func() (netip.Addr, error) { return r.cfg.Own6, nil }
	}
	m := &mapper{cfg: r.cfg, port: port, opened: opened, clients: []client{&pcp{server: r.cfg.Gateway6, own6: own, nonce: r.nonce}, &upnpPinhole{igd: r.igd, own: own}}}
	r.run(ctx, m)
}

// run looks for a router that speaks UPnP meanwhile: when one does not answer PCP it is
// known by then.
func (r *Router) run(ctx context.Context, m *mapper) {
	var search sync.WaitGroup
	search.Go(func() { _, _ = r.igd.services(ctx) }) // whoever needs it is told
	m.run(ctx)
	search.Wait()
}

// client asks for one port by a protocol that a router may speak.
type client interface {
	name() string
	// mapPort opens the port for about so long, or for longer; life 0 closes it.
	mapPort(ctx context.Context, port LocalPort, life time.Duration) (netip.AddrPort, time.Duration, error)
}

// mapper keeps one port open.
type mapper struct {
	cfg     RouterConfig
	port    LocalPort
	opened  func(netip.AddrPort)
	clients []client
	active  client // that has opened the port; nil: none
	addr    netip.AddrPort
}

// run keeps the port open until ctx ends, then closes it.
func (m *mapper) run(ctx context.Context) {
	for ctx.Err() == nil {
		wait := m.renewMapping(ctx)
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
		}
	}
	m.unmap()
}

// renewMapping opens the port, or keeps it open, and returns when to come again.
func (m *mapper) renewMapping(ctx context.Context) time.Duration {
	if m.active != nil {
		if life, err := m.try(ctx, m.active); err == nil {
			return life / 2
		}
		if ctx.Err() != nil { // it is still to be closed
			return 0
		}
		m.setMapping(nil, netip.AddrPort{}) // the router may be another one by now
	}
	for _, c := range m.clients {
		life, err := m.try(ctx, c)
		if err == nil {
			return life / 2
		}
		if ctx.Err() != nil {
			return 0
		}
		m.cfg.Log.Debug("the router did not open the port", "protocol", m.port.Protocol, "port", m.port.Number, "by", c.name(), "error", err)
		if errors.Is(err, errNoIPv6) {
			return m.cfg.RetryAfter
		}
	}
	m.cfg.Log.Info("this port may not be reachable from outside", "protocol", m.port.Protocol, "port", m.port.Number, "error", ErrNoRouter)
	return m.cfg.RetryAfter
}

// minLifetime and maxLifetime bound the life that is believed.
const (
	minLifetime = time.Second
	maxLifetime = 24 * time.Hour
)

func (m *mapper) try(ctx context.Context, c client) (time.Duration, error) {
	addr, life, err := c.mapPort(ctx, m.port, MappingLifetime)
	if err != nil {
		return 0, err
	}
	m.setMapping(c, addr)
	return max(minLifetime, min(life, maxLifetime)), nil
}

func (m *mapper) setMapping(by client, addr netip.AddrPort) {
	m.active = by
	if addr == m.addr {
		return
	}
	m.addr = addr
	if by != nil {
		m.cfg.Log.Info("the router has opened a port", "protocol", m.port.Protocol, "port", m.port.Number, "address", addr, "by", by.name())
	}
	m.opened(addr)
}

// unmap closes the port, as far as a router answers within a moment.
func (m *mapper) unmap() {
	if m.active == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if _, _, err := m.active.mapPort(ctx, m.port, 0); err != nil {
		m.cfg.Log.Info("the router did not close the port", "protocol", m.port.Protocol, "port", m.port.Number, "error", err)
	}
}
