package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// Timers; those of the overlay are below.
const (
	timerCycle uint16 = 100 + iota
	timerQuery
	timerStatic
	timerPushes
	timerFetch
	timerDeposit
	timerHurry
	timerInsist
	timerPins
	timerWake
)

// Start implements machine.Machine.
func (n *Node) Start() {
	n.overlay.Start()
	n.startCycle()
	n.drain()
}

// Stop leaves the network.
func (n *Node) Stop() {
	n.lastDeposits()
	n.handOff()
	n.stopped = true
	n.overlay.Stop()
}

// OnMessage implements machine.Machine.
func (n *Node) OnMessage(from machine.Peer, m machine.Message) {
	if b := n.cfg.Behaviour; b != nil && b.Intercept(n, from, m) {
		n.drain()
		return
	}
	n.overlay.OnMessage(from, m)
	n.drain()
}

// OnLink implements machine.Machine.
func (n *Node) OnLink(peer machine.Peer, ev machine.LinkEvent) {
	n.overlay.OnLink(peer, ev)
	n.drain()
}

// OnDone implements machine.Machine.
func (n *Node) OnDone(tag uint64, result any, err error) {
	n.overlay.OnDone(tag, result, err)
	n.drain()
}

// OnTimer implements machine.Machine.
func (n *Node) OnTimer(t machine.Timer) {
	if n.stopped {
		return
	}
	switch t.Kind {
	case timerCycle:
		n.onCycle(t)
	case timerQuery:
		if q := n.query(t.Arg); q != nil {
			n.conclude(q)
		}
	case timerDeposit:
		n.deposit(int64(t.Arg))
	case timerHurry:
		n.askMoreStorers(int64(t.Arg))
	case timerInsist:
		n.resendDeposit(int64(t.Arg))
	case timerWake:
		if n.lastActivation.Of == int64(t.Arg) {
			n.sendActivate()
		}
	case timerPins:
		if q := n.query(t.Arg); q != nil {
			n.askAgain(q)
		}
	case timerFetch:
		if q := n.query(t.Arg); q != nil {
			n.continueFetch(q, t.Gen)
		}
	case timerStatic:
		n.fetchStatic(t)
	case timerPushes:
		n.finishJoin()
	default:
		n.overlay.OnTimer(t)
	}
	n.drain()
}

// overlayEvent is something the overlay has reported: a message, or that the
// neighbourhood has changed.
type overlayEvent struct {
	unicast *overlay.Unicast
	came    machine.Time // of a unicast: when it came to the node
	area    *overlay.Areacast
}

// eventQueue hears the overlay's events: they are handled when its handler is over.
type eventQueue Node

func (e *eventQueue) Joined()        { e.events = append(e.events, overlayEvent{}) }
func (e *eventQueue) Neighbourhood() { e.events = append(e.events, overlayEvent{}) }
func (e *eventQueue) Received(m *overlay.Unicast, came machine.Time) {
	e.events = append(e.events, overlayEvent{unicast: m, came: came})
}

func (e *eventQueue) ReceivedArea(m *overlay.Areacast) {
	e.events = append(e.events, overlayEvent{area: m})
}
func (e *eventQueue) Report(v overlay.Evidence) {
	if e.cfg.Overlay.Events != nil {
		e.cfg.Overlay.Events.Report(v)
	}
}

// drain handles what the overlay has reported; doing so may make it report more.
func (n *Node) drain() {
	if n.busy {
		return
	}
	n.busy = true
	for len(n.events) > 0 || n.neighbourhoodChanged && !n.stopped && n.overlay.Stable() {
		for i := 0; i < len(n.events); i++ {
			n.handle(n.events[i])
		}
		clear(n.events)
		n.events = n.events[:0]
		if n.neighbourhoodChanged && !n.stopped && n.overlay.Stable() {
			n.onNeighbourhoodChanged()
		}
	}
	n.busy = false
}

func (n *Node) handle(u overlayEvent) {
	switch {
	case n.stopped:
	case u.unicast != nil:
		n.onUnicast(u)
	case u.area != nil:
		n.onArea(u)
	default:
		n.around, n.neighbourhoodChanged = nil, true
	}
}

// onUnicast takes a message for the node. Until its neighbours have pushed what
// it is responsible for, only what is meant for itself is handled (5.4.1).
func (n *Node) onUnicast(u overlayEvent) {
	m := u.unicast
	switch body := m.Body.(type) {
	case *Result:
		n.onResult(m.Origin, body)
	case *ActionsResult:
		n.onActionsResult(m.Origin, body)
	case *Push:
		n.onPush(m.Origin, body)
	case *Fetch:
		if !n.deferUntilReady(u) {
			n.onFetch(m.Origin, body)
		}
	case *Retrieve:
		if !n.deferUntilReady(u) {
			n.probe(Arrival(body.Kind), n.hops(m))
			n.onRetrieve(m.Origin, body)
		}
	case *PeerQuery:
		n.onPeerQuery(m.Origin, body)
	case *PeerReply:
		n.onPeerReply(body)
	case *Blocks:
		n.onBlocks(m.Origin, body)
	case *Deposit:
		if !n.deferUntilReady(u) {
			n.probe(ArrivedStore, n.hops(m))
			n.onDeposit(m.Origin, body, u.came)
		}
	case *Receipt:
		n.onReceipt(m.Origin, body)
	case *Certified:
		n.onCertified(m.Origin, body)
	case *Exchange:
		if !n.deferUntilReady(u) {
			n.onExchange(body)
		}
	case *Better:
		n.overlay.Introduce(body.Node)
	case *RetrieveActions:
		if !n.deferUntilReady(u) {
			n.probe(Arrival(ForActions), n.hops(m))
			n.onRetrieveActions(m.Origin, body)
		}
	case *Store:
		if !n.deferUntilReady(u) {
			n.probe(ArrivedStore, n.hops(m))
			n.onStore(body, u.came)
		}
	case *Activate:
		if !n.deferUntilReady(u) {
			n.onActivate(m.Origin, body)
		}
	}
}

func (n *Node) onArea(u overlayEvent) {
	if q, ok := u.area.Body.(*Retrieve); ok && !n.deferUntilReady(u) {
		n.probe(Arrival(q.Kind), u.area.Hops)
		n.onRetrieve(u.area.Origin, q)
	}
}

// maxHeld bounds what waits for neighbours' data.
const maxHeld = 4096

// deferUntilReady lets a message wait while the node does not have what it needs to answer.
func (n *Node) deferUntilReady(u overlayEvent) bool {
	if n.ready {
		return false
	}
	if len(n.deferred) < maxHeld {
		n.deferred = append(n.deferred, u)
	}
	return true
}

// hops is how many links a message has come over: the first does not count in
// the message itself.
func (n *Node) hops(m *overlay.Unicast) uint8 {
	if m.Origin.ID == n.self.ID {
		return 0
	}
	return m.Hops + 1
}

func (n *Node) probe(k Arrival, hops uint8) {
	if n.cfg.Probe != nil {
		n.cfg.Probe.Arrived(k, int(hops))
	}
}
