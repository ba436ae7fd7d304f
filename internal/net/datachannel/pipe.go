package datachannel

import (
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
)

const (
	// maxQueue bounds the packets that wait to be decrypted.
	maxQueue = 64
	// maxHandshake bounds the bytes that a browser may send before its channels are
	// open; its handshake has about 2 kB.
	maxHandshake = 32 << 10
	// packetRate and packetBurst bound the packets of a browser: more are lost. It
	// acknowledges each second packet of what it is sent.
	packetRate  = 2000
	packetBurst = 4000
)

// pipe is the packet connection of one browser: what the listener has sorted out for
// it. It is a net.PacketConn for DTLS.
type pipe struct {
	conn  net.PacketConn
	to    atomic.Pointer[netip.AddrPort]
	queue chan []byte
	done  chan struct{}
	end   sync.Once
	open  atomic.Bool // the handshake is over

	// Only the listener's reader touches these.
	budget limit.Budget
	early  int // bytes before the handshake was over
}

func newPipe(conn net.PacketConn, to netip.AddrPort) *pipe {
	p := &pipe{conn: conn, queue: make(chan []byte, maxQueue), done: make(chan struct{}), budget: limit.NewBudget(packetRate, packetBurst)}
	p.to.Store(&to)
	return p
}

// put takes a packet; one too many is lost.
func (p *pipe) put(b []byte) {
	if !p.budget.Take(1, time.Now()) {
		return
	}
	if !p.open.Load() {
		if p.early += len(b); p.early > maxHandshake {
			return
		}
	}
	if len(p.queue) == cap(p.queue) {
		return
	}
	p.queue <- append([]byte(nil), b...) // the only writer: there is room
}

func (p *pipe) ReadFrom(b []byte) (int, net.Addr, error) {
	select {
	case got := <-p.queue:
		return copy(b, got), p.remote(), nil
	case <-p.done:
		return 0, nil, net.ErrClosed
	}
}

func (p *pipe) WriteTo(b []byte, _ net.Addr) (int, error) {
	select {
	case <-p.done:
		return 0, net.ErrClosed
	default:
	}
	if _, err := p.conn.WriteTo(b, p.remote()); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (p *pipe) Close() error {
	p.end.Do(func() { close(p.done) })
	return nil
}

func (p *pipe) remote() net.Addr    { return net.UDPAddrFromAddrPort(*p.to.Load()) }
func (p *pipe) LocalAddr() net.Addr { return p.conn.LocalAddr() }

// DTLS sets no deadlines here; SCTP and the channels have their own.
func (p *pipe) SetDeadline(time.Time) error      { return os.ErrNoDeadline }
func (p *pipe) SetReadDeadline(time.Time) error  { return os.ErrNoDeadline }
func (p *pipe) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }
