package nat

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat/traversal"
)

// BrowserPort is a node's one UDP port, as browsers reach it (transport's socket.Socket).
type BrowserPort interface {
	Browsers() net.PacketConn
	Deliver(b []byte, from netip.AddrPort)
	Addr() netip.AddrPort
}

// CircuitAgent is traversal.Agent; its methods are called like a machine's handlers.
type CircuitAgent interface {
	FromBrowser(from netip.AddrPort, name string, b []byte)
	ReplyToBrowser(helper id.ID, m *traversal.BrowserReply)
	Reflexive() netip.AddrPort
}

// Circuits carries packets between browsers and hidden nodes, at both ends: it
// implements traversal.Browsers, and is the packet connection of datachannel.Listener.
// To a hidden node the browser at the other end of a circuit has an address of a
// private range (RFC 4193) that nobody routes:
//
//	fd 77 | first 6 bytes of the helper's id | number of the circuit [8]
//
// So all limits for a /64 are limits for what one helper passes on.
type Circuits struct {
	net.PacketConn
	port  BrowserPort
	named func(name string) id.ID
	queue chan func()

	agent CircuitAgent
	call  func(func()) error

	mu   sync.Mutex
	ends map[netip.AddrPort]*circuitEnd
}

// circuitEnd is the browser at the other end of a circuit.
type circuitEnd struct {
	helper id.ID
	number uint64
	seen   netip.AddrPort
	keep   bool
	used   time.Time
}

const (
	maxCircuitQueue = 512
	maxCircuitEnds  = 1024
	circuitEndLife  = time.Minute
)

// NewCircuits returns circuits over a port; named is traversal.Browsers.Named.
func NewCircuits(port BrowserPort, named func(name string) id.ID) *Circuits {
	return &Circuits{
		PacketConn: port.Browsers(), port: port, named: named, queue: make(chan func(), maxCircuitQueue), ends: map[netip.AddrPort]*circuitEnd{},
	}
}

// Serve passes packets to an agent until ctx ends; call calls it.
func (c *Circuits) Serve(ctx context.Context, agent CircuitAgent, call func(func()) error) {
	c.agent, c.call = agent, call
	for {
		select {
		case fn := <-c.queue:
			if call(fn) != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// post lets the agent do something; one too many is lost, as packets are.
func (c *Circuits) post(fn func()) {
	select {
	case c.queue <- fn:
	default:
	}
}

// Named implements traversal.Browsers.
func (c *Circuits) Named(name string) id.ID { return c.named(name) }

// ToBrowser implements traversal.Browsers.
func (c *Circuits) ToBrowser(at netip.AddrPort, b []byte) {
	_, _ = c.PacketConn.WriteTo(b, net.UDPAddrFromAddrPort(at)) // lost, as packets are
}

// FromBrowser implements traversal.Browsers.
func (c *Circuits) FromBrowser(helper id.ID, number uint64, seen netip.AddrPort, b []byte) {
	at, now := circuitAddr(helper, number), time.Now()
	c.mu.Lock()
	e := c.ends[at]
	if e == nil {
		c.forgetEnds(now)
		if len(c.ends) >= maxCircuitEnds {
			c.mu.Unlock()
			return
		}
		e = &circuitEnd{helper: helper, number: number}
		c.ends[at] = e
	}
	e.seen, e.used = limit.CanonicalPort(seen), now
	c.mu.Unlock()
	c.port.Deliver(b, at)
}

func (c *Circuits) forgetEnds(now time.Time) {
	for at, e := range c.ends {
		if now.Sub(e.used) > circuitEndLife {
			delete(c.ends, at)
		}
	}
}

func circuitAddr(helper id.ID, number uint64) netip.AddrPort {
	ip := [16]byte{0xfd, 0x77}
	copy(ip[2:8], helper[:])
	binary.BigEndian.PutUint64(ip[8:], number)
	return netip.AddrPortFrom(netip.AddrFrom16(ip), 1)
}

// Check passes on a browser's check for the node that it names.
func (c *Circuits) Check(name string, b []byte, from netip.AddrPort) {
	packet := append([]byte(nil), b...)
	c.post(func() { c.agent.FromBrowser(from, name, packet) })
}

// Forward passes on another packet of a browser that has a circuit.
func (c *Circuits) Forward(b []byte, from netip.AddrPort) { c.Check("", b, from) }

// Seen is where the browser at the other end of a circuit is; not valid: the address is
// no circuit's.
func (c *Circuits) Seen(at netip.AddrPort) netip.AddrPort {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.ends[at]; e != nil {
		return e.seen
	}
	return netip.AddrPort{}
}

// Keep: the browser at the other end of a circuit plays over it.
func (c *Circuits) Keep(at netip.AddrPort) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.ends[at]; e != nil {
		e.keep = true
	}
}

// End ends a circuit.
func (c *Circuits) End(at netip.AddrPort) {
	c.mu.Lock()
	e := c.ends[at]
	delete(c.ends, at)
	c.mu.Unlock()
	if e != nil {
		c.post(func() { c.agent.ReplyToBrowser(e.helper, &traversal.BrowserReply{Circuit: e.number, End: true}) })
	}
}

// WriteTo sends a packet to a browser, over its circuit if it has one.
func (c *Circuits) WriteTo(b []byte, to net.Addr) (int, error) {
	u, ok := to.(*net.UDPAddr)
	if !ok {
		return 0, net.InvalidAddrError("no UDP address")
	}
	c.mu.Lock()
	e := c.ends[u.AddrPort()]
	if e == nil {
		c.mu.Unlock()
		return c.PacketConn.WriteTo(b, to)
	}
	helper, reply := e.helper, &traversal.BrowserReply{Circuit: e.number, Keep: e.keep, Data: append([]byte(nil), b...)}
	c.mu.Unlock()
	c.post(func() { c.agent.ReplyToBrowser(helper, reply) })
	return len(b), nil
}

// Own are the addresses at which a browser may try to reach this node directly.
func (c *Circuits) Own() (out []netip.AddrPort) {
	seen := make(chan netip.AddrPort, 1)
	c.post(func() { seen <- c.agent.Reflexive() })
	select {
	case a := <-seen:
		if a.IsValid() {
			out = append(out, a)
		}
	case <-time.After(time.Second):
	}
	local := c.port.Addr()
	if ip := limit.Canonical(local.Addr()); !ip.IsUnspecified() {
		return append(out, netip.AddrPortFrom(ip, local.Port()))
	}
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		n, ok := a.(*net.IPNet)
		if !ok {
			continue
		}
		ip, ok := netip.AddrFromSlice(n.IP)
		if ip = limit.Canonical(ip); ok && !ip.IsLoopback() && !ip.IsLinkLocalUnicast() && len(out) < maxOwn {
			out = append(out, netip.AddrPortFrom(ip, local.Port()))
		}
	}
	return out
}

// maxOwn is how many addresses a browser is told.
const maxOwn = 8
