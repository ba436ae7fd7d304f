package overlay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Hello is the first message over a link where certificates are checked: nodes
// exchange them upon connection establishment (thesis 4.2.2). Where they are not
// (Config.Verify is nil: simulations, which charge for the exchange in the
// handshake) it is left out.
type Hello struct{ Certificate *identity.Certificate }

// greeter exchanges certificates over new links, and checks what nodes say of
// themselves against them.
type greeter struct {
	*core
	router     *router
	hood       *neighbourhood
	links      *links
	departures *departures
	receive    func(machine.Peer, machine.Message) // takes what came before the certificate was checked

	checking map[uint64]*peer // certificates
	checks   uint64
}

// sendHello sends this node's certificate; until the other end's has been checked
// the link does not count as open, and what comes over it waits.
func (g *greeter) sendHello(who machine.Peer) {
	p := g.peers.get(who.ID)
	if p == nil {
		p = &peer{peer: who}
		g.peers.put(p)
	}
	if p.link == linkUp {
		g.links.unlink(p)
	}
	p.early = nil
	p.greeting, p.ours = true, p.link == opening
	g.env.Send(who, &Hello{g.cfg.Certificate})
}

// Reissue gives the node a new certificate for the place that it has.
func (n *Node) Reissue(c *identity.Certificate) { n.cfg.Certificate = c }

// onMessageBeforeHello takes messages while greeting.
func (g *greeter) onMessageBeforeHello(p *peer, m machine.Message) {
	if h, ok := m.(*Hello); ok && p.check == 0 && h.Certificate != nil {
		g.checks++
		p.check = jobCheck + g.checks
		p.offered = h.Certificate
		g.checking[p.check] = p
		g.env.Do("", p.check, g.cfg.Verify(p.peer.ID, h.Certificate))
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
func (g *greeter) onChecked(tag uint64, err error) {
	p := g.checking[tag]
	delete(g.checking, tag)
	if p == nil || p.check != tag || !p.greeting {
		return
	}
	cert := p.offered
	early := p.early
	g.finishHello(p)
	if err != nil || p.Contact != nil && p.Pos != cert.Pos {
		g.env.Close(p.peer)
		p.link = noLink
		g.departures.onFailed(p, nil)
		return
	}
	if !p.ours {
		p.link = noLink
	}
	if p.Contact == nil {
		p.Contact = &Contact{ID: p.peer.ID, Addr: p.peer.Addr, Pos: cert.Pos}
	}
	g.links.onUp(p.peer)
	for _, m := range early {
		g.receive(p.peer, m)
	}
}

// acceptHello takes what a linked node says of itself. One that says that it
// stands where its certificate does not put it is thrown out.
func (g *greeter) acceptHello(p *peer, c *Contact) bool {
	if c == nil || c.ID != p.peer.ID {
		return false
	}
	if !g.consistent(c) {
		g.dropMisbehaving(p)
		return false
	}
	known := p.Contact != nil
	p.Contact = c
	if !known {
		g.router.hops.stale = g.router.hops.stale || p.why&routed != 0
		g.hood.consider(p)
	}
	return true
}

// consistent reports whether a contact does not contradict what is known of a
// linked node.
func (g *greeter) consistent(c *Contact) bool {
	p := g.peers.get(c.ID)
	return p == nil || p.link != linkUp || p.Contact == nil || p.Pos == c.Pos
}

// consistentView reports whether all that a view names is credible.
func (g *greeter) consistentView(v *NetworkView) bool {
	for _, c := range v.Neighbours {
		if !g.consistent(c) {
			return false
		}
	}
	return true
}

// dropMisbehaving ends the link to a node that does not keep to the protocol.
func (g *greeter) dropMisbehaving(p *peer) {
	g.env.Close(p.peer)
	g.links.unlink(p)
	g.departures.onFailed(p, nil)
}

// consistentOrigin reports whether a routed message's origin is credible; if it is the
// linked node itself that is not, it is thrown out.
func (g *greeter) consistentOrigin(p *peer, c *Contact) bool {
	switch {
	case c == nil || c.ID == g.self.ID:
		return false
	case c.ID == p.peer.ID:
		return g.acceptHello(p, c)
	}
	return g.consistent(c)
}

func (g *greeter) finishHello(p *peer) {
	p.greeting, p.early, p.offered, p.check = false, nil, nil, 0
}
