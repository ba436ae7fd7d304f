package datachannel

import (
	"context"
	"crypto/rand"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/pion/stun/v4"
)

// Circuits is a packet connection some of whose packets go through other nodes
// (package nat): from such an address a browser comes that dials a hidden node at the
// port of a public one.
type Circuits interface {
	net.PacketConn
	// Check passes on a check that names another node, Forward other packets of a
	// browser that has sent one.
	Check(name string, b []byte, from netip.AddrPort)
	Forward(b []byte, from netip.AddrPort)
	// Seen is where the browser at the other end of a circuit is; not valid: the address
	// is no circuit's.
	Seen(at netip.AddrPort) netip.AddrPort
	// Keep: the browser at the other end plays over the circuit. End: it is not used
	// any more.
	Keep(at netip.AddrPort)
	End(at netip.AddrPort)
	// Own are the addresses at which a browser may try to reach this node directly.
	Own() []netip.AddrPort
}

// ListenCircuits is Listen for a node whose browsers may come through other nodes, or
// which passes on those of others.
func ListenCircuits(c Circuits, cert *Certificate, limits Limits) *Listener {
	l := newListener(c, cert, limits)
	l.circuits = c
	l.start()
	return l
}

// seen is where the browser at an address is: somewhere else only over a circuit.
func (l *Listener) seen(at netip.AddrPort) netip.AddrPort {
	if l.circuits != nil {
		if s := l.circuits.Seen(at); s.IsValid() {
			return s
		}
	}
	return at
}

func (l *Listener) isCircuit(at netip.AddrPort) bool {
	return l.circuits != nil && l.circuits.Seen(at).IsValid()
}

// moved is when the path of a browser has changed.
func (c *Conn) moved(from, to netip.AddrPort) {
	if c.l.isCircuit(from) {
		c.l.circuits.End(from)
	}
	if c.keeps.Load() && c.l.isCircuit(to) {
		c.l.circuits.Keep(to)
	}
	select {
	case c.moves <- struct{}{}:
	default:
	}
}

// Keep: the browser plays. If it comes over a circuit, that is kept.
func (c *Conn) Keep() {
	c.keeps.Store(true)
	if at := c.RemoteAddr(); c.l.isCircuit(at) {
		c.l.circuits.Keep(at)
	}
}

// OverCircuit reports whether the browser comes through another node at present.
func (c *Conn) OverCircuit() bool { return c.l.isCircuit(c.RemoteAddr()) }

// A relay passes on 128 KiB/s in both directions and drops what is more
// (traversal.DefaultRelayLimits). SCTP, which takes that for a crowded line, would send
// hardly anything for seconds: so messages over a circuit are sent at three quarters of
// it, which leaves room for heads and for what the browser says.
const (
	circuitRate  = 96 << 10
	circuitBurst = 16 << 10
)

// pace waits until a message of n bytes may be sent over a circuit.
func (c *Conn) pace(n int) error {
	for ; n > 0 && c.OverCircuit(); n -= circuitBurst {
		next := float64(min(n, circuitBurst))
		for !c.budget.Take(next, time.Now()) {
			select {
			case <-time.After(c.budget.Wait(next, time.Now())):
			case <-c.done:
				return net.ErrClosed
			case <-c.writeBy.passed():
				return os.ErrDeadlineExceeded
			}
		}
	}
	return nil
}

// Own are the addresses at which the browser may try to reach this node directly.
func (c *Conn) Own() []netip.AddrPort {
	if c.l.circuits == nil {
		return nil
	}
	return c.l.circuits.Own()
}

// Side is the browser's side of ICE: what it accepts checks by.
type Side struct {
	Ufrag    string `json:"ufrag"`
	Password string `json:"pwd"`
}

// maxPassword bounds the password of a browser; the RFC allows 256, they have 24.
const maxPassword = 64

// Valid reports whether both are ICE characters of a bounded number.
func (s *Side) Valid() bool {
	return isUfrag(s.Ufrag) && len(s.Password) >= minUfrag && len(s.Password) <= maxPassword && isUfrag(s.Password)
}

// punchEvery is how often a check goes to the address where a browser is seen.
const punchEvery = 150 * time.Millisecond

// Direct sends checks to where a browser that comes over a circuit is seen, so that its
// own checks pass this node's translator, until it has come directly or ctx ends. It
// reports whether the path is direct.
func (c *Conn) Direct(ctx context.Context, side Side) bool {
	tick := time.NewTicker(punchEvery)
	defer tick.Stop()
	for c.OverCircuit() {
		if at := c.l.seen(c.RemoteAddr()); plausible(at) {
			if b, err := c.check(side); err == nil {
				_, _ = c.l.conn.WriteTo(b, net.UDPAddrFromAddrPort(at)) // lost, as packets are
			}
		}
		select {
		case <-c.moves:
		case <-tick.C:
		case <-c.done:
			return false
		case <-ctx.Done():
			return !c.OverCircuit()
		}
	}
	return true
}

// plausible refuses addresses that no browser has: another node has told them.
func plausible(a netip.AddrPort) bool {
	return a.Port() != 0 && !a.Addr().IsMulticast() && !a.Addr().IsUnspecified() && a.Addr() != netip.AddrFrom4([4]byte{255, 255, 255, 255})
}

// reflexivePriority is that of a server-reflexive candidate (RFC 8445, section 5.1.2).
var reflexivePriority = []byte{0x64, 0xff, 0xff, 0xff}

// check is a binding request to the browser. Its answer is not waited for: the browser
// checks the path back.
func (c *Conn) check(side Side) ([]byte, error) {
	var tie [8]byte
	rand.Read(tie[:])
	m, err := stun.Build(stun.TransactionID, stun.BindingRequest, stun.NewUsername(side.Ufrag+":"+*c.ufrag.Load()),
		stun.RawAttribute{Type: stun.AttrICEControlled, Value: tie[:]},
		stun.RawAttribute{Type: stun.AttrPriority, Value: reflexivePriority},
		stun.NewShortTermIntegrity(side.Password), stun.Fingerprint)
	if err != nil {
		return nil, err
	}
	return m.Raw, nil
}
