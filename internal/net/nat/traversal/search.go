package traversal

import (
	"net/netip"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// pathSearch is the state of the search for a path to a peer.
type pathSearch struct {
	stage        searchStage
	helper       id.ID        // over whom
	helpersTried int          // helpers
	deadline     machine.Time // of this stage
	searchEnd    machine.Time // of the search
	retryAt      machine.Time // none before
	controlling  bool         // this node has begun
	remoteOffer  Offer        // to be answered
}

type searchStage uint8

const (
	idle               searchStage = iota
	findingHelper                  // for a helper
	requestingReversal             // the other node has been asked to open a link
	gathering                      // an offer
	awaitingAnswer                 // waits for the answer
	gatheringAnswer                // prepares the answer
	checking                       // looks for a hole
	allocating                     // waits for the other end to ask for the allocation
)

const (
	retryAfter      = 2 * time.Second
	signalTimeout   = 4 * time.Second
	searchTimeout   = 30 * time.Second
	checkTimeout    = 20 * time.Second // Paths gives up before
	allocateTimeout = 15 * time.Second // the other end may still look for a hole
	refreshInterval = 15 * time.Second
	unusedLifetime  = 2 * time.Minute // unused
)

// search starts the search for a path to a hidden node.
func (a *Agent) search(p *remotePeer) {
	now := a.env.Now()
	if p.stage != idle {
		return
	}
	if now < p.retryAt || !isRelayedAddrOf(p.addr, p.id) || a.hidden && a.cfg.Paths == nil {
		a.searchFailed(p)
		return
	}
	p.pathSearch = pathSearch{searchEnd: now.Add(searchTimeout), controlling: true}
	a.tryNextHelper(p)
}

// tryNextHelper asks the next helper.
func (a *Agent) tryNextHelper(p *remotePeer) {
	now := a.env.Now()
	p.stage, p.deadline = findingHelper, now.Add(maintenanceInterval)
	helper := a.nextHelper(p)
	if helper == nil { // later once more from the first, which is then the home relay
		p.helpersTried = 0
		a.contactHomeRelay(p)
		return
	}
	p.helper, p.deadline = helper.id, now.Add(signalTimeout)
	p.helpersTried++
	if !a.hidden {
		p.stage = requestingReversal
		a.env.Send(helper.via, &ReversalRequest{Peer: p.id, Addr: a.self.Addr})
		return
	}
	p.stage, p.deadline = gathering, now.Add(checkTimeout)
	a.cfg.Paths.Gather(p.id, a.reflexiveAddr())
}

// reflexiveAddr is this node's server-reflexive address; invalid: not known.
func (a *Agent) reflexiveAddr() netip.AddrPort {
	addr, _ := a.reachability.ReflexiveAddr(a.env.Now())
	return addr
}

// nextHelper returns a helper that was not asked yet, the peer's home relay first.
func (a *Agent) nextHelper(p *remotePeer) *remotePeer {
	at := homeRelayOf(p.addr)
	var all []*remotePeer
	for _, helper := range a.order {
		if helper == p || !helper.public() {
			continue
		}
		if helper.addr == at || helper.via.Addr == at {
			all = append([]*remotePeer{helper}, all...)
		} else {
			all = append(all, helper)
		}
	}
	if p.helpersTried < len(all) {
		return all[p.helpersTried]
	}
	return nil
}

// contactHomeRelay opens a link to the home relay of a peer, or asks for its id.
func (a *Agent) contactHomeRelay(p *remotePeer) {
	at := homeRelayOf(p.addr)
	if at == a.self.Addr {
		return // that is this node: the other will come back
	}
	for _, helper := range a.order {
		if helper.addr != at {
			continue
		}
		if !helper.up && !helper.opening {
			a.openLink(helper, machine.Peer{ID: helper.id, Addr: at})
		}
		return
	}
	a.env.Send(machine.Peer{Addr: at}, &Ping{Sent: a.env.Now()})
}

// maintainSearch continues searches whose answer is overdue, and refreshes allocations.
func (a *Agent) maintainSearch(p *remotePeer, now machine.Time) {
	if p.allocated {
		switch helper := a.peers[p.helper]; {
		case now.Sub(max(p.lastUsed, p.lastHeard)) > unusedLifetime && !p.up:
			a.endAllocation(p)
		case now.Sub(p.refreshed) > refreshInterval && helper != nil && helper.up:
			p.refreshed = now
			a.env.Send(helper.via, &Allocate{Peer: p.id})
		}
	}
	if p.stage == idle || now < p.deadline {
		return
	}
	if p.allocated {
		a.keepRelayedPath(p)
		return
	}
	if now >= p.searchEnd {
		a.searchFailed(p)
		return
	}
	a.cancelAttempt(p)
	a.tryNextHelper(p)
}

func (a *Agent) cancelAttempt(p *remotePeer) {
	if p.stage >= gathering {
		a.cfg.Paths.Cancel(p.id)
	}
}

// searchFailed ends a search without a path.
func (a *Agent) searchFailed(p *remotePeer) {
	if p.stage != idle {
		a.cancelAttempt(p)
		p.stage, p.retryAt = idle, a.env.Now().Add(retryAfter)
	}
	p.pending = nil
	if p.wanted {
		p.wanted = false
		a.deferred = append(a.deferred, func() { a.node.OnLink(p.name, machine.LinkFailed) })
	}
}

// pathFound ends a search and sends the datagrams that waited for it.
func (a *Agent) pathFound(p *remotePeer) {
	if p.stage != idle {
		if p.stage != checking { // the other end may still need the attempt
			a.cancelAttempt(p)
		}
		p.stage = idle
	}
	wait := p.pending
	p.pending = nil
	for _, m := range wait {
		a.sendDatagram(p, p.addr, m)
	}
}

// onReversalRequest forwards the request if this node is the helper; a hidden node opens
// a link to the public one.
func (a *Agent) onReversalRequest(helper *remotePeer, m *ReversalRequest) {
	if !a.hidden {
		a.forward(helper, m.Peer, &ReversalRequest{Peer: helper.id, Addr: helper.addr})
		return
	}
	if IsRelayed(m.Addr) || m.Addr.IsZero() || !helper.public() || !a.takeSignal(helper) {
		return
	}
	p := a.ensurePeer(m.Peer)
	if p.up || p.opening {
		return
	}
	a.openLink(p, machine.Peer{ID: m.Peer, Addr: m.Addr})
}

// forward sends a message to a hidden node that is linked to this one.
func (a *Agent) forward(from *remotePeer, to id.ID, m machine.Message) {
	target := a.peers[to]
	if from.up && from.hello && target != nil && target.up && target.hello && IsRelayed(target.addr) {
		if a.permitSignal(from, target) {
			a.env.Send(target.via, m)
		}
	} else if from.up {
		a.env.Send(from.via, &PeerUnreachable{Peer: to})
	}
}

func (a *Agent) onPeerUnreachable(helper *remotePeer, m *PeerUnreachable) {
	p := a.peers[m.Peer]
	if p == nil || p.helper != helper.id {
		return
	}
	if p.allocated {
		a.endAllocation(p)
	}
	if p.stage == requestingReversal || p.stage == awaitingAnswer || p.stage == allocating {
		p.deadline = a.env.Now() // maintenance continues with the next helper
	}
}

// onSignal forwards the offer if this node is the helper; a hidden node answers it, or
// begins the checks.
func (a *Agent) onSignal(helper *remotePeer, m *Signal) {
	if !a.hidden {
		a.forward(helper, m.Peer, &Signal{Peer: helper.id, Addr: helper.addr, Answer: m.Answer, Offer: m.Offer})
		return
	}
	if a.cfg.Paths == nil || !helper.public() || !m.Offer.Valid() || !a.takeSignal(helper) {
		return
	}
	p, now := a.ensurePeer(m.Peer), a.env.Now()
	if m.Answer {
		if p.stage == awaitingAnswer && p.helper == helper.id {
			p.stage, p.deadline = checking, now.Add(checkTimeout)
			a.cfg.Paths.Check(p.id, m.Offer, true)
		}
		return
	}
	if !isRelayedAddrOf(m.Addr, p.id) {
		return
	}
	if p.stage != idle && p.controlling && lessID(a.cfg.ID, p.id) { // both are controlling
		return
	}
	if p.allocated && p.helper != helper.id { // it knows nothing of that any more
		a.endAllocation(p)
	}
	a.cancelAttempt(p)
	p.setRelayedAddr(m.Addr)
	p.pathSearch = pathSearch{stage: gatheringAnswer, helper: helper.id, remoteOffer: m.Offer, deadline: now.Add(checkTimeout), searchEnd: now.Add(searchTimeout)}
	a.cfg.Paths.Gather(p.id, a.reflexiveAddr())
}

func lessID(a, b id.ID) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// OnGathered is the answer to Paths.Gather.
func (a *Agent) OnGathered(peer id.ID, offer Offer, err error) {
	p := a.peers[peer]
	if p == nil || p.stage != gathering && p.stage != gatheringAnswer {
		return
	}
	helper := a.peers[p.helper]
	switch {
	case helper == nil || !helper.up:
		p.deadline = a.env.Now()
	case err != nil && p.allocated:
		a.keepRelayedPath(p)
	case err != nil:
		a.requestAllocation(p)
	default:
		a.env.Send(helper.via, &Signal{Peer: peer, Answer: !p.controlling, Offer: offer})
		if p.controlling {
			p.stage, p.deadline = awaitingAnswer, a.env.Now().Add(signalTimeout)
		} else {
			p.stage, p.deadline = checking, a.env.Now().Add(checkTimeout)
			a.cfg.Paths.Check(peer, p.remoteOffer, false)
		}
	}
	a.runDeferred()
}

// OnChecked is the answer to Paths.Check.
func (a *Agent) OnChecked(peer id.ID, at netip.AddrPort, err error) {
	p := a.peers[peer]
	if p == nil || p.stage != checking {
		return
	}
	switch {
	case err != nil && p.allocated:
		a.keepRelayedPath(p)
		return
	case err != nil:
		a.requestAllocation(p)
		a.runDeferred()
		return
	case p.viaRelay():
		a.holePunched(p, machine.AddrFrom(at))
		a.runDeferred()
		return
	case p.allocated:
		p.releaseAt = a.env.Now().Add(releaseDelay)
	}
	a.stats.Punched++
	p.via, p.lastHeard, p.stage = machine.Peer{ID: peer, Addr: machine.AddrFrom(at)}, a.env.Now(), idle
	a.usePath(p, p.via)
	a.runDeferred()
}

// usePath opens a link over a new path, if this node is controlling. The link keeps the
// path open and proves that it works.
func (a *Agent) usePath(p *remotePeer, via machine.Peer) {
	if p.controlling && !p.up && !p.opening {
		a.openLink(p, via)
	}
	a.pathFound(p)
}
