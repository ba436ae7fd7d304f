package gateway

import (
	"crypto/tls"
	"encoding/binary"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

const (
	// sendBuffer bounds what the kernel holds for a client, so that a slow one
	// shows early and does not play in the past.
	sendBuffer = 64 << 10
	// keepBuffer is the largest buffer that is used again.
	keepBuffer = 64 << 10
)

// traffic counts what goes over all sockets.
type traffic struct {
	bytesIn, bytesOut, messagesIn, messagesOut, frames atomic.Uint64
}

// tcp is an accepted connection. The WebSocket library reads from it and writes
// its control frames; messages for the client are put together here, so that
// all that a client gets at one time is one system call and no copy of it lives
// longer than that.
type tcp struct {
	net.Conn
	raw     net.Conn // below TLS; without it the same
	g       *Gateway
	traffic *traffic
	idle    idleness
	secure  bool // by HTTPS
	// allow says why no more may be read; nil: everything may. Only who reads uses
	// it.
	allow func(n int) error

	mu     sync.Mutex // held while writing
	buf    *[]byte    // messages that Flush will write, with their headers
	count  uint64     // of them
	frames uint64     // of them
	stallTime
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 8<<10); return &b }}

// Read counts.
func (c *tcp) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.traffic.bytesIn.Add(uint64(n))
	if c.allow != nil && n > 0 {
		if why := c.allow(n); why != nil {
			return 0, why
		}
	}
	return n, err
}

// Close closes the connection; it may be called again.
func (c *tcp) Close() error {
	c.g.conns.remove(c)
	return c.raw.Close() // tls.Conn would wait until the client has room for a farewell
}

// Write is for the library: answers to HTTP and control frames, each whole.
func (c *tcp) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.write(p)
}

func (c *tcp) write(p []byte) (int, error) {
	c.begin()
	n, err := c.Conn.Write(p)
	c.end()
	c.traffic.bytesOut.Add(uint64(n))
	return n, err
}

// stallTime is since when a write has been waiting for room.
type stallTime struct{ since atomic.Int64 }

func (s *stallTime) begin() { s.since.Store(time.Now().UnixNano()) }
func (s *stallTime) end()   { s.since.Store(0) }

// stall returns for how long a write has been waiting.
func (s *stallTime) stall(now time.Time) time.Duration {
	since := s.since.Load()
	if since == 0 {
		return 0
	}
	return time.Duration(now.UnixNano() - since)
}

// Add implements client.Sink: one binary message (RFC 6455, section 5.2: a
// single frame, not masked).
func (c *tcp) Add(head, body []byte) {
	if c.buf == nil {
		c.buf = buffers.Get().(*[]byte)
	}
	const finBinary = 0x82
	b := append(*c.buf, finBinary)
	switch n := len(head) + len(body); {
	case n < 126:
		b = append(b, byte(n))
	case n <= 0xffff:
		b = binary.BigEndian.AppendUint16(append(b, 126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 127), uint64(n))
	}
	*c.buf = append(append(b, head...), body...)
	c.count++
	if wire.TypeOf(head) == wire.TypeFrame {
		c.frames++
	}
}

// Flush writes what was added.
func (c *tcp) Flush() error {
	if c.buf == nil {
		return nil
	}
	c.mu.Lock()
	_, err := c.write(*c.buf)
	c.mu.Unlock()
	c.traffic.messagesOut.Add(c.count)
	c.traffic.frames.Add(c.frames)
	c.count, c.frames = 0, 0
	if cap(*c.buf) <= keepBuffer {
		*c.buf = (*c.buf)[:0]
		buffers.Put(c.buf)
	}
	c.buf = nil
	return err
}

// listener makes accepted connections tcp.
type listener struct {
	net.Listener
	g   *Gateway
	tls *tls.Config // nil: plain HTTP
}

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if t, ok := c.(*net.TCPConn); ok {
		t.SetWriteBuffer(sendBuffer) // a wish: the system's default does as well
	}
	t := &tcp{Conn: c, raw: c, g: l.g, traffic: &l.g.traffic}
	if l.tls != nil { // the handshake is part of the first read, and of its time limit
		t.Conn, t.secure = tls.Server(c, l.tls), true
	}
	from := netip.IPv6Unspecified()
	if a, err := netip.ParseAddrPort(c.RemoteAddr().String()); err == nil {
		from = limit.Canonical(a.Addr())
	}
	l.g.conns.add(t, from)
	return t, nil
}
