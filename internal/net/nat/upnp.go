package nat

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"time"

	"github.com/huin/goupnp/dcps/internetgateway2"
)

// upnp opens ports by UPnP's Internet Gateway Device.
type upnp struct {
	device string // URL of the description; empty: looked for
	found  service
	local  string // this machine's address in the router's network
}

// service is what the three kinds of connections have in common.
type service interface {
	AddPortMappingCtx(ctx context.Context, remoteHost string, externalPort uint16, protocol string, internalPort uint16, internalClient string, enabled bool, description string, lease uint32) error
	DeletePortMappingCtx(ctx context.Context, remoteHost string, externalPort uint16, protocol string) error
	GetExternalIPAddressCtx(ctx context.Context) (string, error)
}

const description = "Voxel Populi"

func (u *upnp) name() string { return "UPnP" }

func (u *upnp) mapPort(ctx context.Context, port uint16, life time.Duration) (netip.AddrPort, time.Duration, error) {
	if u.found == nil {
		if err := u.find(ctx); err != nil {
			return netip.AddrPort{}, 0, err
		}
	}
	addr, granted, err := u.ask(ctx, port, life)
	if err != nil {
		u.found = nil // the next time it is looked for anew
		err = fmt.Errorf("UPnP: %w", err)
	}
	return addr, granted, err
}

func (u *upnp) ask(ctx context.Context, port uint16, life time.Duration) (netip.AddrPort, time.Duration, error) {
	if life == 0 {
		return netip.AddrPort{}, 0, u.found.DeletePortMappingCtx(ctx, "", port, "UDP")
	}
	err := u.found.AddPortMappingCtx(ctx, "", port, "UDP", port, u.local, true, description, uint32(life/time.Second))
	if err != nil { // some routers open ports only for good; they are closed at the end
		err = u.found.AddPortMappingCtx(ctx, "", port, "UDP", port, u.local, true, description, 0)
	}
	if err != nil {
		return netip.AddrPort{}, 0, err
	}
	s, err := u.found.GetExternalIPAddressCtx(ctx)
	if err != nil {
		return netip.AddrPort{}, 0, err
	}
	ip, err := netip.ParseAddr(s)
	if err != nil {
		return netip.AddrPort{}, 0, fmt.Errorf("the router's address: %w", err)
	}
	return netip.AddrPortFrom(ip.Unmap(), port), life, nil
}

// find looks for a router, and for this machine's address towards it.
func (u *upnp) find(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	s, host, err := u.services(ctx)
	if err != nil {
		return fmt.Errorf("UPnP: %w", err)
	}
	conn, err := net.Dial("udp4", host)
	if err != nil {
		return fmt.Errorf("UPnP: %w", err)
	}
	defer conn.Close()
	u.found, u.local = s, conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap().String()
	return nil
}

// services asks for the kinds of connections in the order of their quality.
func (u *upnp) services(ctx context.Context) (service, string, error) {
	var at *url.URL
	if u.device != "" {
		var err error
		if at, err = url.Parse(u.device); err != nil {
			return nil, "", err
		}
	}
	if s, host := first(ctx, at, internetgateway2.NewWANIPConnection2ClientsByURLCtx, internetgateway2.NewWANIPConnection2ClientsCtx,
		func(c *internetgateway2.WANIPConnection2) string { return c.Location.Host }); host != "" {
		return s, host, nil
	}
	if s, host := first(ctx, at, internetgateway2.NewWANIPConnection1ClientsByURLCtx, internetgateway2.NewWANIPConnection1ClientsCtx,
		func(c *internetgateway2.WANIPConnection1) string { return c.Location.Host }); host != "" {
		return s, host, nil
	}
	if s, host := first(ctx, at, internetgateway2.NewWANPPPConnection1ClientsByURLCtx, internetgateway2.NewWANPPPConnection1ClientsCtx,
		func(c *internetgateway2.WANPPPConnection1) string { return c.Location.Host }); host != "" {
		return s, host, nil
	}
	return nil, "", ErrNoRouter
}

// first returns the first service of a kind that is found, and its HOST:PORT.
func first[C service](ctx context.Context, at *url.URL, byURL func(context.Context, *url.URL) ([]C, error),
	search func(context.Context) ([]C, []error, error), host func(C) string) (service, string) {
	var all []C
	if at != nil {
		all, _ = byURL(ctx, at)
	} else {
		all, _, _ = search(ctx)
	}
	if len(all) == 0 {
		return nil, ""
	}
	h := host(all[0])
	if _, _, err := net.SplitHostPort(h); err != nil {
		h = net.JoinHostPort(h, "80")
	}
	return all[0], h
}
