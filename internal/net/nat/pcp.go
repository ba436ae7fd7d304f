package nat

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// pcp opens ports by PCP (RFC 6887) and, if the router is older, by NAT-PMP
// (RFC 6886), which share a port.
type pcp struct {
	gateway string // HOST:PORT; empty: the default gateway
	nonce   [12]byte
	old     bool // the router speaks NAT-PMP only
}

const (
	pcpPort     = 5351
	pcpSize     = 60
	protocolUDP = 17
	// maxTries and firstTimeout: an answer is waited for 250, 500, 1000 and 2000 ms.
	maxTries     = 4
	firstTimeout = 250 * time.Millisecond
)

var errOld = errors.New("the router speaks NAT-PMP")

func (p *pcp) name() string {
	if p.old {
		return "NAT-PMP"
	}
	return "PCP"
}

func (p *pcp) mapPort(ctx context.Context, port uint16, life time.Duration) (netip.AddrPort, time.Duration, error) {
	gateway := p.gateway
	if gateway == "" {
		ip, err := defaultGateway()
		if err != nil {
			return netip.AddrPort{}, 0, err
		}
		gateway = netip.AddrPortFrom(ip, pcpPort).String()
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "udp4", gateway)
	if err != nil {
		return netip.AddrPort{}, 0, err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if p.nonce == [12]byte{} {
		rand.Read(p.nonce[:])
	}
	if !p.old {
		addr, granted, err := p.mapPCP(ctx, conn, port, life)
		if !errors.Is(err, errOld) {
			return addr, granted, err
		}
		p.old = true
	}
	return mapPMP(ctx, conn, port, life)
}

// mapPCP asks for a mapping (RFC 6887, 11.1).
func (p *pcp) mapPCP(ctx context.Context, conn net.Conn, port uint16, life time.Duration) (netip.AddrPort, time.Duration, error) {
	q := make([]byte, pcpSize)
	q[0], q[1] = 2, 1 // version 2, MAP
	binary.BigEndian.PutUint32(q[4:], uint32(life/time.Second))
	own := conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().As16()
	copy(q[8:24], own[:])
	copy(q[24:36], p.nonce[:])
	q[36] = protocolUDP
	binary.BigEndian.PutUint16(q[40:], port)
	binary.BigEndian.PutUint16(q[42:], port)
	any4 := netip.IPv4Unspecified().As16()
	copy(q[44:60], any4[:])
	a, err := request(ctx, conn, q, func(a []byte) bool {
		switch {
		case len(a) < 4:
			return false
		case a[0] == 0: // an older router does not know this version
			return true
		}
		return len(a) >= pcpSize && a[0] == 2 && a[1] == 0x81 && bytes.Equal(a[24:36], p.nonce[:]) && a[36] == protocolUDP && binary.BigEndian.Uint16(a[40:]) == port
	})
	if err != nil {
		return netip.AddrPort{}, 0, err
	}
	if a[0] == 0 {
		return netip.AddrPort{}, 0, errOld
	}
	if a[3] != 0 {
		return netip.AddrPort{}, 0, fmt.Errorf("PCP: the router refuses, code %d", a[3])
	}
	ip := netip.AddrFrom16([16]byte(a[44:60])).Unmap()
	return netip.AddrPortFrom(ip, binary.BigEndian.Uint16(a[42:])), seconds(a[4:]), nil
}

// mapPMP asks for the external address and a mapping (RFC 6886, 3.2 and 3.3).
func mapPMP(ctx context.Context, conn net.Conn, port uint16, life time.Duration) (netip.AddrPort, time.Duration, error) {
	q := make([]byte, 12)
	q[1] = 1 // map UDP
	binary.BigEndian.PutUint16(q[4:], port)
	binary.BigEndian.PutUint32(q[8:], uint32(life/time.Second))
	if life > 0 { // to close, the external port is 0 (3.4)
		binary.BigEndian.PutUint16(q[6:], port)
	}
	a, err := request(ctx, conn, q, func(a []byte) bool {
		return len(a) >= 16 && a[0] == 0 && a[1] == 129 && binary.BigEndian.Uint16(a[8:]) == port
	})
	if err != nil {
		return netip.AddrPort{}, 0, err
	}
	if code := binary.BigEndian.Uint16(a[2:]); code != 0 {
		return netip.AddrPort{}, 0, fmt.Errorf("NAT-PMP: the router refuses, code %d", code)
	}
	if life == 0 {
		return netip.AddrPort{}, 0, nil
	}
	external, granted := binary.BigEndian.Uint16(a[10:]), seconds(a[12:])
	b, err := request(ctx, conn, []byte{0, 0}, func(a []byte) bool { return len(a) >= 12 && a[0] == 0 && a[1] == 128 })
	if err != nil {
		return netip.AddrPort{}, 0, err
	}
	if code := binary.BigEndian.Uint16(b[2:]); code != 0 {
		return netip.AddrPort{}, 0, fmt.Errorf("NAT-PMP: the router does not tell its address, code %d", code)
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[8:12])), external), granted, nil
}

func seconds(b []byte) time.Duration {
	return time.Duration(binary.BigEndian.Uint32(b)) * time.Second
}

// request sends a request until an answer fits. The connection takes packets from the
// router alone.
func request(ctx context.Context, conn net.Conn, q []byte, fits func([]byte) bool) ([]byte, error) {
	b := make([]byte, 1100) // the longest that there is (RFC 6887, 7)
	wait := firstTimeout
	for range maxTries {
		if _, err := conn.Write(q); err != nil {
			return nil, err
		}
		conn.SetReadDeadline(time.Now().Add(wait))
		for ctx.Err() == nil {
			n, err := conn.Read(b)
			if err != nil {
				var late net.Error
				if errors.As(err, &late) && late.Timeout() {
					break
				}
				return nil, err // nobody listens there
			}
			if fits(b[:n]) {
				return b[:n], nil
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		wait *= 2
	}
	return nil, fmt.Errorf("the router at %s does not answer", conn.RemoteAddr())
}
