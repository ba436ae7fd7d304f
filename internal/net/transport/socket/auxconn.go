package socket

import (
	"net"
	"net/netip"
	"os"
	"sync"
	"time"
)

// maxAuxQueue bounds the packets that wait to be read from Aux.
const maxAuxQueue = 256

// AuxConn is the socket for those who are neither QUIC nor datagrams: a
// net.PacketConn that a STUN client, an ICE agent's mux or a TURN client may
// use as if it were alone. It is fed while QUIC reads.
type AuxConn struct {
	s     *Socket
	queue chan packet
	done  chan struct{}
	close sync.Once

	mu       sync.Mutex
	expired  chan struct{} // closed when the read deadline has passed
	deadline *time.Timer
}

func newAuxConn(s *Socket) *AuxConn {
	return &AuxConn{s: s, queue: make(chan packet, maxAuxQueue), done: make(chan struct{}), expired: make(chan struct{})}
}

// Aux returns it; there is one for a socket.
func (s *Socket) Aux() net.PacketConn { return s.aux }

func (a *AuxConn) put(b []byte, from netip.AddrPort) {
	if len(a.queue) == cap(a.queue) {
		a.s.counts.dropped.Add(1)
		return
	}
	select {
	case a.queue <- packet{append([]byte(nil), b...), from}:
	default:
		a.s.counts.dropped.Add(1)
	}
}

// ReadFrom waits for a packet.
func (a *AuxConn) ReadFrom(b []byte) (int, net.Addr, error) {
	a.mu.Lock()
	expired := a.expired
	a.mu.Unlock()
	select {
	case p := <-a.queue:
		return copy(b, p.b), net.UDPAddrFromAddrPort(p.from), nil
	default:
	}
	select {
	case p := <-a.queue:
		return copy(b, p.b), net.UDPAddrFromAddrPort(p.from), nil
	case <-expired:
		return 0, nil, os.ErrDeadlineExceeded
	case <-a.done:
		return 0, nil, net.ErrClosed
	}
}

// WriteTo sends a packet from the shared port.
func (a *AuxConn) WriteTo(b []byte, to net.Addr) (int, error) {
	select {
	case <-a.done:
		return 0, net.ErrClosed
	default:
	}
	a.s.counts.out(b)
	if err := a.s.write(b, addrPort(to)); err != nil { // never by a route: routes are made of this
		return 0, err
	}
	return len(b), nil
}

// Close ends reading and writing here; the socket stays open.
func (a *AuxConn) Close() error {
	a.close.Do(func() { close(a.done) })
	return nil
}

// LocalAddr is the address of the shared port.
func (a *AuxConn) LocalAddr() net.Addr { return a.s.conn.LocalAddr() }

// SetReadDeadline ends a ReadFrom that waits at t; the zero time means never.
func (a *AuxConn) SetReadDeadline(t time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.deadline != nil {
		a.deadline.Stop()
		a.deadline = nil
	}
	select {
	case <-a.expired:
		a.expired = make(chan struct{})
	default:
	}
	if t.IsZero() {
		return nil
	}
	expired := a.expired
	if wait := time.Until(t); wait > 0 {
		a.deadline = time.AfterFunc(wait, func() { a.expire(expired) })
		return nil
	}
	close(expired)
	return nil
}

// expire ends the wait that the deadline was set for.
func (a *AuxConn) expire(expired chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.expired != expired {
		return
	}
	select {
	case <-expired:
	default:
		close(expired)
	}
}

// SetDeadline is SetReadDeadline: writing does not wait.
func (a *AuxConn) SetDeadline(t time.Time) error { return a.SetReadDeadline(t) }

// SetWriteDeadline does nothing.
func (a *AuxConn) SetWriteDeadline(time.Time) error { return nil }
