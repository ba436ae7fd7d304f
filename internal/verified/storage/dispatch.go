package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
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
	n.started = n.env.Now()
	n.overlay.Start()
	n.updates.startCycle()
	n.drain()
}

// Stop leaves the network.
func (n *Node) Stop() {
	n.player.lastDeposits()
	n.drain()
	n.transfer.handOff()
	n.drain()
	n.stopped = true
	n.overlay.Stop()
}

// OnMessage implements machine.Machine.
func (n *Node) OnMessage(from machine.Peer, m machine.Message) {
	if n.hooks.intercepts(from, m) {
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
		n.updates.onCycle(t)
	case timerQuery:
		if q := n.queries.query(t.Arg); q != nil {
			n.queries.conclude(q)
		}
	case timerDeposit:
		n.player.deposit(int64(t.Arg))
	case timerHurry:
		n.acts.askMoreStorers(int64(t.Arg))
	case timerInsist:
		n.player.resendDeposit(int64(t.Arg))
	case timerWake:
		if n.player.lastActivation.Of == int64(t.Arg) {
			n.player.sendActivate()
		}
	case timerPins:
		if q := n.queries.query(t.Arg); q != nil {
			n.peers.askAgain(q)
		}
	case timerFetch:
		if q := n.queries.query(t.Arg); q != nil {
			n.fetcher.continueFetch(q, t.Gen)
		}
	case timerStatic:
		n.transfer.fetchStatic(t)
	case timerPushes:
		n.transfer.finishJoin()
	default:
		n.overlay.OnTimer(t)
	}
	n.drain()
}

// drain handles what the overlay has reported; doing so may make it report more.
func (n *Node) drain() {
	if n.busy {
		return
	}
	n.busy = true
	for len(n.inbox.events) > 0 || n.area.neighbourhoodChanged && !n.stopped && n.overlay.Stable() {
		for i := 0; i < len(n.inbox.events); i++ {
			n.handle(n.inbox.events[i])
		}
		clear(n.inbox.events)
		n.inbox.events = n.inbox.events[:0]
		if n.area.neighbourhoodChanged && !n.stopped && n.overlay.Stable() {
			n.transfer.onNeighbourhoodChanged()
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
		n.area.around, n.area.neighbourhoodChanged = nil, true
	}
}

// onUnicast takes a message for the node. Until its neighbours have pushed what
// it is responsible for, only what is meant for itself is handled (5.4.1).
func (n *Node) onUnicast(u overlayEvent) {
	m := u.unicast
	switch body := m.Body.(type) {
	case *messages.Result:
		n.queries.onResult(m.Origin, body)
	case *messages.ActionsResult:
		n.acts.onActionsResult(m.Origin, body)
	case *messages.Push:
		n.transfer.onPush(m.Origin, body)
	case *messages.Fetch:
		if !n.inbox.deferUntilReady(u) {
			n.answers.onFetch(m.Origin, body)
		}
	case *messages.Retrieve:
		if !n.inbox.deferUntilReady(u) {
			n.hooks.arrived(Arrival(body.Kind), n.hops(m))
			n.answers.onRetrieve(m.Origin, body)
		}
	case *messages.PeerQuery:
		n.peers.onPeerQuery(m.Origin, body)
	case *messages.PeerReply:
		n.peers.onPeerReply(body)
	case *messages.Blocks:
		n.fetcher.onBlocks(m.Origin, body)
	case *messages.Deposit:
		if !n.inbox.deferUntilReady(u) {
			n.hooks.arrived(ArrivedStore, n.hops(m))
			n.store.onDeposit(m.Origin, body, u.came)
		}
	case *messages.Receipt:
		n.player.onReceipt(m.Origin, body)
	case *messages.Certified:
		n.store.onCertified(m.Origin, body)
	case *messages.Exchange:
		if !n.inbox.deferUntilReady(u) {
			n.store.onExchange(body)
		}
	case *messages.Better:
		n.overlay.Introduce(body.Node)
	case *messages.RetrieveActions:
		if !n.inbox.deferUntilReady(u) {
			n.hooks.arrived(Arrival(messages.ForActions), n.hops(m))
			n.store.onRetrieveActions(m.Origin, body)
		}
	case *messages.Store:
		if !n.inbox.deferUntilReady(u) {
			n.hooks.arrived(ArrivedStore, n.hops(m))
			n.store.onStore(body, u.came)
		}
	case *messages.Activate:
		if !n.inbox.deferUntilReady(u) {
			n.dormant.onActivate(m.Origin, body)
		}
	}
}

func (n *Node) onArea(u overlayEvent) {
	if q, ok := u.area.Body.(*messages.Retrieve); ok && !n.inbox.deferUntilReady(u) {
		n.hooks.arrived(Arrival(q.Kind), u.area.Hops)
		n.answers.onRetrieve(u.area.Origin, q)
	}
}

// hops is how many links a message has come over: the first does not count in
// the message itself.
func (n *Node) hops(m *overlay.Unicast) uint8 {
	if m.Origin.ID == n.self.ID {
		return 0
	}
	return m.Hops + 1
}
