package datachannel_test

import (
	"errors"
	"net"
	"sync"
	"testing"
	"time"
)

// movingConn is a packet connection whose own address changes.
type movingConn struct {
	mu sync.Mutex
	net.PacketConn
}

func (m *movingConn) now() net.PacketConn {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.PacketConn
}

// move changes the address.
func (m *movingConn) move(t *testing.T) {
	next, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.mu.Lock()
	old := m.PacketConn
	m.PacketConn = next
	m.mu.Unlock()
	old.Close()
}

func (m *movingConn) ReadFrom(b []byte) (int, net.Addr, error) {
	for {
		at := m.now()
		n, from, err := at.ReadFrom(b)
		if errors.Is(err, net.ErrClosed) && at != m.now() {
			continue
		}
		return n, from, err
	}
}

func (m *movingConn) WriteTo(b []byte, to net.Addr) (int, error) { return m.now().WriteTo(b, to) }
func (m *movingConn) SetReadDeadline(t time.Time) error          { return m.now().SetReadDeadline(t) }
func (m *movingConn) Close() error                               { return m.now().Close() }
