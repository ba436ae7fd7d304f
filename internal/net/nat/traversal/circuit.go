package traversal

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// A circuit is a browser's way to a hidden node: a public node, at whose port the
// browser believes the hidden one, passes their packets on. Over it the two exchange
// their addresses and look for a direct path; only if there is none it stays, and takes
// an allocation of the relay.

// Browsers is where the packets of circuits come from and go to; see package nat. No
// method blocks.
type Browsers interface {
	// Named is the hidden node that checks of browsers name; zero: there is none.
	Named(name string) id.ID
	// ToBrowser sends a packet of a hidden node to a browser, from the node's port.
	ToBrowser(at netip.AddrPort, b []byte)
	// FromBrowser takes a packet that a helper has passed on, of a browser that it sees
	// at an address.
	FromBrowser(helper id.ID, circuit uint64, seen netip.AddrPort, b []byte)
}

// Bounds of circuits that have no allocation yet: enough to shake hands and to find a
// direct path.
const (
	maxBegun        = 256
	maxBegunAddress = 8  // for a browser's address (of IPv6: a /64)
	maxBegunNode    = 64 // to a hidden node
	begunBytes      = 128 << 10
	begunLifetime   = 15 * time.Second
)

type circuit struct {
	number uint64
	at     netip.AddrPort // the browser
	node   id.ID          // the hidden node
	since  machine.Time
	bytes  int
	kept   bool // it has an allocation
}

// browser is what the relay knows the browser by.
func (c *circuit) browser() (who id.ID) {
	binary.BigEndian.PutUint64(who[len(who)-8:], c.number)
	return who
}

// circuits are those that a public node keeps up.
type circuits struct {
	at map[netip.AddrPort]*circuit
	of map[uint64]*circuit
}

// FromBrowser passes on a packet of a browser; name is that of the hidden node, if the
// packet is a check, which names it.
func (a *Agent) FromBrowser(from netip.AddrPort, name string, b []byte) {
	c := a.circuits.at[from]
	if name != "" {
		node := a.cfg.Browsers.Named(name)
		if c != nil && c.node != node {
			a.endCircuit(c)
			c = nil
		}
		if c == nil {
			c = a.beginCircuit(from, node)
		}
	}
	if c == nil {
		return
	}
	p := a.peers[c.node]
	if p == nil || !p.up || machine.Crowded(a.env, p.via) || !a.countCircuit(c, c.browser(), c.node, len(b)) {
		return
	}
	a.env.Send(p.via, &BrowserPacket{Circuit: c.number, Addr: from, Data: b})
}

// beginCircuit makes a circuit, if there is room for it.
func (a *Agent) beginCircuit(from netip.AddrPort, node id.ID) *circuit {
	p := a.peers[node]
	if a.hidden || p == nil || !p.up || !p.hello || !IsRelayed(p.addr) {
		return nil
	}
	begun, ofAddress, ofNode := 0, 0, 0
	for _, c := range a.circuits.at {
		if c.kept {
			continue
		}
		begun++
		if limit.Key(c.at.Addr()) == limit.Key(from.Addr()) {
			ofAddress++
		}
		if c.node == node {
			ofNode++
		}
	}
	if begun >= maxBegun || ofAddress >= maxBegunAddress || ofNode >= maxBegunNode {
		return nil
	}
	if a.circuits.at == nil {
		a.circuits = circuits{map[netip.AddrPort]*circuit{}, map[uint64]*circuit{}}
	}
	c := &circuit{number: a.env.Rand().Uint64(), at: from, node: node, since: a.env.Now()}
	a.circuits.at[from], a.circuits.of[c.number] = c, c
	return c
}

// countCircuit reports whether a packet of n bytes may pass.
func (a *Agent) countCircuit(c *circuit, from, to id.ID, n int) bool {
	if n < 1 || n > MaxRelayedPacket {
		return false
	}
	if c.kept {
		if a.relay.Forward(from, to, n, a.env.Now()) != nil {
			return false
		}
		a.stats.Packets++
		a.stats.Bytes += uint64(n)
		return true
	}
	c.bytes += n
	return c.bytes <= begunBytes
}

// onBrowserReply sends a packet of a hidden node to its browser.
func (a *Agent) onBrowserReply(p *remotePeer, m *BrowserReply) {
	c := a.circuits.of[m.Circuit]
	switch {
	case c == nil || c.node != p.id:
	case m.End:
		a.endCircuit(c)
	default:
		if m.Keep && !c.kept {
			a.keepCircuit(c)
		}
		if a.countCircuit(c, c.node, c.browser(), len(m.Data)) {
			a.cfg.Browsers.ToBrowser(c.at, m.Data)
		}
	}
}

// keepCircuit gives a circuit an allocation, if there is one.
func (a *Agent) keepCircuit(c *circuit) {
	if !a.cfg.Relays {
		return
	}
	now := a.env.Now()
	if _, err := a.relay.Allocate(c.node, c.browser(), now); err != nil {
		return
	}
	if open, err := a.relay.Allocate(c.browser(), c.node, now); err == nil && open {
		c.kept = true
		a.stats.Allocations++
	}
}

func (a *Agent) endCircuit(c *circuit) {
	delete(a.circuits.at, c.at)
	delete(a.circuits.of, c.number)
	a.relay.End(c.node, c.browser())
}

// maintainCircuits ends those whose time is over.
func (a *Agent) maintainCircuits(now machine.Time) {
	for _, c := range a.circuits.at { // the order does not matter: each is looked at alone
		if c.kept && !a.relay.Alive(c.node, c.browser(), now) || !c.kept && now.Sub(c.since) > begunLifetime {
			a.endCircuit(c)
		}
	}
}

// onBrowserPacket takes what a helper has passed on.
func (a *Agent) onBrowserPacket(helper *remotePeer, m *BrowserPacket) {
	if a.hidden && helper.public() && a.cfg.Browsers != nil && len(m.Data) > 0 {
		a.cfg.Browsers.FromBrowser(helper.id, m.Circuit, m.Addr, m.Data)
	}
}

// ReplyToBrowser sends a packet back over a circuit.
func (a *Agent) ReplyToBrowser(helper id.ID, m *BrowserReply) {
	if p := a.peers[helper]; a.hidden && p != nil && p.up && !machine.Crowded(a.env, p.via) {
		a.env.Send(p.via, m)
	}
}

// Reflexive is the address that others see this node at; invalid: not known.
func (a *Agent) Reflexive() netip.AddrPort { return a.reflexiveAddr() }

// HomeRelay is the public node that a relayed address names.
func HomeRelay(a machine.Addr) netip.AddrPort { return homeRelayOf(a).AddrPort() }
