package nat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// pcp opens a port by PCP (RFC 6887) and, for IPv4, if the router is older, by NAT-PMP
// (RFC 6886), which share a port.
type pcp struct {
	server string // HOST:PORT; empty: the default gateway
	// own6 is this machine's address by IPv6; nil: the port is opened by IPv4.
	own6  func() (netip.Addr, error)
	from  netip.Addr // where the port was opened from by IPv6; what opens it closes it
	nonce [12]byte   // the same for all ports: some routers tell TCP from UDP by it alone
	old   bool       // the router speaks NAT-PMP only
}

const (
	pcpPort = 5351
	// maxTries and firstTimeout: an answer is waited for 250, 500 and 1000 ms.
	maxTries     = 3
	firstTimeout = 250 * time.Millisecond
)

func (p *pcp) name() string {
	if p.old {
		return "NAT-PMP"
	}
	return "PCP"
}

func (p *pcp) mapPort(ctx context.Context, port LocalPort, life time.Duration) (netip.AddrPort, time.Duration, error) {
	conn, err := p.dial(ctx, life > 0)
	if err != nil {
		return netip.AddrPort{}, 0, err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if !p.old {
		addr, granted, err := p.mapPCP(ctx, conn, port, life)
		if !errors.Is(err, errNATPMP) || p.own6 != nil {
			return addr, granted, err
		}
		p.old = true
	}
	return mapPMP(ctx, conn, port, life)
}

// dial connects to the router. By IPv6 the request must come from the address that the
// firewall is to let packets to (RFC 6887, 8.1).
func (p *pcp) dial(ctx context.Context, opens bool) (net.Conn, error) {
	var d net.Dialer
	if p.own6 == nil {
		if p.server != "" {
			return d.DialContext(ctx, "udp4", p.server)
		}
		ip, err := defaultGateway()
		if err != nil {
			return nil, err
		}
		return d.DialContext(ctx, "udp4", netip.AddrPortFrom(ip, pcpPort).String())
	}
	if opens {
		var err error
		if p.from, err = p.own6(); err != nil {
			return nil, err
		}
	}
	d.LocalAddr = net.UDPAddrFromAddrPort(netip.AddrPortFrom(p.from, 0))
	return d.DialContext(ctx, "udp6", cmp.Or(p.server, netip.AddrPortFrom(defaultGateway6(), pcpPort).String()))
}

// mapPCP asks for a mapping (RFC 6887, 11).
func (p *pcp) mapPCP(ctx context.Context, conn net.Conn, port LocalPort, life time.Duration) (netip.AddrPort, time.Duration, error) {
	q := pcpMap{
		lifetime: uint32(life / time.Second), nonce: p.nonce, protocol: port.Protocol, internal: port.Number, external: port.Number,
	}
	from := conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().WithZone("")
	suggested := netip.IPv4Unspecified()
	if p.own6 != nil {
		suggested = netip.IPv6Unspecified()
	}
	var a pcpMap
	var result pcpResult
	err := request(ctx, conn, q.appendRequest(nil, from, suggested), func(b []byte) (err error) {
		a, result, err = decodePCP(b)
		if err == nil && (a.nonce != q.nonce || a.protocol != q.protocol || a.internal != q.internal) {
			err = errNotFor
		}
		return err
	})
	if err != nil {
		return netip.AddrPort{}, 0, err
	}
	if result != 0 {
		return netip.AddrPort{}, 0, fmt.Errorf("PCP: the router refuses: %v", result)
	}
	if life == 0 {
		return netip.AddrPort{}, 0, nil
	}
	addr, err := openedAt(a.address, a.external)
	if err == nil && addr.Addr().Is6() != (p.own6 != nil) {
		err = fmt.Errorf("the router opens %v, an address of the other kind", addr)
	}
	return addr, time.Duration(a.lifetime) * time.Second, err
}

// openedAt is an address that a router says; it need not make sense.
func openedAt(ip netip.Addr, port uint16) (netip.AddrPort, error) {
	ip = ip.Unmap()
	if port == 0 || !ip.IsGlobalUnicast() {
		return netip.AddrPort{}, fmt.Errorf("the router opens %v, which nobody reaches", netip.AddrPortFrom(ip, port))
	}
	return netip.AddrPortFrom(ip, port), nil
}

// mapPMP asks for a mapping and the external address (RFC 6886, 3.3 and 3.2).
func mapPMP(ctx context.Context, conn net.Conn, port LocalPort, life time.Duration) (netip.AddrPort, time.Duration, error) {
	q := pmpMap{protocol: port.Protocol, internal: port.Number, lifetime: uint32(life / time.Second)}
	if life > 0 { // to close, the external port is 0 (3.4)
		q.external = port.Number
	}
	var a pmpMap
	var result uint16
	err := request(ctx, conn, q.appendRequest(nil), func(b []byte) (err error) {
		a, result, err = decodePMP(b)
		if err == nil && (a.protocol != q.protocol || a.internal != q.internal) {
			err = errNotFor
		}
		return err
	})
	if err != nil {
		return netip.AddrPort{}, 0, err
	}
	if result != 0 {
		return netip.AddrPort{}, 0, fmt.Errorf("NAT-PMP: the router refuses, code %d", result)
	}
	if life == 0 {
		return netip.AddrPort{}, 0, nil
	}
	var ip netip.Addr
	err = request(ctx, conn, []byte{0, 0}, func(b []byte) (err error) {
		ip, result, err = decodePMPAddress(b)
		return err
	})
	if err != nil {
		return netip.AddrPort{}, 0, err
	}
	if result != 0 {
		return netip.AddrPort{}, 0, fmt.Errorf("NAT-PMP: the router does not tell its address, code %d", result)
	}
	addr, err := openedAt(ip, a.external)
	return addr, time.Duration(a.lifetime) * time.Second, err
}

// errNotFor: a packet answers something else than what was asked.
var errNotFor = errors.New("not the answer")

// request sends a request until an answer fits: take returns nil, or errNATPMP, which
// ends it too. The connection takes packets from the router alone.
func request(ctx context.Context, conn net.Conn, q []byte, take func([]byte) error) error {
	b := make([]byte, maxPCP+1)
	wait := firstTimeout
	for range maxTries {
		if _, err := conn.Write(q); err != nil {
			return err
		}
		conn.SetReadDeadline(time.Now().Add(wait))
		for ctx.Err() == nil {
			n, err := conn.Read(b)
			if err != nil {
				var late net.Error
				if errors.As(err, &late) && late.Timeout() {
					break
				}
				return err // nobody listens there
			}
			if err := take(b[:n]); err == nil || errors.Is(err, errNATPMP) {
				return err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		wait *= 2
	}
	return fmt.Errorf("the router at %s does not answer", conn.RemoteAddr())
}
