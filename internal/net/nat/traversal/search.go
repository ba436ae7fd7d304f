package traversal

import (
	"net/netip"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// searches finds paths to nodes that cannot be reached directly.
type searches struct {
	*core
	detector    *detector
	links       *links
	switches    *switches
	allocations *allocations

	addresses limit.Table[limit.Budget] // what is signalled, by the address that it is of
}

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

// begin starts the search for a path to a hidden node.
func (se *searches) begin(p *remotePeer) {
	now := se.env.Now()
	if p.stage != idle {
		return
	}
	if now < p.retryAt || !isRelayedAddrOf(p.addr, p.id) || se.hidden && se.cfg.Paths == nil {
		se.fail(p)
		return
	}
	p.pathSearch = pathSearch{searchEnd: now.Add(searchTimeout), controlling: true}
	se.tryNextHelper(p)
}

// tryNextHelper asks the next helper.
func (se *searches) tryNextHelper(p *remotePeer) {
	now := se.env.Now()
	p.stage, p.deadline = findingHelper, now.Add(maintenanceInterval)
	helper := se.nextHelper(p)
	if helper == nil { // later once more from the first, which is then the home relay
		p.helpersTried = 0
		se.contactHomeRelay(p)
		return
	}
	p.helper, p.deadline = helper.id, now.Add(signalTimeout)
	p.helpersTried++
	if !se.hidden {
		p.stage = requestingReversal
		se.env.Send(helper.via, &ReversalRequest{Peer: p.id, Addr: se.self.Addr})
		return
	}
	p.stage, p.deadline = gathering, now.Add(checkTimeout)
	se.cfg.Paths.Gather(p.id, se.detector.reflexiveAddr())
}

// nextHelper returns a helper that was not asked yet, the peer's home relay first.
func (se *searches) nextHelper(p *remotePeer) *remotePeer {
	at := homeRelayOf(p.addr)
	var all []*remotePeer
	for _, helper := range se.order {
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
func (se *searches) contactHomeRelay(p *remotePeer) {
	at := homeRelayOf(p.addr)
	if at == se.self.Addr {
		return // that is this node: the other will come back
	}
	for _, helper := range se.order {
		if helper.addr != at {
			continue
		}
		if !helper.up && !helper.opening {
			se.links.open(helper, machine.Peer{ID: helper.id, Addr: at})
		}
		return
	}
	se.env.Send(machine.Peer{Addr: at}, &Ping{Sent: se.env.Now()})
}

// maintain continues searches whose answer is overdue, and refreshes allocations.
func (se *searches) maintain(p *remotePeer, now machine.Time) {
	if p.allocated {
		switch helper := se.peers[p.helper]; {
		case now.Sub(max(p.lastUsed, p.lastHeard)) > unusedLifetime && !p.up:
			se.allocations.end(p)
		case now.Sub(p.refreshed) > refreshInterval && helper != nil && helper.up:
			p.refreshed = now
			se.env.Send(helper.via, &Allocate{Peer: p.id})
		}
	}
	if p.stage == idle || now < p.deadline {
		return
	}
	if p.allocated {
		se.switches.keepRelayedPath(p)
		return
	}
	if now >= p.searchEnd {
		se.fail(p)
		return
	}
	se.cancel(p)
	se.tryNextHelper(p)
}

func (se *searches) cancel(p *remotePeer) {
	if p.stage >= gathering {
		se.cfg.Paths.Cancel(p.id)
	}
}

// fail ends a search without a path.
func (se *searches) fail(p *remotePeer) {
	if p.stage != idle {
		se.cancel(p)
		p.stage, p.retryAt = idle, se.env.Now().Add(retryAfter)
	}
	p.pending = nil
	if p.wanted {
		p.wanted = false
		se.deferred = append(se.deferred, func() { se.node.OnLink(p.name, machine.LinkFailed) })
	}
}

// pathFound ends a search and sends the datagrams that waited for it.
func (se *searches) pathFound(p *remotePeer) {
	if p.stage != idle {
		if p.stage != checking { // the other end may still need the attempt
			se.cancel(p)
		}
		p.stage = idle
	}
	wait := p.pending
	p.pending = nil
	for _, m := range wait {
		se.links.sendDatagram(p, p.addr, m)
	}
}

// onReversalRequest forwards the request if this node is the helper; a hidden node opens
// a link to the public one.
func (se *searches) onReversalRequest(helper *remotePeer, m *ReversalRequest) {
	if !se.hidden {
		se.forward(helper, m.Peer, &ReversalRequest{Peer: helper.id, Addr: helper.addr})
		return
	}
	if IsRelayed(m.Addr) || m.Addr.IsZero() || !helper.public() || !se.takeSignal(helper) {
		return
	}
	p := se.ensurePeer(m.Peer)
	if p.up || p.opening {
		return
	}
	se.links.open(p, machine.Peer{ID: m.Peer, Addr: m.Addr})
}

// forward sends a message to a hidden node that is linked to this one.
func (se *searches) forward(from *remotePeer, to id.ID, m machine.Message) {
	target := se.peers[to]
	if from.up && from.hello && target != nil && target.up && target.hello && IsRelayed(target.addr) {
		if se.permitSignal(from, target) {
			se.env.Send(target.via, m)
		}
	} else if from.up {
		se.env.Send(from.via, &PeerUnreachable{Peer: to})
	}
}

func (se *searches) onPeerUnreachable(helper *remotePeer, m *PeerUnreachable) {
	p := se.peers[m.Peer]
	if p == nil || p.helper != helper.id {
		return
	}
	if p.allocated {
		se.allocations.end(p)
	}
	if p.stage == requestingReversal || p.stage == awaitingAnswer || p.stage == allocating {
		p.deadline = se.env.Now() // maintenance continues with the next helper
	}
}

// onSignal forwards the offer if this node is the helper; a hidden node answers it, or
// begins the checks.
func (se *searches) onSignal(helper *remotePeer, m *Signal) {
	if !se.hidden {
		se.forward(helper, m.Peer, &Signal{Peer: helper.id, Addr: helper.addr, Answer: m.Answer, Offer: m.Offer})
		return
	}
	if se.cfg.Paths == nil || !helper.public() || !m.Offer.Valid() || !se.takeSignal(helper) {
		return
	}
	p, now := se.ensurePeer(m.Peer), se.env.Now()
	if m.Answer {
		if p.stage == awaitingAnswer && p.helper == helper.id {
			p.stage, p.deadline = checking, now.Add(checkTimeout)
			se.cfg.Paths.Check(p.id, m.Offer, true)
		}
		return
	}
	if !isRelayedAddrOf(m.Addr, p.id) {
		return
	}
	if p.stage != idle && p.controlling && lessID(se.cfg.ID, p.id) { // both are controlling
		return
	}
	if p.allocated && p.helper != helper.id { // it knows nothing of that any more
		se.allocations.end(p)
	}
	se.cancel(p)
	p.setRelayedAddr(m.Addr)
	p.pathSearch = pathSearch{stage: gatheringAnswer, helper: helper.id, remoteOffer: m.Offer, deadline: now.Add(checkTimeout), searchEnd: now.Add(searchTimeout)}
	se.cfg.Paths.Gather(p.id, se.detector.reflexiveAddr())
}

func lessID(a, b id.ID) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// onGathered continues with an offer of this node's.
func (se *searches) onGathered(peer id.ID, offer Offer, err error) {
	p := se.peers[peer]
	if p == nil || p.stage != gathering && p.stage != gatheringAnswer {
		return
	}
	helper := se.peers[p.helper]
	switch {
	case helper == nil || !helper.up:
		p.deadline = se.env.Now()
	case err != nil && p.allocated:
		se.switches.keepRelayedPath(p)
	case err != nil:
		se.allocations.request(p)
	default:
		se.env.Send(helper.via, &Signal{Peer: peer, Answer: !p.controlling, Offer: offer})
		if p.controlling {
			p.stage, p.deadline = awaitingAnswer, se.env.Now().Add(signalTimeout)
		} else {
			p.stage, p.deadline = checking, se.env.Now().Add(checkTimeout)
			se.cfg.Paths.Check(peer, p.remoteOffer, false)
		}
	}
}

// onChecked continues with the path that was found, or without one.
func (se *searches) onChecked(peer id.ID, at netip.AddrPort, err error) {
	p := se.peers[peer]
	if p == nil || p.stage != checking {
		return
	}
	switch {
	case err != nil && p.allocated:
		se.switches.keepRelayedPath(p)
		return
	case err != nil:
		se.allocations.request(p)
		return
	case p.viaRelay():
		se.switches.holePunched(p, machine.AddrFrom(at))
		return
	case p.allocated:
		p.releaseAt = se.env.Now().Add(releaseDelay)
	}
	se.stats.Punched++
	p.via, p.lastHeard, p.stage = machine.Peer{ID: peer, Addr: machine.AddrFrom(at)}, se.env.Now(), idle
	se.usePath(p, p.via)
}

// usePath opens a link over a new path, if this node is controlling. The link keeps the
// path open and proves that it works.
func (se *searches) usePath(p *remotePeer, via machine.Peer) {
	if p.controlling && !p.up && !p.opening {
		se.links.open(p, via)
	}
	se.pathFound(p)
}
