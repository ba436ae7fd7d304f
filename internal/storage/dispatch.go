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
	n.farewell()
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
		n.askOn(int64(t.Arg))
	case timerInsist:
		n.insist(int64(t.Arg))
	case timerWake:
		if n.waking.Of == int64(t.Arg) {
			n.sayWake()
		}
	case timerPins:
		if q := n.query(t.Arg); q != nil {
			n.askAgain(q)
		}
	case timerFetch:
		if q := n.query(t.Arg); q != nil {
			n.fetchOn(q, t.Gen)
		}
	case timerStatic:
		n.fetchStatic(t)
	case timerPushes:
		n.takeOver()
	default:
		n.overlay.OnTimer(t)
	}
	n.drain()
}

// upcall is something the overlay has reported: a message, or that the
// neighbourhood has changed.
type upcall struct {
	unicast *overlay.Unicast
	came    machine.Time // of a unicast: when it came to the node
	area    *overlay.Areacast
}

// ears hears the overlay's events: they are handled when its handler is over.
type ears Node

func (e *ears) Joined()        { e.upcalls = append(e.upcalls, upcall{}) }
func (e *ears) Neighbourhood() { e.upcalls = append(e.upcalls, upcall{}) }
func (e *ears) Received(m *overlay.Unicast, came machine.Time) {
	e.upcalls = append(e.upcalls, upcall{unicast: m, came: came})
}

func (e *ears) ReceivedArea(m *overlay.Areacast) { e.upcalls = append(e.upcalls, upcall{area: m}) }
func (e *ears) Report(v overlay.Evidence) {
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
	for len(n.upcalls) > 0 || n.moved && !n.stopped && n.overlay.Stable() {
		for i := 0; i < len(n.upcalls); i++ {
			n.handle(n.upcalls[i])
		}
		clear(n.upcalls)
		n.upcalls = n.upcalls[:0]
		if n.moved && !n.stopped && n.overlay.Stable() {
			n.resettle()
		}
	}
	n.busy = false
}

func (n *Node) handle(u upcall) {
	switch {
	case n.stopped:
	case u.unicast != nil:
		n.onUnicast(u)
	case u.area != nil:
		n.onArea(u)
	default:
		n.around, n.moved = nil, true
	}
}

// onUnicast takes a message for the node. Until its neighbours have pushed what
// it is responsible for, only what is meant for itself is handled (5.4.1).
func (n *Node) onUnicast(u upcall) {
	m := u.unicast
	switch body := m.Body.(type) {
	case *Result:
		n.onResult(m.Origin, body)
	case *ActionsResult:
		n.onActionsResult(m.Origin, body)
	case *Push:
		n.onPush(m.Origin, body)
	case *Fetch:
		if !n.hold(u) {
			n.onFetch(m.Origin, body)
		}
	case *Retrieve:
		if !n.hold(u) {
			n.probe(Arrival(body.Kind), n.hops(m))
			n.onRetrieve(m.Origin, body)
		}
	case *Seek:
		n.onSeek(m.Origin, body)
	case *Sought:
		n.onSought(body)
	case *Blocks:
		n.onBlocks(m.Origin, body)
	case *Deposit:
		if !n.hold(u) {
			n.probe(ArrivedStore, n.hops(m))
			n.onDeposit(m.Origin, body, u.came)
		}
	case *Receipt:
		n.onReceipt(m.Origin, body)
	case *Certified:
		n.onCertified(m.Origin, body)
	case *Exchange:
		if !n.hold(u) {
			n.onExchange(body)
		}
	case *Better:
		n.overlay.Introduce(body.Node)
	case *RetrieveActions:
		if !n.hold(u) {
			n.probe(Arrival(ForActions), n.hops(m))
			n.onRetrieveActions(m.Origin, body)
		}
	case *Store:
		if !n.hold(u) {
			n.probe(ArrivedStore, n.hops(m))
			n.onStore(body, u.came)
		}
	case *Wake:
		if !n.hold(u) {
			n.onWake(m.Origin, body)
		}
	}
}

func (n *Node) onArea(u upcall) {
	if q, ok := u.area.Body.(*Retrieve); ok && !n.hold(u) {
		n.probe(Arrival(q.Kind), u.area.Hops)
		n.onRetrieve(u.area.Origin, q)
	}
}

// maxHeld bounds what waits for neighbours' data.
const maxHeld = 4096

// hold lets a message wait while the node does not have what it needs to answer.
func (n *Node) hold(u upcall) bool {
	if n.ready {
		return false
	}
	if len(n.held) < maxHeld {
		n.held = append(n.held, u)
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
