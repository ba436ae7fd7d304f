package datachannel_test

import (
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
)

// relay is a packet connection through a node that passes on 128 KiB/s and drops the rest.
type relay struct {
	net.PacketConn
	mu      sync.Mutex
	budget  limit.Budget
	dropped int
}

const relayRate = 128 << 10

func (r *relay) WriteTo(b []byte, to net.Addr) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.budget.Take(float64(len(b)), time.Now()) {
		r.dropped++
		return len(b), nil
	}
	return r.PacketConn.WriteTo(b, to)
}

func (r *relay) Check(string, []byte, netip.AddrPort)  {}
func (r *relay) Forward([]byte, netip.AddrPort)        {}
func (r *relay) Seen(at netip.AddrPort) netip.AddrPort { return at }
func (r *relay) Keep(netip.AddrPort)                   {}
func (r *relay) End(netip.AddrPort)                    {}
func (r *relay) Own() []netip.AddrPort                 { return nil }

// TestCircuitIsNotFlooded: a node sends no more over a circuit than a relay passes on.
func TestCircuitIsNotFlooded(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{PacketConn: conn, budget: limit.NewBudget(relayRate, relayRate)}
	l := datachannel.ListenCircuits(r, certificate(t), datachannel.Limits{})
	t.Cleanup(func() { l.Close(); conn.Close() })
	c := dial(t, conn.LocalAddr().(*net.UDPAddr).AddrPort(), l.Fingerprint())
	node, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	const size, messages = 20 << 10, 20 // twice what passes at once
	go func() {
		for range messages {
			if node.Send(datachannel.Reliable, make([]byte, size), false) != nil {
				return
			}
		}
	}()
	for range messages {
		if b, _, err := c.Recv(datachannel.Reliable); err != nil || len(b) != size {
			t.Fatalf("%d bytes, %v", len(b), err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := r.dropped; n > 0 {
		t.Errorf("the relay had to drop %d packets", n)
	}
}
