// Package faulty makes a network between sockets of one machine as bad as one
// likes, for tests and experiments: packets get lost, come late, overtake each
// other, come twice, or do not come at all between some addresses. What happens
// to the packets is drawn from a seed; when they are sent is up to the senders.
package faulty

import (
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// Faults says how bad a network is. The zero Faults is a perfect one.
type Faults struct {
	Loss      float64       // share of packets that do not arrive
	Duplicate float64       // share of packets that arrive twice
	Delay     time.Duration // of every packet
	Jitter    time.Duration // up to so much more: packets overtake each other
}

// Network is what the packets of all its connections pass.
type Network struct {
	mu     sync.Mutex
	rand   rng.Rand
	faults Faults
	cut    func(from, to netip.AddrPort) bool
	lost   int
}

// NewNetwork returns a perfect network.
func NewNetwork(seed uint64) *Network { return &Network{rand: rng.New(seed)} }

// Set makes the network worse or better from now on.
func (n *Network) Set(f Faults) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.faults = f
}

// Cut lets nothing pass from one address to another while cut reports true for
// them; nil ends that.
func (n *Network) Cut(cut func(from, to netip.AddrPort) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = cut
}

// Lost is how many packets did not arrive.
func (n *Network) Lost() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.lost
}

// Wrap puts a connection into the network: what it sends passes the faults.
func (n *Network) Wrap(c net.PacketConn) net.PacketConn { return &conn{c, n} }

type conn struct {
	net.PacketConn
	n *Network
}

// WriteTo sends a packet, or loses it: the sender cannot tell.
func (c *conn) WriteTo(b []byte, to net.Addr) (int, error) {
	delays := c.n.fate(addr(c.LocalAddr()), addr(to))
	for _, d := range delays {
		if d == 0 {
			if _, err := c.PacketConn.WriteTo(b, to); err != nil {
				return 0, err
			}
			continue
		}
		late := append([]byte(nil), b...)
		time.AfterFunc(d, func() { c.PacketConn.WriteTo(late, to) })
	}
	return len(b), nil
}

// fate is when the copies of a packet leave.
func (n *Network) fate(from, to netip.AddrPort) (delays []time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f := &n.faults
	if n.cut != nil && n.cut(from, to) || f.Loss > 0 && n.rand.Float64() < f.Loss {
		n.lost++
		return nil
	}
	copies := 1
	if f.Duplicate > 0 && n.rand.Float64() < f.Duplicate {
		copies = 2
	}
	for range copies {
		d := f.Delay
		if f.Jitter > 0 {
			d += time.Duration(n.rand.Intn(int(f.Jitter)))
		}
		delays = append(delays, d)
	}
	return delays
}

func addr(a net.Addr) netip.AddrPort {
	u, ok := a.(*net.UDPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	ap := u.AddrPort()
	return limit.CanonicalPort(ap)
}
