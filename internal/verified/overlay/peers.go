package overlay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// reason is why a link is needed (thesis 4.5.7: the connection management keeps
// track of the reasons for keeping a connection open).
type reason uint8

const (
	asNeighbour reason = 1 << iota
	asPending
	asReceiver // a view is to be sent
	asEntry    // of the routing table
	asShortcut
	asBoot // from the bootstrapping service, while joining

	// routed: links that messages travel (4.7.1).
	routed = asNeighbour | asEntry | asShortcut
)

type linkState uint8

const (
	noLink linkState = iota
	opening
	linkUp
)

// peer is what a node knows of another one.
type peer struct {
	// What every message needs comes first: it is one cache line.
	*Contact              // may be nil while nothing but a link is known of it
	used     machine.Time // when the shortcut was last used (4.6)
	peer     machine.Peer // as the driver knows it
	why      reason
	link     linkState
	// saidNo: we said that we do not need the link; heardNo: the other did.
	// wavered: we said so once and took it back, so that a close is no proof
	// that the other failed.
	saidNo, heardNo, wavered bool
	// needed: there was a reason of our own since the link came up; sending a
	// view to who has connected to us is none.
	needed         bool
	greeting, ours bool // while its certificate is checked (hello.go)
	mark           bool // scratch of set differences

	waiting []machine.Message // for the link (4.7.1)

	// While its certificate is checked:
	early   []machine.Message
	offered *identity.Certificate
	check   uint64

	namedBy  *NetworkView // the view that made it pending (evidence.go)
	omits    machine.Time // when it was last reported for leaving out others; 0: never
	view     *NetworkView // NeighboursNeighbours (thesis 4.7.1)
	cell     geom.Polygon // of cellView
	cellView *NetworkView
	alike    *peer // see peerSet
}

// links are the connections to other nodes, each open as long as there is a reason.
type links struct {
	*core
	router     *router
	hood       *neighbourhood
	routing    *routingTable
	shortcuts  *shortcutList
	departures *departures
	stabilizer *stabilizer
	joins      *joiner
	hello      *greeter

	linked []*peer // whose link is up, in the order they came up
}

// know returns the record of a contact, a new one if need be.
func (l *links) know(c *Contact) *peer {
	p := l.peers.get(c.ID)
	if p == nil {
		p = &peer{peer: c.Peer()}
		l.peers.put(p)
	}
	if p.Contact == nil || p.link == noLink && p.Contact != c {
		p.Contact = c
		if p.link == noLink {
			p.peer = c.Peer()
		}
	}
	return p
}

// need adds a reason: the link is opened, or kept.
func (l *links) need(p *peer, why reason) {
	if p.link == linkUp && why&routed != 0 && p.why&routed == 0 && !l.router.hops.stale {
		l.router.hops.put(p)
	}
	p.why |= why
	p.needed = p.needed || why&^asReceiver != 0
	switch {
	case p.link == noLink:
		p.link = opening
		l.env.Open(p.peer)
	case p.link == linkUp && p.saidNo:
		p.saidNo, p.wavered = false, true
		l.env.Send(p.peer, &ConnectionInfo{Wanted: true})
	}
}

// release takes reasons away; a link without reasons is given up.
func (l *links) release(p *peer, why reason) {
	if p.link == linkUp && p.why&routed != 0 && p.why&^why&routed == 0 && !l.router.hops.stale {
		l.router.hops.take(p)
	}
	p.why &^= why
	if p.why == 0 {
		l.offerClose(p)
	}
}

// drop forgets a peer of whom there is nothing left to remember.
func (l *links) drop(p *peer) {
	if p.why == 0 && p.link == noLink && l.peers.get(p.peer.ID) == p {
		l.peers.remove(p)
	}
}

// without returns list without p, in place.
func without(list []*peer, p *peer) []*peer {
	for i, q := range list {
		if q == p {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}
