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

// switches changes links from relayed paths to direct ones.
type switches struct {
	*core
	detector    *detector
	links       *links
	searches    *searches
	allocations *allocations
	receive     func(from machine.Peer, m machine.Message) // handles what was buffered
}

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

// maintain retries hole punching when it is time, and ends an allocation that is
// no longer needed. Of the two ends the one with the smaller id retries.
func (sw *switches) maintain(p *remotePeer, now machine.Time) {
	switch {
	case p.releaseAt != 0 && now >= p.releaseAt:
		if p.releaseAt = 0; p.allocated && !p.viaRelay() {
			sw.allocations.end(p)
		}
	case !p.viaRelay() || p.stage != idle || !lessID(sw.cfg.ID, p.id):
	case p.nextPunch == 0:
		p.nextPunch = now.Add(sw.cfg.PunchAfter)
	case now >= p.nextPunch:
		p.punchTries++
		p.nextPunch = now.Add(min(sw.cfg.PunchAfter<<min(p.punchTries, 8), maxPunchInterval))
		p.stage, p.controlling, p.deadline, p.searchEnd = gathering, true, now.Add(checkTimeout), now.Add(searchTimeout)
		sw.cfg.Paths.Gather(p.id, sw.detector.reflexiveAddr())
	}
}

// keepRelayedPath ends an attempt without a hole: the allocation continues.
func (sw *switches) keepRelayedPath(p *remotePeer) {
	sw.searches.cancel(p)
	p.stage = idle
}

// begin begins to use the direct link.
func (sw *switches) begin(p *remotePeer, via machine.Peer) {
	p.oldVia, p.via, p.lastHeard = p.via, via, sw.env.Now()
	sw.env.Send(p.oldVia, &PathSwitched{})
	if p.peerSwitched {
		sw.complete(p)
	}
}

// onPathSwitched: nothing more comes over the old link.
func (sw *switches) onPathSwitched(p *remotePeer, from machine.Peer) {
	switch from {
	case p.oldVia:
		sw.complete(p)
	case p.via:
		p.peerSwitched = p.viaRelay() // the new link is about to be up here, too
	}
}

func (sw *switches) complete(p *remotePeer) {
	sw.env.Close(p.oldVia)
	held := p.buffered
	p.pathSwitch = pathSwitch{releaseAt: sw.env.Now().Add(releaseDelay)}
	for _, fn := range held {
		fn()
	}
}

// buffers buffers a message of the new link that came before the last one of
// the old link; it reports whether it did.
func (sw *switches) buffers(p *remotePeer, from machine.Peer, m machine.Message) bool {
	if p.oldVia == (machine.Peer{}) || from != p.via {
		return false
	}
	if _, datagram := m.(machine.Datagram); datagram {
		return false
	}
	if len(p.buffered) >= maxBuffered {
		sw.env.Close(p.via)
		sw.links.lost(p, machine.LinkFailed)
		return true
	}
	p.buffered = append(p.buffered, func() { sw.receive(from, m) })
	return true
}

// linkEnded handles the end of one of two links; it reports whether there
// were two.
func (sw *switches) linkEnded(p *remotePeer, peer machine.Peer, ev machine.LinkEvent) bool {
	switch {
	case p.oldVia == (machine.Peer{}):
		return false
	case peer == p.oldVia: // and with it what was to come before all that is held
		p.oldVia = machine.Peer{}
		sw.env.Close(p.via)
		sw.allocations.end(p)
		sw.links.lost(p, machine.LinkFailed)
		return true
	case peer == p.via && ev == machine.LinkClosed:
		p.buffered = append(p.buffered, func() { sw.links.lost(p, ev) })
		return true
	}
	return false
}

// cancel forgets a switch whose new link has ended.
func (sw *switches) cancel(p *remotePeer) {
	if p.oldVia != (machine.Peer{}) {
		sw.env.Close(p.oldVia)
	}
	p.oldVia, p.peerSwitched, p.buffered = machine.Peer{}, false, nil
}

// holePunched opens a direct link beside the relayed one.
func (sw *switches) holePunched(p *remotePeer, at machine.Addr) {
	sw.stats.Punched++
	p.stage = idle
	if p.controlling {
		sw.env.Open(machine.Peer{ID: p.id, Addr: at})
	}
}
