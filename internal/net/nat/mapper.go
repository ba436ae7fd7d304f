package nat

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"time"
)

// MappingLifetime is how long a port is asked for; it is asked for again in time.
const MappingLifetime = time.Hour

// MapConfig says which port a router is to open.
type MapConfig struct {
	Port uint16 // UDP, of this machine and, if it is free, of the router
	// Opened is told at which address the port is reached from outside, and that
	// it is not any more (the zero AddrPort).
	Opened func(netip.AddrPort)
	// RetryAfter is how long to wait after no router has opened the port; 0: 10 minutes.
	RetryAfter time.Duration
	// Gateway and Device are the router's addresses for PCP and NAT-PMP
	// (HOST:PORT) and for UPnP (URL of its description); empty: looked for.
	Gateway, Device string
	Log             *slog.Logger // nil: slog.Default()
}

// ErrNoRouter: no router has opened the port.
var ErrNoRouter = errors.New("no router opens ports here by PCP, NAT-PMP or UPnP")

// router is a protocol that a router may speak.
type router interface {
	name() string
	// mapPort opens the port for about so long, or for longer; life 0 closes it.
	mapPort(ctx context.Context, port uint16, life time.Duration) (netip.AddrPort, time.Duration, error)
}

// Open keeps a port open in the home's router until ctx ends, then closes it.
func Open(ctx context.Context, cfg MapConfig) {
	if cfg.RetryAfter <= 0 {
		cfg.RetryAfter = 10 * time.Minute
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	m := &mapper{cfg: cfg, routers: []router{&pcp{gateway: cfg.Gateway}, &upnp{device: cfg.Device}}}
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

type mapper struct {
	cfg     MapConfig
	routers []router
	active  router // that has opened the port; nil: none
	addr    netip.AddrPort
}

// renewMapping opens the port, or keeps it open, and returns when to come again.
func (m *mapper) renewMapping(ctx context.Context) time.Duration {
	if m.active != nil {
		if life, err := m.tryRouter(ctx, m.active); err == nil {
			return life / 2
		}
		if ctx.Err() != nil { // it is still to be closed
			return 0
		}
		m.setMapping(nil, netip.AddrPort{}) // the router may be another one by now
	}
	for _, r := range m.routers {
		life, err := m.tryRouter(ctx, r)
		if err == nil {
			return life / 2
		}
		if ctx.Err() != nil {
			return 0
		}
		m.cfg.Log.Debug("the router did not open the port", "port", m.cfg.Port, "by", r.name(), "error", err)
	}
	m.cfg.Log.Info("the node may not be reachable from outside", "port", m.cfg.Port, "error", ErrNoRouter)
	return m.cfg.RetryAfter
}

// minLifetime and longest life that is believed.
const (
	minLifetime = time.Second
	maxLifetime = 24 * time.Hour
)

func (m *mapper) tryRouter(ctx context.Context, r router) (time.Duration, error) {
	addr, life, err := r.mapPort(ctx, m.cfg.Port, MappingLifetime)
	if err != nil {
		return 0, err
	}
	m.setMapping(r, addr)
	return max(minLifetime, min(life, maxLifetime)), nil
}

func (m *mapper) setMapping(with router, addr netip.AddrPort) {
	m.active = with
	if addr == m.addr {
		return
	}
	m.addr = addr
	if with != nil {
		m.cfg.Log.Info("the router has opened a port", "port", m.cfg.Port, "address", addr, "by", with.name())
	}
	if m.cfg.Opened != nil {
		m.cfg.Opened(addr)
	}
}

// unmap closes the port, as far as a router answers within a moment.
func (m *mapper) unmap() {
	if m.active == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if _, _, err := m.active.mapPort(ctx, m.cfg.Port, 0); err != nil {
		m.cfg.Log.Info("the router did not close the port", "port", m.cfg.Port, "error", err)
	}
}
