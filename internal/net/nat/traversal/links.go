package traversal

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// links are the links to other nodes: the transport's, and what the node is told of them.
type links struct {
	*core
	detector    *detector
	searches    *searches
	switches    *switches
	allocations *allocations
}

// pathTo returns the peer to which the transport can send now.
func (li *links) pathTo(p *remotePeer, addr machine.Addr) (machine.Peer, bool) {
	switch {
	case p.up:
		return p.via, true
	case p.allocated:
		return machine.Peer{ID: p.id, Addr: p.addr}, true
	case !IsRelayed(addr):
		if addr == p.addr && p.reached != (machine.Addr{}) {
			addr = p.reached
		}
		return machine.Peer{ID: p.id, Addr: addr}, true
	case !p.via.Addr.IsZero() && li.env.Now().Sub(p.lastHeard) < bindingLifetime:
		return p.via, true
	}
	return machine.Peer{}, false
}

// onLink follows the transport's links to peers.
func (li *links) onLink(peer machine.Peer, ev machine.LinkEvent) {
	p := li.ensurePeer(peer.ID)
	if ev == machine.LinkUp {
		if p.viaRelay() && p.hello && p.oldVia == (machine.Peer{}) && !IsRelayed(peer.Addr) {
			li.switches.begin(p, peer)
			return
		}
		if p.up && p.via != peer { // a newer one by another path
			li.env.Close(p.via)
			li.lost(p, machine.LinkFailed)
		}
		if p.opening && p.via != peer {
			li.env.Close(p.via)
		}
		p.via, p.up, p.opening, p.lastHeard = peer, true, false, li.env.Now()
		li.searches.pathFound(p)
		li.env.Send(peer, &MappedAddress{Addr: peer.Addr.AddrPort()})
		if !li.self.Addr.IsZero() {
			li.env.Send(peer, &Hello{Addr: li.self.Addr})
		}
		return
	}
	if li.switches.linkEnded(p, peer, ev) || p.via != peer || !p.up && !p.opening {
		return
	}
	if p.allocated && peer.Addr == p.addr && ev == machine.LinkFailed {
		li.allocations.end(p)
	}
	attempt := p.opening
	li.lost(p, ev)
	if attempt { // it is not there any more
		p.reached = machine.Addr{}
	}
	if attempt && !li.detector.done && p.id == li.detector.asked.ID {
		li.detector.askNextNode()
	}
}

// lost handles the end of a link, or of the attempt to open one.
func (li *links) lost(p *remotePeer, ev machine.LinkEvent) {
	li.switches.cancel(p)
	report := p.linked || p.wanted
	p.linked, p.wanted = false, false
	if ev == machine.LinkFailed {
		p.via = machine.Peer{}
	}
	li.reset(p)
	if report && li.node != nil {
		li.deferred = append(li.deferred, func() { li.node.OnLink(p.name, ev) })
	}
}

func (li *links) reset(p *remotePeer) {
	p.up, p.opening, p.hello = false, false, false
}

func (li *links) onHello(p *remotePeer, m *Hello) {
	if !p.up || p.hello || m.Addr.IsZero() || IsRelayed(m.Addr) && !isRelayedAddrOf(m.Addr, p.id) {
		return
	}
	p.hello, p.addr = true, preferredAddr(m.Addr, p.via.Addr)
	p.reached = machine.Addr{}
	if !IsRelayed(p.addr) && p.via.Addr != p.addr {
		p.reached = p.via.Addr
	}
	li.env.Send(p.via, &Ping{Sent: li.env.Now()})
	if li.node != nil {
		li.reportLinkUp(p)
	}
}

// reportLinkUp tells the node that there is a link.
func (li *links) reportLinkUp(p *remotePeer) {
	if p.linked || !p.up || !p.hello {
		return
	}
	if !p.wanted {
		p.name = machine.Peer{ID: p.id, Addr: p.addr}
	}
	p.linked, p.wanted, p.lastUsed = true, false, li.env.Now()
	li.node.OnLink(p.name, machine.LinkUp)
}

// onLinkUse: the peer's node begins or ends to use a link that stays open.
func (li *links) onLinkUse(p *remotePeer, up bool) {
	switch {
	case up && li.node != nil:
		li.reportLinkUp(p)
	case !up && p.linked:
		p.linked = false
		li.node.OnLink(p.name, machine.LinkClosed)
	}
}

func (li *links) onPong(p *remotePeer, from machine.Peer, m *Pong) {
	now := li.env.Now()
	if trip := now.Sub(m.Sent); li.cfg.Clock != nil && p.up && trip >= 0 && trip < time.Minute {
		li.cfg.Clock(p.id, m.Now.Sub(m.Sent.Add(trip/2)), trip)
	}
	if p.addr.IsZero() { // a home relay that was asked who it is
		p.addr = from.Addr
	}
}

// keepRelayLinks keeps links to public nodes, over which others find this one. Nodes
// that it joined by come first.
func (li *links) keepRelayLinks(now machine.Time) {
	if li.isHomeRelayConnected() {
		return
	}
	links := 0
	for _, known := range li.cfg.Known {
		if p := li.ensurePeer(known.ID); known.ID != li.cfg.ID && !IsRelayed(known.Addr) {
			li.keep(p, known, now)
		}
	}
	for _, p := range li.order {
		if p.public() {
			links++
		}
	}
	for _, p := range li.order {
		if links < spareRelays && !p.addr.IsZero() && !IsRelayed(p.addr) && li.keep(p, machine.Peer{ID: p.id, Addr: p.addr}, now) {
			return
		}
	}
}

// keep opens a link to a public node, at most every retryAfter.
func (li *links) keep(p *remotePeer, at machine.Peer, now machine.Time) bool {
	if p.up || p.opening || now < p.retryAt {
		return false
	}
	p.retryAt = now.Add(retryAfter)
	li.open(p, at)
	return true
}

// spareRelays is how many links to public nodes a hidden node keeps while its home
// relay is gone.
const spareRelays = 3

// isHomeRelayConnected reports whether there is a link to this node's home relay.
func (li *links) isHomeRelayConnected() bool {
	at := homeRelayOf(li.self.Addr)
	return slices.ContainsFunc(li.order, func(p *remotePeer) bool { return p.public() && (p.addr == at || p.via.Addr == at) })
}

// sendDatagram sends a datagram, once there is a path.
func (li *links) sendDatagram(p *remotePeer, addr machine.Addr, m machine.Message) {
	via, ok := li.pathTo(p, addr)
	if !ok {
		p.setRelayedAddr(addr)
		if len(p.pending) < maxPending {
			p.pending = append(p.pending, m)
		}
		li.searches.begin(p)
		return
	}
	if li.hidden {
		m = &AddressedDatagram{Addr: li.self.Addr, Msg: m}
	}
	li.env.Send(via, m)
	if !p.up && via.Addr == p.reached && li.env.Now().Sub(p.lastHeard) > bothAddressesAfter {
		li.env.Send(machine.Peer{ID: p.id, Addr: addr}, m)
	}
}

func (li *links) open(p *remotePeer, via machine.Peer) {
	p.via, p.opening = via, true
	li.env.Open(via)
}
