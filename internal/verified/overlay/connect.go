package overlay

import "github.com/voxelpopuli/voxelpopuli/internal/core/machine"

// Connection management (thesis 4.5.7): everybody assumes that the other end
// needs the link. Only who no longer needs it says so, and who hears it and does
// not need the link either closes it.

// offerClose says that a link is not needed, or closes it if the other end has said
// so already.
func (l *links) offerClose(p *peer) {
	if p.link != linkUp {
		l.drop(p) // a link that is being opened is given up when it is there
		return
	}
	if p.heardNo {
		l.closeLink(p)
		return
	}
	if !p.saidNo && p.needed {
		p.saidNo = true
		l.env.Send(p.peer, &ConnectionInfo{})
	}
}

func (l *links) closeLink(p *peer) {
	l.env.Close(p.peer)
	l.unlink(p)
	l.drop(p)
}

// unlink notes that there is no link any more.
func (l *links) unlink(p *peer) {
	if p.link == linkUp {
		l.linked = without(l.linked, p)
		if p.why&routed != 0 && !l.router.hops.stale {
			l.router.hops.take(p)
		}
	}
	p.link, p.saidNo, p.heardNo, p.wavered = noLink, false, false, false
	p.needed = p.why&^asReceiver != 0
	p.view = nil
}

func (l *links) onConnectionInfo(p *peer, m *ConnectionInfo) {
	p.heardNo = !m.Wanted
	if p.heardNo && p.why == 0 {
		l.closeLink(p)
	}
}

// onUp notes a link that we opened or the other end did.
func (l *links) onUp(who machine.Peer) {
	p := l.peers.get(who.ID)
	if p == nil {
		p = &peer{peer: who}
		l.peers.put(p)
	}
	ours := p.link == opening
	again := p.link == linkUp // closed and opened by the other end at once
	l.unlink(p)
	p.link, p.peer = linkUp, who
	l.linked = append(l.linked, p)
	if p.why&routed != 0 && !l.router.hops.stale {
		l.router.hops.put(p)
	}
	delete(l.departures.failed, who.ID)
	switch {
	case p.why&asPending != 0:
		l.hood.admit(p)
	case p.why&asNeighbour != 0:
		l.hood.queue(p)
	case p.why == 0 && (ours || again):
		p.needed = true // or the other end was led to think so
		l.offerClose(p)
	default:
		l.hood.consider(p)
	}
	l.shortcuts.sendWaiting(p)
	if p.why&asEntry != 0 {
		if e := l.routing.entryOf(p.Contact); e.next == p {
			l.routing.place(e)
		}
	}
	if p.why&asBoot != 0 {
		l.joins.onBootUp(p)
	}
}

// onDown tells an orderly close from a failure (thesis 4.3.5): who needs us does
// not close, unless we had said that we do not need the link and changed our
// mind while the other end was closing it. Then it is opened again.
func (l *links) onDown(p *peer, ev machine.LinkEvent) {
	agreed := ev == machine.LinkClosed && (p.saidNo || p.wavered)
	view := p.view
	l.hello.finishHello(p)
	l.unlink(p)
	if p.why == 0 {
		l.drop(p)
		return
	}
	if agreed {
		l.reopen(p)
		return
	}
	if ev == machine.LinkFailed && p.why&asNeighbour != 0 {
		l.stabilizer.discoverSoon() // perhaps the network was cut
	}
	l.departures.onFailed(p, view)
}

// reopen gets a link back that the other end closed by mistake. A neighbour gets
// a view when it is back, and so do the others: if it does not come back, they
// have to hear of it.
func (l *links) reopen(p *peer) {
	l.hood.receivers = without(l.hood.receivers, p)
	p.why &^= asReceiver
	if p.why&asNeighbour != 0 {
		l.hood.neighbours = without(l.hood.neighbours, p)
		l.hood.changed()
		l.hood.queueAll(l.hood.neighbours)
		p.why = p.why&^asNeighbour | asPending
		l.hood.pending = append(l.hood.pending, p)
	}
	if p.why == 0 {
		l.drop(p)
		return
	}
	l.need(p, p.why)
}
