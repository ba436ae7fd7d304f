package faulty

import (
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"
)

// sink writes down what is sent.
type sink struct {
	net.PacketConn
	sent chan byte
}

func (s *sink) LocalAddr() net.Addr { return &net.UDPAddr{IP: net.IPv4(1, 1, 1, 1), Port: 1} }
func (s *sink) WriteTo(b []byte, _ net.Addr) (int, error) {
	s.sent <- b[0]
	return len(b), nil
}

func TestFaults(t *testing.T) {
	to := &net.UDPAddr{IP: net.IPv4(2, 2, 2, 2), Port: 2}
	send := func(f Faults, cut func(from, to netip.AddrPort) bool) (got []byte, n *Network) {
		n = NewNetwork(1)
		n.Set(f)
		n.Cut(cut)
		s := &sink{sent: make(chan byte, 1000)}
		c := n.Wrap(s)
		for i := range 200 {
			c.WriteTo([]byte{byte(i)}, to)
		}
		for idle := false; !idle; {
			select {
			case b := <-s.sent:
				got = append(got, b)
			case <-time.After(f.Delay + f.Jitter + 100*time.Millisecond):
				idle = true
			}
		}
		return got, n
	}
	if got, _ := send(Faults{}, nil); len(got) != 200 || !slices.IsSorted(got) {
		t.Errorf("a perfect network: %v", got)
	}
	if got, n := send(Faults{Loss: 0.3}, nil); len(got) < 110 || len(got) > 170 || n.Lost() != 200-len(got) {
		t.Errorf("loss: %d arrive", len(got))
	}
	if got, _ := send(Faults{Duplicate: 0.3}, nil); len(got) < 230 || len(got) > 290 {
		t.Errorf("duplicates: %d arrive", len(got))
	}
	if got, _ := send(Faults{Delay: time.Millisecond, Jitter: 50 * time.Millisecond}, nil); len(got) != 200 || slices.IsSorted(got) {
		t.Errorf("jitter: %d arrive, in order: %v", len(got), slices.IsSorted(got))
	}
	if got, _ := send(Faults{}, func(from, to netip.AddrPort) bool {
		return from.String() == "1.1.1.1:1" && to.String() == "2.2.2.2:2"
	}); len(got) != 0 {
		t.Errorf("cut: %d arrive", len(got))
	}
}
