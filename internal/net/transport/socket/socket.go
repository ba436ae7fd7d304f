// Package socket shares a node's one UDP port between those who speak over it.
// The first byte of a packet says whose it is (RFC 9443 keeps the ranges apart):
//
//	0x00–0x3f  auxiliary: STUN and ICE, read from Aux by the NAT traversal;
//	           DTLS, and STUN of browsers (BrowserUfrag), read from Browsers
//	0x40–0x7f  QUIC, short header
//	0x80–0xbf  datagrams of the node's own: given to the handler
//	0xc0–0xff  QUIC, long header
//
// Everything from an address that was claimed (a TURN server) goes to Aux,
// whatever its first byte.
//
// The goroutine that reads for QUIC is the one that reads the socket: datagrams
// are handled on it, so that neither kind of packet passes a queue or wakes
// another goroutine first. An address may have a route: what is sent to it goes
// through a function (a relay) instead of the socket, and Deliver is what comes
// back from there.
package socket

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
)

// BufferSize is what the kernel is asked to keep for us in either direction: a
// burst from a thousand peers fits. It grants at most net.core.rmem_max.
const BufferSize = 4 << 20

// maxInjected bounds the QUIC packets from relays that wait for the reader.
const maxInjected = 256

// Handler takes a datagram; b is valid until it returns. It must not block, and
// it is called from several goroutines if there are routes.
type Handler func(b []byte, from netip.AddrPort)

// Socket is a UDP socket that is shared.
type Socket struct {
	conn    net.PacketConn
	udp     *net.UDPConn // conn, if it is one: reads and writes without allocating
	addr    netip.AddrPort
	handler atomic.Pointer[Handler]
	aux     *AuxConn
	browser *AuxConn
	routes  atomic.Pointer[routes] // nil: none
	change  sync.Mutex             // held while routes are replaced
	counts  counts

	waiting  atomic.Int32 // packets in injected
	injected chan packet
	ended    atomic.Bool // QUIC reads no more
}

type packet struct {
	b    []byte
	from netip.AddrPort
}

// routes are what differs from plain sending and receiving. It is replaced as
// a whole.
type routes struct {
	send    map[netip.AddrPort]func([]byte) error
	claimed map[netip.AddrPort]bool
}

// Listen opens a UDP port on an address such as ":4242", "127.0.0.1:0".
func Listen(addr string) (*Socket, error) {
	a, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return nil, fmt.Errorf("the UDP address %q: %w", addr, err)
	}
	c, err := net.ListenUDP("udp", a)
	if err != nil {
		return nil, fmt.Errorf("opening UDP port %s (is another node running there?): %w", addr, err)
	}
	_ = c.SetReadBuffer(BufferSize) // as much as we may have
	_ = c.SetWriteBuffer(BufferSize)
	return New(c), nil
}

// New shares a packet connection that is open; its addresses are *net.UDPAddr.
func New(conn net.PacketConn) *Socket {
	s := &Socket{conn: conn, addr: addrPort(conn.LocalAddr()), injected: make(chan packet, maxInjected)}
	s.udp, _ = conn.(*net.UDPConn)
	s.aux, s.browser = newAuxConn(s), newAuxConn(s)
	return s
}

// Addr is the local address; its IP is unspecified if the socket listens on all.
func (s *Socket) Addr() netip.AddrPort { return s.addr }

// Close closes the port.
func (s *Socket) Close() error {
	s.aux.Close()
	s.browser.Close()
	return s.conn.Close()
}

// Handle says who takes datagrams from now on.
func (s *Socket) Handle(h Handler) { s.handler.Store(&h) }

// Send sends a packet. A packet that the network refuses is lost, as others are.
func (s *Socket) Send(b []byte, to netip.AddrPort) error {
	s.counts.out(b)
	if r := s.routes.Load(); r != nil {
		if send := r.send[to]; send != nil {
			return send(b)
		}
	}
	return s.write(b, to)
}

func (s *Socket) write(b []byte, to netip.AddrPort) (err error) {
	if s.udp != nil {
		_, err = s.udp.WriteToUDPAddrPort(b, to)
	} else {
		_, err = s.conn.WriteTo(b, net.UDPAddrFromAddrPort(to))
	}
	return err
}

// Route sends what goes to an address through a function, which must not keep
// its argument, until remove is called.
func (s *Socket) Route(to netip.AddrPort, send func(b []byte) error) (remove func()) {
	to = limit.CanonicalPort(to)
	s.reroute(func(r *routes) { r.send[to] = send })
	return func() { s.reroute(func(r *routes) { delete(r.send, to) }) }
}

// Claim lets everything that comes from an address go to Aux, until release is
// called.
func (s *Socket) Claim(from netip.AddrPort) (release func()) {
	from = limit.CanonicalPort(from)
	s.reroute(func(r *routes) { r.claimed[from] = true })
	return func() { s.reroute(func(r *routes) { delete(r.claimed, from) }) }
}

func (s *Socket) reroute(change func(*routes)) {
	s.change.Lock()
	defer s.change.Unlock()
	r := &routes{send: map[netip.AddrPort]func([]byte) error{}, claimed: map[netip.AddrPort]bool{}}
	if old := s.routes.Load(); old != nil {
		for a, f := range old.send {
			r.send[a] = f
		}
		for a := range old.claimed {
			r.claimed[a] = true
		}
	}
	change(r)
	if len(r.send)+len(r.claimed) == 0 {
		r = nil
	}
	s.routes.Store(r)
}

// Deliver is a packet that came another way (through a relay), as if it had
// come from that address. b may be used again once it returns.
func (s *Socket) Deliver(b []byte, from netip.AddrPort) {
	from = limit.CanonicalPort(from)
	if !s.split(b, from) || s.ended.Load() {
		return
	}
	s.waiting.Add(1)
	select {
	case s.injected <- packet{append([]byte(nil), b...), from}:
		s.conn.SetReadDeadline(past) // wakes the reader
	default:
		s.waiting.Add(-1)
		s.counts.dropped.Add(1)
	}
}

// split hands a packet to whom it belongs; it reports true if that is QUIC.
func (s *Socket) split(b []byte, from netip.AddrPort) (quic bool) {
	if len(b) == 0 {
		return false
	}
	s.counts.in(b)
	if r := s.routes.Load(); r != nil && r.claimed[from] {
		s.aux.put(b, from)
		return false
	}
	switch b[0] >> 6 {
	case 0:
		if fromBrowser(b) {
			s.browser.put(b, from)
		} else {
			s.aux.put(b, from)
		}
	case 2:
		if h := s.handler.Load(); h != nil {
			(*h)(b, from)
		}
	default:
		return true
	}
	return false
}

var past = time.Unix(1, 0)

// read returns the next QUIC packet; the others are handled meanwhile.
func (s *Socket) read(b, oob []byte) (n, oobn, flags int, from netip.AddrPort, err error) {
	for {
		if s.waiting.Load() > 0 {
			select {
			case p := <-s.injected:
				s.waiting.Add(-1)
				return copy(b, p.b), 0, 0, p.from, nil
			default: // it is on its way, and so is the deadline
			}
		}
		n, oobn, flags, from, err = s.receive(b, oob)
		switch {
		case err == nil:
			from = limit.CanonicalPort(from)
			if s.split(b[:n], from) {
				return n, oobn, flags, from, nil
			}
		case s.ended.Load():
			return 0, 0, 0, from, net.ErrClosed
		case errors.Is(err, os.ErrDeadlineExceeded):
			s.conn.SetReadDeadline(time.Time{}) // before injected is looked at
			if s.ended.Load() {
				return 0, 0, 0, from, net.ErrClosed
			}
		default:
			return 0, 0, 0, from, err
		}
	}
}

func (s *Socket) receive(b, oob []byte) (n, oobn, flags int, from netip.AddrPort, err error) {
	if s.udp == nil {
		var a net.Addr
		n, a, err = s.conn.ReadFrom(b)
		return n, 0, 0, addrPort(a), err
	}
	if oob == nil {
		n, from, err = s.udp.ReadFromUDPAddrPort(b)
		return n, 0, 0, from, err
	}
	return s.udp.ReadMsgUDPAddrPort(b, oob)
}

func addrPort(a net.Addr) netip.AddrPort {
	u, ok := a.(*net.UDPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	return limit.CanonicalPort(u.AddrPort())
}
