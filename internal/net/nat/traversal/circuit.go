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
	*core
	relay *Relay

	at map[netip.AddrPort]*circuit
	of map[uint64]*circuit
}

// fromBrowser passes on a packet of a browser; name is that of the hidden node, if the
// packet is a check, which names it.
func (ci *circuits) fromBrowser(from netip.AddrPort, name string, b []byte) {
	c := ci.at[from]
	if name != "" {
		node := ci.cfg.Browsers.Named(name)
		if c != nil && c.node != node {
			ci.end(c)
			c = nil
		}
		if c == nil {
			c = ci.begin(from, node)
		}
	}
	if c == nil {
		return
	}
	p := ci.peers[c.node]
	if p == nil || !p.up || machine.Crowded(ci.env, p.via) || !ci.count(c, c.browser(), c.node, len(b)) {
		return
	}
	ci.env.Send(p.via, &BrowserPacket{Circuit: c.number, Addr: from, Data: b})
}

// begin makes a circuit, if there is room for it.
func (ci *circuits) begin(from netip.AddrPort, node id.ID) *circuit {
	p := ci.peers[node]
	if ci.hidden || p == nil || !p.up || !p.hello || !IsRelayed(p.addr) {
		return nil
	}
	begun, ofAddress, ofNode := 0, 0, 0
	for _, c := range ci.at {
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
	if ci.at == nil {
		ci.at, ci.of = map[netip.AddrPort]*circuit{}, map[uint64]*circuit{}
	}
	c := &circuit{number: ci.env.Rand().Uint64(), at: from, node: node, since: ci.env.Now()}
	ci.at[from], ci.of[c.number] = c, c
	return c
}

// count reports whether a packet of n bytes may pass.
func (ci *circuits) count(c *circuit, from, to id.ID, n int) bool {
	if n < 1 || n > MaxRelayedPacket {
		return false
	}
	if c.kept {
		if ci.relay.Forward(from, to, n, ci.env.Now()) != nil {
			return false
		}
		ci.stats.Packets++
		ci.stats.Bytes += uint64(n)
		return true
	}
	c.bytes += n
	return c.bytes <= begunBytes
}

// onBrowserReply sends a packet of a hidden node to its browser.
func (ci *circuits) onBrowserReply(p *remotePeer, m *BrowserReply) {
	c := ci.of[m.Circuit]
	switch {
	case c == nil || c.node != p.id:
	case m.End:
		ci.end(c)
	default:
		if m.Keep && !c.kept {
			ci.keep(c)
		}
		if ci.count(c, c.node, c.browser(), len(m.Data)) {
			ci.cfg.Browsers.ToBrowser(c.at, m.Data)
		}
	}
}

// keep gives a circuit an allocation, if there is one.
func (ci *circuits) keep(c *circuit) {
	if !ci.cfg.Relays {
		return
	}
	now := ci.env.Now()
	if _, err := ci.relay.Allocate(c.node, c.browser(), now); err != nil {
		return
	}
	if open, err := ci.relay.Allocate(c.browser(), c.node, now); err == nil && open {
		c.kept = true
		ci.stats.Allocations++
	}
}

func (ci *circuits) end(c *circuit) {
	delete(ci.at, c.at)
	delete(ci.of, c.number)
	ci.relay.End(c.node, c.browser())
}

// maintain ends those whose time is over.
func (ci *circuits) maintain(now machine.Time) {
	for _, c := range ci.at { // the order does not matter: each is looked at alone
		if c.kept && !ci.relay.Alive(c.node, c.browser(), now) || !c.kept && now.Sub(c.since) > begunLifetime {
			ci.end(c)
		}
	}
}

// onBrowserPacket takes what a helper has passed on.
func (ci *circuits) onBrowserPacket(helper *remotePeer, m *BrowserPacket) {
	if ci.hidden && helper.public() && ci.cfg.Browsers != nil && len(m.Data) > 0 {
		ci.cfg.Browsers.FromBrowser(helper.id, m.Circuit, m.Addr, m.Data)
	}
}

// reply sends a packet back over a circuit.
func (ci *circuits) reply(helper id.ID, m *BrowserReply) {
	if p := ci.peers[helper]; ci.hidden && p != nil && p.up && !machine.Crowded(ci.env, p.via) {
		ci.env.Send(p.via, m)
	}
}

// HomeRelay is the public node that a relayed address names.
func HomeRelay(a machine.Addr) netip.AddrPort { return homeRelayOf(a).AddrPort() }
