package nat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/huin/goupnp"
	"github.com/huin/goupnp/dcps/internetgateway2"
	"github.com/huin/goupnp/soap"
)

// igd is a router that speaks UPnP (Internet Gateway Device). It is looked for once for
// all ports, and again after it has failed.
type igd struct {
	device string // URL of the description; empty: looked for
	mu     sync.Mutex
	found  *igdServices // nil: it has not been found
	failed error        // why not
	at     time.Time    // when it was looked for
}

type igdServices struct {
	connection connection // nil: it has none
	local      string     // this machine's address in the router's network
	firewall   *internetgateway2.WANIPv6FirewallControl1
}

// connection is what the three kinds of connections have in common.
type connection interface {
	AddPortMappingCtx(ctx context.Context, remoteHost string, externalPort uint16, protocol string, internalPort uint16, internalClient string, enabled bool, description string, lease uint32) error
	DeletePortMappingCtx(ctx context.Context, remoteHost string, externalPort uint16, protocol string) error
	GetExternalIPAddressCtx(ctx context.Context) (string, error)
	GetServiceClient() *goupnp.ServiceClient
}

const description = "Voxel Populi"

// upnpTime bounds the search for a router, and what is asked of it for a port.
const upnpTime = 10 * time.Second

// searchAgain is after how long a router that was not found is looked for again.
const searchAgain = 30 * time.Second

// maxAnswer bounds what a machine that calls itself a router has this one read.
const maxAnswer = 1 << 20

// bounded cuts off answers that are too long.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		a.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(a.Body, maxAnswer), a.Body}
	}
	return a, err
}

// toRouters is without the proxies of the wide web.
var toRouters = http.Client{Transport: bounded{&http.Transport{DisableKeepAlives: true}}}

func init() { goupnp.HTTPClientDefault = &toRouters }

// services looks for the router.
func (d *igd) services(ctx context.Context) (*igdServices, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.found != nil || d.failed != nil && time.Since(d.at) < searchAgain {
		return d.found, d.failed
	}
	d.found, d.failed = d.search(ctx)
	d.at = time.Now()
	return d.found, d.failed
}

func (d *igd) search(ctx context.Context) (*igdServices, error) {
	ctx, cancel := context.WithTimeout(ctx, upnpTime)
	defer cancel()
	var at *url.URL
	if d.device != "" {
		var err error
		if at, err = url.Parse(d.device); err != nil {
			return nil, err
		}
	}
	s, err := searchServices(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("UPnP: %w", err)
	}
	return s, nil
}

func (d *igd) forget() {
	d.mu.Lock()
	d.found, d.failed = nil, nil
	d.mu.Unlock()
}

// searchServices asks for all kinds of services at once, since each search waits for
// two seconds, and takes the best kind of connection.
func searchServices(ctx context.Context, at *url.URL) (*igdServices, error) {
	var kinds [3]connection
	s := &igdServices{}
	var searches sync.WaitGroup
	searches.Go(func() {
		if c, ok := first(ctx, at, internetgateway2.NewWANIPConnection2ClientsByURLCtx, internetgateway2.NewWANIPConnection2ClientsCtx); ok {
			kinds[0] = c
		}
	})
	searches.Go(func() {
		if c, ok := first(ctx, at, internetgateway2.NewWANIPConnection1ClientsByURLCtx, internetgateway2.NewWANIPConnection1ClientsCtx); ok {
			kinds[1] = c
		}
	})
	searches.Go(func() {
		if c, ok := first(ctx, at, internetgateway2.NewWANPPPConnection1ClientsByURLCtx, internetgateway2.NewWANPPPConnection1ClientsCtx); ok {
			kinds[2] = c
		}
	})
	searches.Go(func() {
		s.firewall, _ = first(ctx, at, internetgateway2.NewWANIPv6FirewallControl1ClientsByURLCtx, internetgateway2.NewWANIPv6FirewallControl1ClientsCtx)
	})
	searches.Wait()
	i := slices.IndexFunc(kinds[:], func(c connection) bool { return c != nil })
	if i < 0 {
		if s.firewall == nil {
			return nil, ErrNoRouter
		}
		return s, nil
	}
	local, err := sourceTo("udp4", withPort(kinds[i].GetServiceClient().Location.Host))
	if err != nil {
		return nil, err
	}
	s.connection, s.local = kinds[i], local.String()
	return s, nil
}

// first returns the first service of a kind that is found.
func first[C interface{ GetServiceClient() *goupnp.ServiceClient }](ctx context.Context, at *url.URL, byURL func(context.Context, *url.URL) ([]C, error),
	search func(context.Context) ([]C, []error, error)) (c C, ok bool) {
	var all []C
	if at != nil {
		all, _ = byURL(ctx, at)
	} else {
		all, _, _ = search(ctx)
	}
	if len(all) == 0 {
		return c, false
	}
	all[0].GetServiceClient().SOAPClient.HTTPClient = toRouters
	return all[0], true
}

func withPort(host string) string {
	if _, _, err := net.SplitHostPort(host); err != nil {
		return net.JoinHostPort(host, "80")
	}
	return host
}

// upnpMapping opens a port by IPv4.
type upnpMapping struct{ *igd }

func (u *upnpMapping) name() string { return "UPnP" }

func (u *upnpMapping) mapPort(ctx context.Context, port LocalPort, life time.Duration) (netip.AddrPort, time.Duration, error) {
	s, err := u.services(ctx)
	if err == nil && s.connection == nil {
		err = ErrNoRouter
	}
	if err != nil {
		return netip.AddrPort{}, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, upnpTime)
	defer cancel()
	addr, granted, err := s.mapPort(ctx, port, life)
	if err != nil {
		u.forget()
		err = fmt.Errorf("UPnP: %w", err)
	}
	return addr, granted, err
}

func (s *igdServices) mapPort(ctx context.Context, port LocalPort, life time.Duration) (netip.AddrPort, time.Duration, error) {
	protocol, c := port.Protocol.String(), s.connection
	if life == 0 {
		return netip.AddrPort{}, 0, c.DeletePortMappingCtx(ctx, "", port.Number, protocol)
	}
	err := c.AddPortMappingCtx(ctx, "", port.Number, protocol, port.Number, s.local, true, description, uint32(life/time.Second))
	if err != nil { // some routers open ports only for good; they are closed at the end
		err = c.AddPortMappingCtx(ctx, "", port.Number, protocol, port.Number, s.local, true, description, 0)
	}
	if err != nil {
		return netip.AddrPort{}, 0, err
	}
	text, err := c.GetExternalIPAddressCtx(ctx)
	if err != nil {
		return netip.AddrPort{}, 0, err
	}
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return netip.AddrPort{}, 0, fmt.Errorf("the router's address: %w", err)
	}
	addr, err := openedAt(ip, port.Number)
	return addr, life, err
}

// upnpPinhole has the router's firewall let in what comes by IPv6
// (WANIPv6FirewallControl:1).
type upnpPinhole struct {
	*igd
	own  func() (netip.Addr, error)
	from netip.Addr // whom the pinhole is for; not valid: there is none
	id   uint16     // the router's number for it
}

// firewallDisabled: all that comes is let in anyway (WANIPv6FirewallControl:1, 2.5.5).
const firewallDisabled = 702

func (u *upnpPinhole) name() string { return "UPnP" }

func (u *upnpPinhole) mapPort(ctx context.Context, port LocalPort, life time.Duration) (netip.AddrPort, time.Duration, error) {
	s, err := u.services(ctx)
	if err == nil && s.firewall == nil {
		err = ErrNoRouter
	}
	if err != nil {
		return netip.AddrPort{}, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, upnpTime)
	defer cancel()
	if life == 0 {
		if !u.from.IsValid() {
			return netip.AddrPort{}, 0, nil
		}
		return netip.AddrPort{}, 0, s.firewall.DeletePinholeCtx(ctx, u.id)
	}
	own, err := u.own()
	if err != nil {
		return netip.AddrPort{}, 0, err
	}
	if err := u.renew(ctx, s, own, port, uint32(life/time.Second)); err != nil {
		u.from = netip.Addr{}
		if upnpCode(err) != firewallDisabled {
			u.forget()
			return netip.AddrPort{}, 0, fmt.Errorf("UPnP: %w", err)
		}
	}
	return netip.AddrPortFrom(own, port.Number), life, nil
}

// renew keeps the pinhole open, or makes one.
func (u *upnpPinhole) renew(ctx context.Context, s *igdServices, own netip.Addr, port LocalPort, seconds uint32) (err error) {
	if u.from == own && s.firewall.UpdatePinholeCtx(ctx, u.id, seconds) == nil {
		return nil
	}
	u.id, err = s.firewall.AddPinholeCtx(ctx, "", 0, own.String(), port.Number, uint16(port.Protocol), seconds)
	u.from = own
	return err
}

// upnpCode is the error that a router has answered with; 0: none of UPnP's.
func upnpCode(err error) int {
	var fault *soap.SOAPFaultError
	if errors.As(err, &fault) {
		return fault.Detail.UPnPError.Errorcode
	}
	return 0
}
