package overlay

import "github.com/voxelpopuli/voxelpopuli/internal/machine"

// Connection management (thesis 4.5.7): everybody assumes that the other end
// needs the link. Only who no longer needs it says so, and who hears it and does
// not need the link either closes it.

// offerClose says that a link is not needed, or closes it if the other end has said
// so already.
func (n *Node) offerClose(p *peer) {
	if p.link != linkUp {
		n.drop(p) // a link that is being opened is given up when it is there
		return
	}
	if p.heardNo {
		n.closeLink(p)
		return
	}
	if !p.saidNo && p.needed {
		p.saidNo = true
		n.env.Send(p.peer, &ConnectionInfo{})
	}
}

func (n *Node) closeLink(p *peer) {
	n.env.Close(p.peer)
	n.unlink(p)
	n.drop(p)
}

// unlink notes that there is no link any more.
func (n *Node) unlink(p *peer) {
	if p.link == linkUp {
		n.linked = without(n.linked, p)
		if p.why&routed != 0 && !n.hops.stale {
			n.hops.take(p)
		}
	}
	p.link, p.saidNo, p.heardNo, p.wavered = noLink, false, false, false
	p.needed = p.why&^asReceiver != 0
	p.view = nil
}

func (n *Node) onConnectionInfo(p *peer, m *ConnectionInfo) {
	p.heardNo = !m.Wanted
	if p.heardNo && p.why == 0 {
		n.closeLink(p)
	}
}

// onUp notes a link that we opened or the other end did.
func (n *Node) onUp(who machine.Peer) {
	p := n.peers.get(who.ID)
	if p == nil {
		p = &peer{peer: who}
		n.peers.put(p)
	}
	ours := p.link == opening
	again := p.link == linkUp // closed and opened by the other end at once
	n.unlink(p)
	p.link, p.peer = linkUp, who
	n.linked = append(n.linked, p)
	if p.why&routed != 0 && !n.hops.stale {
		n.hops.put(p)
	}
	delete(n.failed, who.ID)
	switch {
	case p.why&asPending != 0:
		n.admit(p)
	case p.why&asNeighbour != 0:
		n.queue(p)
	case p.why == 0 && (ours || again):
		p.needed = true // or the other end was led to think so
		n.offerClose(p)
	default:
		n.consider(p)
	}
	n.sendWaiting(p)
	if p.why&asEntry != 0 {
		if e := n.entryOf(p.Contact); e.next == p {
			n.place(e)
		}
	}
	if p.why&asBoot != 0 {
		n.onBootUp(p)
	}
}

// onDown tells an orderly close from a failure (thesis 4.3.5): who needs us does
// not close, unless we had said that we do not need the link and changed our
// mind while the other end was closing it. Then it is opened again.
func (n *Node) onDown(p *peer, ev machine.LinkEvent) {
	agreed := ev == machine.LinkClosed && (p.saidNo || p.wavered)
	view := p.view
	n.finishHello(p)
	n.unlink(p)
	if p.why == 0 {
		n.drop(p)
		return
	}
	if agreed {
		n.reopen(p)
		return
	}
	if ev == machine.LinkFailed && p.why&asNeighbour != 0 {
		n.discoverSoon() // perhaps the network was cut
	}
	n.onFailed(p, view)
}

// reopen gets a link back that the other end closed by mistake. A neighbour gets
// a view when it is back, and so do the others: if it does not come back, they
// have to hear of it.
func (n *Node) reopen(p *peer) {
	n.receivers = without(n.receivers, p)
	p.why &^= asReceiver
	if p.why&asNeighbour != 0 {
		n.neighbours = without(n.neighbours, p)
		n.changed()
		n.queueAll(n.neighbours)
		p.why = p.why&^asNeighbour | asPending
		n.pending = append(n.pending, p)
	}
	if p.why == 0 {
		n.drop(p)
		return
	}
	n.need(p, p.why)
}
