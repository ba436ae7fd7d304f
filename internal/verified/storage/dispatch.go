package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
)

// Start implements machine.Machine.
func (n *Node) Start() {
	n.part.Started = n.part.Env.Now()
	n.part.Overlay.Start()
	n.updates.startCycle()
	n.drain()
}

// Stop leaves the network.
func (n *Node) Stop() {
	n.actions.Player.LastDeposits()
	n.drain()
	n.transfer.HandOff()
	n.drain()
	n.part.Stopped = true
	n.part.Overlay.Stop()
}

// OnMessage implements machine.Machine.
func (n *Node) OnMessage(from machine.Peer, m machine.Message) {
	if n.hooks.intercepts(from, m) {
		n.drain()
		return
	}
	n.part.Overlay.OnMessage(from, m)
	n.drain()
}

// OnLink implements machine.Machine.
func (n *Node) OnLink(peer machine.Peer, ev machine.LinkEvent) {
	n.part.Overlay.OnLink(peer, ev)
	n.drain()
}

// OnDone implements machine.Machine.
func (n *Node) OnDone(tag uint64, result any, err error) {
	n.part.Overlay.OnDone(tag, result, err)
	n.drain()
}

// OnTimer implements machine.Machine.
func (n *Node) OnTimer(t machine.Timer) {
	if n.part.Stopped {
		return
	}
	switch t.Kind {
	case part.TimerCycle:
		n.updates.onCycle(t)
	case part.TimerQuery, part.TimerPins, part.TimerWays, part.TimerFetch:
		n.queries.OnTimer(t)
	case part.TimerDeposit:
		n.actions.Player.Deposit(int64(t.Arg))
	case part.TimerHurry:
		n.actions.Retrieval.AskMoreStorers(int64(t.Arg))
	case part.TimerInsist:
		n.actions.Player.ResendDeposit(int64(t.Arg))
	case part.TimerWake:
		n.actions.Player.ActivateAgain(int64(t.Arg))
	case part.TimerStatic:
		n.transfer.OnTimer(t)
	case part.TimerPushes:
		n.transfer.FinishJoin()
	default:
		n.part.Overlay.OnTimer(t)
	}
	n.drain()
}

// drain handles what the overlay has reported; doing so may make it report more.
func (n *Node) drain() {
	if n.busy {
		return
	}
	n.busy = true
	for len(n.inbox.events) > 0 || n.area.NeighbourhoodChanged && !n.part.Stopped && n.part.Overlay.Stable() {
		for i := 0; i < len(n.inbox.events); i++ {
			n.handle(n.inbox.events[i])
		}
		clear(n.inbox.events)
		n.inbox.events = n.inbox.events[:0]
		if n.area.NeighbourhoodChanged && !n.part.Stopped && n.part.Overlay.Stable() {
			n.transfer.OnNeighbourhoodChanged()
		}
	}
	n.busy = false
}

func (n *Node) handle(u overlayEvent) {
	switch {
	case n.part.Stopped:
	case u.unicast != nil:
		n.onUnicast(u)
	case u.area != nil:
		n.onArea(u)
	default:
		n.area.NoteChange()
	}
}

// onUnicast takes a message for the node. Until its neighbours have pushed what
// it is responsible for, only what is meant for itself is handled (5.4.1).
func (n *Node) onUnicast(u overlayEvent) {
	m := u.unicast
	switch body := m.Body.(type) {
	case *messages.Result:
		n.queries.OnResult(m.Origin, body)
	case *messages.ActionsResult:
		n.actions.Retrieval.OnActionsResult(m.Origin, body)
	case *messages.Push:
		n.transfer.OnPush(m.Origin, body)
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
		n.queries.OnPeerQuery(m.Origin, body)
	case *messages.PeerReply:
		n.queries.OnPeerReply(body)
	case *messages.Blocks:
		n.queries.OnBlocks(m.Origin, body)
	case *messages.Deposit:
		if !n.inbox.deferUntilReady(u) {
			n.hooks.arrived(ArrivedStore, n.hops(m))
			n.actions.Store.OnDeposit(m.Origin, body, u.came)
		}
	case *messages.Receipt:
		n.actions.Player.OnReceipt(m.Origin, body)
	case *messages.Certified:
		n.actions.Store.OnCertified(m.Origin, body)
	case *messages.Exchange:
		if !n.inbox.deferUntilReady(u) {
			n.actions.Store.OnExchange(body)
		}
	case *messages.Better:
		n.part.Overlay.Introduce(body.Node)
	case *messages.RetrieveActions:
		if !n.inbox.deferUntilReady(u) {
			n.hooks.arrived(Arrival(messages.ForActions), n.hops(m))
			n.actions.Store.OnRetrieveActions(m.Origin, body)
		}
	case *messages.Store:
		if !n.inbox.deferUntilReady(u) {
			n.hooks.arrived(ArrivedStore, n.hops(m))
			n.actions.Store.OnStore(body, u.came)
		}
	case *messages.Activate:
		if !n.inbox.deferUntilReady(u) {
			n.dormant.OnActivate(m.Origin, body)
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
	if m.Origin.ID == n.part.Self.ID {
		return 0
	}
	return m.Hops + 1
}
