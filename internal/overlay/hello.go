package overlay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// Hello is the first message over a link where certificates are checked: nodes
// exchange them upon connection establishment (thesis 4.2.2). Where they are not
// (Config.Verify is nil: simulations, which charge for the exchange in the
// handshake) it is left out.
type Hello struct{ Certificate *identity.Certificate }

// sendHello sends this node's certificate; until the other end's has been checked
// the link does not count as open, and what comes over it waits.
func (n *Node) sendHello(who machine.Peer) {
	p := n.peers.get(who.ID)
	if p == nil {
		p = &peer{peer: who}
		n.peers.put(p)
	}
	if p.link == linkUp {
		n.unlink(p)
	}
	p.early = nil
	p.greeting, p.ours = true, p.link == opening
	n.env.Send(who, &Hello{n.cfg.Certificate})
}

// Reissue gives the node a new certificate for the place that it has.
func (n *Node) Reissue(c *identity.Certificate) { n.cfg.Certificate = c }

// onMessageBeforeHello takes messages while greeting.
func (n *Node) onMessageBeforeHello(p *peer, m machine.Message) {
	if h, ok := m.(*Hello); ok && p.check == 0 && h.Certificate != nil {
		n.checks++
		p.check = jobCheck + n.checks
		p.offered = h.Certificate
		n.checking[p.check] = p
		n.env.Do("", p.check, n.cfg.Verify(p.peer.ID, h.Certificate))
		return
	}
	if len(p.early) < maxEarly {
		p.early = append(p.early, m)
	}
}

// maxEarly bounds what waits for a certificate to be checked.
const maxEarly = 64

// onChecked goes on with a link whose certificate was checked. One that is bad,
// or stands elsewhere than others said, is as good as no node.
func (n *Node) onChecked(tag uint64, err error) {
	p := n.checking[tag]
	delete(n.checking, tag)
	if p == nil || p.check != tag || !p.greeting {
		return
	}
	cert := p.offered
	early := p.early
	n.finishHello(p)
	if err != nil || p.Contact != nil && p.Pos != cert.Pos {
		n.env.Close(p.peer)
		p.link = noLink
		n.onFailed(p, nil)
		return
	}
	if !p.ours {
		p.link = noLink
	}
	if p.Contact == nil {
		p.Contact = &Contact{ID: p.peer.ID, Addr: p.peer.Addr, Pos: cert.Pos}
	}
	n.onUp(p.peer)
	for _, m := range early {
		n.OnMessage(p.peer, m)
	}
}

// acceptHello takes what a linked node says of itself. One that says that it
// stands where its certificate does not put it is thrown out.
func (n *Node) acceptHello(p *peer, c *Contact) bool {
	if c == nil || c.ID != p.peer.ID {
		return false
	}
	if !n.consistent(c) {
		n.dropMisbehaving(p)
		return false
	}
	known := p.Contact != nil
	p.Contact = c
	if !known {
		n.hops.stale = n.hops.stale || p.why&routed != 0
		n.consider(p)
	}
	return true
}

// consistent reports whether a contact does not contradict what is known of a
// linked node.
func (n *Node) consistent(c *Contact) bool {
	p := n.peers.get(c.ID)
	return p == nil || p.link != linkUp || p.Contact == nil || p.Pos == c.Pos
}

// consistentView reports whether all that a view names is credible.
func (n *Node) consistentView(v *NetworkView) bool {
	for _, c := range v.Neighbours {
		if !n.consistent(c) {
			return false
		}
	}
	return true
}

// dropMisbehaving ends the link to a node that does not keep to the protocol.
func (n *Node) dropMisbehaving(p *peer) {
	n.env.Close(p.peer)
	n.unlink(p)
	n.onFailed(p, nil)
}

// consistentOrigin reports whether a routed message's origin is credible; if it is the
// linked node itself that is not, it is thrown out.
func (n *Node) consistentOrigin(p *peer, c *Contact) bool {
	switch {
	case c == nil || c.ID == n.self.ID:
		return false
	case c.ID == p.peer.ID:
		return n.acceptHello(p, c)
	}
	return n.consistent(c)
}

func (n *Node) finishHello(p *peer) {
	p.greeting, p.early, p.offered, p.check = false, nil, nil, 0
}
