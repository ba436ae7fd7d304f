package traversal

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// remotePeer is another node.
type remotePeer struct {
	id   id.ID
	addr machine.Addr // as it wants to be known; zero: not known
	name machine.Peer // as the node here knows it
	via  machine.Peer // as the transport here knows it
	// reached is where the peer last answered, if that is another address than addr;
	// zero: nowhere else, or it no longer answers there.
	reached machine.Addr

	opening, up bool // the transport's link
	hello       bool // the peer has stated its address
	wanted      bool // the node waits for the link
	linked      bool // the node has it
	lastHeard   machine.Time
	lastUsed    machine.Time

	dialBack struct { // the last probe that was requested for this peer
		prober id.ID
		nonce  uint64
	}

	signalling
	pathSearch
	pathSwitch
	allocated bool              // there is an allocation, at helper
	refreshed machine.Time      // the allocation
	pending   []machine.Message // datagrams, until there is a path
}

const (
	maxPending = 16
	// bindingLifetime is how long a translator keeps a binding at least.
	bindingLifetime = 20 * time.Second
	// forgetAfter is when an unused peer is forgotten.
	forgetAfter = 3 * time.Minute
	// bothAddressesAfter is how long a peer must have been silent until a datagram
	// goes to both of its addresses.
	bothAddressesAfter = 5 * time.Second
	// pingInterval is how often linked nodes are asked for the time.
	pingInterval = 30 * time.Second
)

// ensurePeer returns the state of a peer, new if there is none.
func (a *Agent) ensurePeer(who id.ID) *remotePeer {
	p := a.peers[who]
	if p == nil {
		p = &remotePeer{id: who, lastHeard: a.env.Now(), signalling: newSignalling()}
		a.peers[who] = p
		a.order = append(a.order, p)
	}
	return p
}

// senderPeer is ensurePeer for senders, who mostly send several messages in a row.
func (a *Agent) senderPeer(who id.ID) *remotePeer {
	if a.lastSender == nil || a.lastSender.id != who {
		a.lastSender = a.ensurePeer(who)
	}
	return a.lastSender
}

// public reports whether the peer can help now.
func (p *remotePeer) public() bool { return p.up && p.hello && !IsRelayed(p.addr) }

// pathTo returns the peer to which the transport can send now.
func (a *Agent) pathTo(p *remotePeer, addr machine.Addr) (machine.Peer, bool) {
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
	case !p.via.Addr.IsZero() && a.env.Now().Sub(p.lastHeard) < bindingLifetime:
		return p.via, true
	}
	return machine.Peer{}, false
}

// onPeerLink follows the transport's links to peers.
func (a *Agent) onPeerLink(peer machine.Peer, ev machine.LinkEvent) {
	p := a.ensurePeer(peer.ID)
	if ev == machine.LinkUp {
		if p.viaRelay() && p.hello && p.oldVia == (machine.Peer{}) && !IsRelayed(peer.Addr) {
			a.beginSwitch(p, peer)
			return
		}
		if p.up && p.via != peer { // a newer one by another path
			a.env.Close(p.via)
			a.linkLost(p, machine.LinkFailed)
		}
		if p.opening && p.via != peer {
			a.env.Close(p.via)
		}
		p.via, p.up, p.opening, p.lastHeard = peer, true, false, a.env.Now()
		a.pathFound(p)
		a.env.Send(peer, &MappedAddress{Addr: peer.Addr.AddrPort()})
		if !a.self.Addr.IsZero() {
			a.env.Send(peer, &Hello{Addr: a.self.Addr})
		}
		return
	}
	if a.linkEndedDuringSwitch(p, peer, ev) || p.via != peer || !p.up && !p.opening {
		return
	}
	if p.allocated && peer.Addr == p.addr && ev == machine.LinkFailed {
		a.endAllocation(p)
	}
	attempt := p.opening
	a.linkLost(p, ev)
	if attempt { // it is not there any more
		p.reached = machine.Addr{}
	}
	if attempt && !a.detection.done && p.id == a.detection.asked.ID {
		a.askNextNode()
	}
}

// linkLost handles the end of a link, or of the attempt to open one.
func (a *Agent) linkLost(p *remotePeer, ev machine.LinkEvent) {
	a.cancelSwitch(p)
	report := p.linked || p.wanted
	p.linked, p.wanted = false, false
	if ev == machine.LinkFailed {
		p.via = machine.Peer{}
	}
	a.resetLink(p)
	if report && a.node != nil {
		a.deferred = append(a.deferred, func() { a.node.OnLink(p.name, ev) })
	}
}

func (a *Agent) resetLink(p *remotePeer) {
	p.up, p.opening, p.hello = false, false, false
}

func (a *Agent) onHello(p *remotePeer, m *Hello) {
	if !p.up || p.hello || m.Addr.IsZero() || IsRelayed(m.Addr) && !isRelayedAddrOf(m.Addr, p.id) {
		return
	}
	p.hello, p.addr = true, preferredAddr(m.Addr, p.via.Addr)
	p.reached = machine.Addr{}
	if !IsRelayed(p.addr) && p.via.Addr != p.addr {
		p.reached = p.via.Addr
	}
	a.env.Send(p.via, &Ping{Sent: a.env.Now()})
	if a.node != nil {
		a.reportLinkUp(p)
	}
}

// reportLinkUp tells the node that there is a link.
func (a *Agent) reportLinkUp(p *remotePeer) {
	if p.linked || !p.up || !p.hello {
		return
	}
	if !p.wanted {
		p.name = machine.Peer{ID: p.id, Addr: p.addr}
	}
	p.linked, p.wanted, p.lastUsed = true, false, a.env.Now()
	a.node.OnLink(p.name, machine.LinkUp)
}

// onLinkUse: the peer's node begins or ends to use a link that stays open.
func (a *Agent) onLinkUse(p *remotePeer, up bool) {
	switch {
	case up && a.node != nil:
		a.reportLinkUp(p)
	case !up && p.linked:
		p.linked = false
		a.node.OnLink(p.name, machine.LinkClosed)
	}
}

// maintain drives everything that has a deadline.
func (a *Agent) maintain() {
	now := a.env.Now()
	a.maintainDetection(now)
	a.maintainCircuits(now)
	ping := now.Sub(a.lastPing) >= pingInterval
	if ping {
		a.lastPing = now
	}
	kept := a.order[:0]
	for _, p := range a.order {
		a.maintainSearch(p, now)
		a.maintainSwitch(p, now)
		if ping && p.up {
			a.env.Send(p.via, &Ping{Sent: now})
		}
		if !p.up && !p.opening && p.stage == idle && !p.allocated && now.Sub(max(p.lastHeard, p.lastUsed)) > forgetAfter {
			delete(a.peers, p.id)
			a.lastSender = nil
			continue
		}
		kept = append(kept, p)
	}
	clear(a.order[len(kept):])
	a.order = kept
	if a.hidden {
		a.keepRelayLinks(now)
	}
}

func (a *Agent) onPong(p *remotePeer, from machine.Peer, m *Pong) {
	now := a.env.Now()
	if trip := now.Sub(m.Sent); a.cfg.Clock != nil && p.up && trip >= 0 && trip < time.Minute {
		a.cfg.Clock(p.id, m.Now.Sub(m.Sent.Add(trip/2)), trip)
	}
	if p.addr.IsZero() { // a home relay that was asked who it is
		p.addr = from.Addr
	}
}

// keepRelayLinks keeps links to public nodes, over which others find this one. Nodes
// that it joined by come first.
func (a *Agent) keepRelayLinks(now machine.Time) {
	if a.homeRelayConnected() {
		return
	}
	links := 0
	for _, known := range a.cfg.Known {
		if p := a.ensurePeer(known.ID); known.ID != a.cfg.ID && !IsRelayed(known.Addr) {
			a.keepLink(p, known, now)
		}
	}
	for _, p := range a.order {
		if p.public() {
			links++
		}
	}
	for _, p := range a.order {
		if links < spareRelays && !p.addr.IsZero() && !IsRelayed(p.addr) && a.keepLink(p, machine.Peer{ID: p.id, Addr: p.addr}, now) {
			return
		}
	}
}

// keepLink opens a link to a public node, at most every retryAfter.
func (a *Agent) keepLink(p *remotePeer, at machine.Peer, now machine.Time) bool {
	if p.up || p.opening || now < p.retryAt {
		return false
	}
	p.retryAt = now.Add(retryAfter)
	a.openLink(p, at)
	return true
}

// spareRelays is how many links to public nodes a hidden node keeps while its home
// relay is gone.
const spareRelays = 3

// homeRelayConnected reports whether there is a link to this node's home relay.
func (a *Agent) homeRelayConnected() bool {
	at := homeRelayOf(a.self.Addr)
	return slices.ContainsFunc(a.order, func(p *remotePeer) bool { return p.public() && (p.addr == at || p.via.Addr == at) })
}
