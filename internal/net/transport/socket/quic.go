package socket

import (
	"net"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/net/ipv4"
)

// maxNames bounds the addresses that are kept ready as net.Addr.
const maxNames = 1024

// conn is what QUIC sees: a connection with nothing but its own packets.
type conn struct {
	s     *Socket
	names map[netip.AddrPort]*net.UDPAddr // only the reader uses it
}

// udpConn is a conn on a real UDP socket: QUIC may use segmentation offload and
// congestion marks.
type udpConn struct{ *conn }

// QUIC returns what a quic.Transport is to drive. There may be one only.
func (s *Socket) QUIC() net.PacketConn {
	c := &conn{s: s, names: map[netip.AddrPort]*net.UDPAddr{}}
	if s.udp != nil {
		return udpConn{c}
	}
	return c
}

func (c *conn) ReadFrom(b []byte) (int, net.Addr, error) {
	n, _, _, from, err := c.s.read(b, nil)
	if err != nil {
		return 0, nil, err
	}
	return n, c.name(from), nil
}

func (c *conn) WriteTo(b []byte, to net.Addr) (int, error) {
	if err := c.s.Send(b, addrPort(to)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// name is an address as QUIC wants it.
func (c *conn) name(a netip.AddrPort) *net.UDPAddr {
	if u := c.names[a]; u != nil {
		return u
	}
	if len(c.names) >= maxNames {
		clear(c.names)
	}
	u := net.UDPAddrFromAddrPort(a)
	c.names[a] = u
	return u
}

func (c *conn) LocalAddr() net.Addr { return c.s.conn.LocalAddr() }

// SetReadDeadline is how QUIC ends its reading.
func (c *conn) SetReadDeadline(t time.Time) error {
	if t.IsZero() {
		return nil
	}
	c.s.ended.Store(true)
	return c.s.conn.SetReadDeadline(t)
}

func (c *conn) SetDeadline(t time.Time) error    { return c.SetReadDeadline(t) }
func (c *conn) SetWriteDeadline(time.Time) error { return nil }

// Close does nothing: the Socket is closed by who opened it.
func (c *conn) Close() error { return nil }

// SetReadBuffer does nothing: Listen has asked for what we want.
func (c *conn) SetReadBuffer(int) error  { return nil }
func (c *conn) SetWriteBuffer(int) error { return nil }

func (c udpConn) SyscallConn() (syscall.RawConn, error) { return c.s.udp.SyscallConn() }

// ReadBatch reads one packet. quic-go asks for this method before it reads the
// file descriptor past us.
func (c udpConn) ReadBatch(ms []ipv4.Message, _ int) (int, error) {
	m := &ms[0]
	n, oobn, flags, from, err := c.s.read(m.Buffers[0], m.OOB)
	if err != nil {
		return 0, err
	}
	m.N, m.NN, m.Flags, m.Addr = n, oobn, flags, c.name(from)
	return 1, nil
}

// ReadMsgUDP is ReadBatch where there are no batches (Windows).
func (c udpConn) ReadMsgUDP(b, oob []byte) (n, oobn, flags int, from *net.UDPAddr, err error) {
	n, oobn, flags, a, err := c.s.read(b, oob)
	if err != nil {
		return 0, 0, 0, nil, err
	}
	return n, oobn, flags, c.name(a), nil
}

func (c udpConn) WriteMsgUDP(b, oob []byte, to *net.UDPAddr) (n, oobn int, err error) {
	s := c.s
	if r := s.routes.Load(); r != nil {
		if send := r.send[addrPort(to)]; send != nil {
			s.counts.out(b)
			return len(b), len(oob), sendParts(send, b, segment(oob))
		}
	}
	s.counts.out(b)
	return s.udp.WriteMsgUDP(b, oob, to)
}

// sendParts sends what the kernel would have cut into packets of the given size.
func sendParts(send func([]byte) error, b []byte, size int) error {
	for size > 0 && len(b) > size {
		if err := send(b[:size]); err != nil {
			return err
		}
		b = b[size:]
	}
	return send(b)
}
