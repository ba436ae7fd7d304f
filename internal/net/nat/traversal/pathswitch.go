package traversal

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// A relayed link loads the relay and has twice the latency. The reason why hole
// punching failed may pass, so it is retried, and the link switches to the direct path.
// The node above does not notice. Each end sends PathSwitched as its last message over
// the old link and uses the new one from then on; messages over the new link are
// buffered until the other end's PathSwitched has arrived.

// pathSwitch is the state of a link's change from a relayed path to a direct one.
type pathSwitch struct {
	punchTries   int          // holes that were looked for since there is an allocation
	nextPunch    machine.Time // when to look again; 0: not decided
	oldVia       machine.Peer // the link over the allocation, until the other end has moved; zero: none
	peerSwitched bool         // the other end has, before this one
	buffered     []func()     // what has come over the new link meanwhile
	releaseAt    machine.Time // when the allocation is not needed any more; 0: it is
}

const (
	maxPunchInterval = 10 * time.Minute
	// releaseDelay is how long the ends of the old link may still need the allocation.
	releaseDelay = 10 * time.Second
	// maxBuffered bounds what waits; it is a few seconds' worth.
	maxBuffered = 1 << 14
)

// viaRelay reports whether the link to a peer is relayed.
func (p *remotePeer) viaRelay() bool { return p.allocated && p.up && p.via.Addr == p.addr }

// maintainSwitch retries hole punching when it is time, and ends an allocation that is
// no longer needed. Of the two ends the one with the smaller id retries.
func (a *Agent) maintainSwitch(p *remotePeer, now machine.Time) {
	switch {
	case p.releaseAt != 0 && now >= p.releaseAt:
		if p.releaseAt = 0; p.allocated && !p.viaRelay() {
			a.endAllocation(p)
		}
	case !p.viaRelay() || p.stage != idle || !lessID(a.cfg.ID, p.id):
	case p.nextPunch == 0:
		p.nextPunch = now.Add(a.cfg.PunchAfter)
	case now >= p.nextPunch:
		p.punchTries++
		p.nextPunch = now.Add(min(a.cfg.PunchAfter<<min(p.punchTries, 8), maxPunchInterval))
		p.stage, p.controlling, p.deadline, p.searchEnd = gathering, true, now.Add(checkTimeout), now.Add(searchTimeout)
		a.cfg.Paths.Gather(p.id, a.reflexiveAddr())
	}
}

// keepRelayedPath ends an attempt without a hole: the allocation continues.
func (a *Agent) keepRelayedPath(p *remotePeer) {
	a.cancelAttempt(p)
	p.stage = idle
}

// beginSwitch begins to use the direct link.
func (a *Agent) beginSwitch(p *remotePeer, via machine.Peer) {
	p.oldVia, p.via, p.lastHeard = p.via, via, a.env.Now()
	a.env.Send(p.oldVia, &PathSwitched{})
	if p.peerSwitched {
		a.completeSwitch(p)
	}
}

// onPathSwitched: nothing more comes over the old link.
func (a *Agent) onPathSwitched(p *remotePeer, from machine.Peer) {
	switch from {
	case p.oldVia:
		a.completeSwitch(p)
	case p.via:
		p.peerSwitched = p.viaRelay() // the new link is about to be up here, too
	}
}

func (a *Agent) completeSwitch(p *remotePeer) {
	a.env.Close(p.oldVia)
	held := p.buffered
	p.pathSwitch = pathSwitch{releaseAt: a.env.Now().Add(releaseDelay)}
	for _, fn := range held {
		fn()
	}
}

// bufferDuringSwitch buffers a message of the new link that came before the last one of
// the old link; it reports whether it did.
func (a *Agent) bufferDuringSwitch(p *remotePeer, from machine.Peer, m machine.Message) bool {
	if p.oldVia == (machine.Peer{}) || from != p.via {
		return false
	}
	if _, datagram := m.(machine.Datagram); datagram {
		return false
	}
	if len(p.buffered) >= maxBuffered {
		a.env.Close(p.via)
		a.linkLost(p, machine.LinkFailed)
		return true
	}
	p.buffered = append(p.buffered, func() { a.receive(from, m) })
	return true
}

// linkEndedDuringSwitch handles the end of one of two links; it reports whether there
// were two.
func (a *Agent) linkEndedDuringSwitch(p *remotePeer, peer machine.Peer, ev machine.LinkEvent) bool {
	switch {
	case p.oldVia == (machine.Peer{}):
		return false
	case peer == p.oldVia: // and with it what was to come before all that is held
		p.oldVia = machine.Peer{}
		a.env.Close(p.via)
		a.endAllocation(p)
		a.linkLost(p, machine.LinkFailed)
		return true
	case peer == p.via && ev == machine.LinkClosed:
		p.buffered = append(p.buffered, func() { a.linkLost(p, ev) })
		return true
	}
	return false
}

// cancelSwitch forgets a switch whose new link has ended.
func (a *Agent) cancelSwitch(p *remotePeer) {
	if p.oldVia != (machine.Peer{}) {
		a.env.Close(p.oldVia)
	}
	p.oldVia, p.peerSwitched, p.buffered = machine.Peer{}, false, nil
}

// holePunched opens a direct link beside the relayed one.
func (a *Agent) holePunched(p *remotePeer, at machine.Addr) {
	a.stats.Punched++
	p.stage = idle
	if p.controlling {
		a.env.Open(machine.Peer{ID: p.id, Addr: at})
	}
}
