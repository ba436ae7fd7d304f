// Package nattest is a home's router for tests: it speaks PCP (RFC 6887), NAT-PMP
// (RFC 6886) and UPnP (IGD:2 with WANIPv6FirewallControl:1), keeps what it was asked
// for, and opens nothing.
package nattest

import (
	"encoding/binary"
	"net"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/net/nat"
)

// Addresses of the router, and the port outside that PCP and NAT-PMP give.
var (
	Outside  = netip.MustParseAddr("27.1.1.1")
	Outside6 = netip.MustParseAddr("2001:db8::7")
)

// OutsidePort is for all ports that are asked for by PCP and NAT-PMP.
const OutsidePort = 6000

// Request is what the router was asked: to open a port for so many seconds, 0: to close it.
type Request struct {
	By   string // PCP, NAT-PMP, UPnP, pinhole
	Port nat.LocalPort
	Life uint32
}

// Router is a home's router. Set its fields before Start.
type Router struct {
	Old    bool // it speaks NAT-PMP and no PCP
	Refuse byte // a result code of PCP and NAT-PMP; 0: it opens ports
	// Life is how many seconds a port stays open at most; 0: as long as was asked for.
	Life     uint32
	NoLeases bool // ports by UPnP are opened for good
	// Firewall says whether the firewall for IPv6 can be asked by UPnP.
	Firewall bool

	asked chan Request
	mu    sync.Mutex
	holes map[int]Request // by their numbers
}

// Start starts the router on this machine and returns where it is: every protocol that a
// test does not want it must take out.
func (r *Router) Start(t testing.TB) nat.RouterConfig {
	t.Helper()
	r.asked, r.holes = make(chan Request, 256), map[int]Request{}
	cfg := nat.RouterConfig{Gateway: r.listen(t, "udp4", "127.0.0.1:0")}
	if HasIPv6() {
		cfg.Gateway6, cfg.Own6 = r.listen(t, "udp6", "[::1]:0"), netip.IPv6Loopback()
	}
	s := httptest.NewServer(r.device())
	t.Cleanup(s.Close)
	cfg.Device = s.URL + "/desc.xml"
	return cfg
}

// HasIPv6 reports whether tests by IPv6 are possible.
func HasIPv6() bool {
	l, err := net.ListenPacket("udp6", "[::1]:0")
	if err == nil {
		l.Close()
	}
	return err == nil
}

// Asked is what comes next.
func (r *Router) Asked() <-chan Request { return r.asked }

func (r *Router) note(q Request) {
	select {
	case r.asked <- q:
	default: // a test that does not look
	}
}

func (r *Router) listen(t testing.TB, network, addr string) string {
	t.Helper()
	conn, err := net.ListenPacket(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		b := make([]byte, 2000)
		for {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			if a := r.answer(b[:n], network == "udp6"); a != nil {
				conn.WriteTo([]byte("noise"), from) // not of this protocol
				conn.WriteTo(a, from)
			}
		}
	}()
	return conn.LocalAddr().String()
}

func (r *Router) lives(asked uint32) uint32 {
	if r.Life > 0 {
		return min(asked, r.Life)
	}
	return asked
}

// answer answers a packet as the RFCs' figures show it.
func (r *Router) answer(q []byte, six bool) []byte {
	switch {
	case len(q) == 60 && q[0] == 2 && q[1] == 1 && r.Old:
		return []byte{0, 0x81, 0, 1, 0, 0, 0, 0} // UNSUPP_VERSION of NAT-PMP (RFC 6886, 3.5)
	case len(q) == 60 && q[0] == 2 && q[1] == 1:
		a := append([]byte(nil), q...)
		a[1], a[2], a[3] = 0x81, 0, r.Refuse
		life := binary.BigEndian.Uint32(q[4:])
		r.note(Request{"PCP", nat.LocalPort{Protocol: nat.Protocol(q[36]), Number: binary.BigEndian.Uint16(q[40:])}, life})
		binary.BigEndian.PutUint32(a[4:], r.lives(life))
		clear(a[8:24])
		out := netip.AddrFrom16(Outside.As16())
		if six { // nothing is translated
			out = Outside6
		} else {
			binary.BigEndian.PutUint16(a[42:], OutsidePort)
		}
		ip := out.As16()
		copy(a[44:], ip[:])
		return a
	case len(q) == 2 && q[0] == 0 && q[1] == 0 && !six:
		ip := Outside.As4()
		return append([]byte{0, 128, 0, 0, 0, 0, 0, 1}, ip[:]...)
	case len(q) == 12 && q[0] == 0 && (q[1] == 1 || q[1] == 2) && !six:
		life, protocol := binary.BigEndian.Uint32(q[8:]), nat.UDP
		if q[1] == 2 {
			protocol = nat.TCP
		}
		r.note(Request{"NAT-PMP", nat.LocalPort{Protocol: protocol, Number: binary.BigEndian.Uint16(q[4:])}, life})
		a := make([]byte, 16)
		a[1], a[3] = 128|q[1], r.Refuse
		copy(a[8:10], q[4:6])
		binary.BigEndian.PutUint16(a[10:], OutsidePort)
		binary.BigEndian.PutUint32(a[12:], r.lives(life))
		return a
	}
	return nil
}
