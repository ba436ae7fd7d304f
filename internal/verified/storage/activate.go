package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Waking (thesis 5.4.1). A player who comes back says so in all zones, where the
// character sleeps; who keeps it there lets it take part in the next step. It does if a
// majority of the zones has heard of it.

// Activate tells those who hold the static character of the node's player that
// it is back (thesis 5.4.1). It counts for the update after the next t^s; by
// then an action of the player has to be stored that makes it last.
func (n *Node) Activate(place geom.Point) {
	of := n.player.nextActivation()
	n.player.lastActivation = &messages.Activate{Player: n.cfg.Player, Place: place, Of: of}
	n.player.sendActivate()
	if n.part.Hardened {
		n.player.armDeposit(of + 1) // that the player does nothing is certified, too
		again := max(n.part.Env.Now().Add(n.part.Time.LMax/2), n.part.Time.State(of).Add(-n.part.Time.LMax*3/2))
		n.part.Env.SetTimer(again, machine.Timer{Kind: part.TimerWake, Arg: uint64(of)})
	}
	n.drain()
}

// sendActivate tells all zones that the player is back. In the hardened protocol it is said
// twice, the second time shortly before it counts: somebody who leaves meanwhile takes
// with it whom it has woken, or what it was to pass on, and it takes more than half of
// the zones to wake somebody.
func (op *ownPlayer) sendActivate() {
	for z := range op.Space.Zones() {
		op.Overlay.Unicast(op.Places.Key(op.lastActivation.Place, z), op.lastActivation)
	}
}

// Activation is when an action of a player whose node calls Activate now has to
// take effect to make its character stay: after the first, until the second.
func (n *Node) Activation() (after, until machine.Time) {
	of := n.player.nextActivation()
	return n.part.Time.Update(of), n.part.Time.Update(of + 1)
}

// nextActivation is for which update the player's character can be woken now. It often
// sleeps where its own node stands, and who has just come has no state yet to say so in:
// in the hardened protocol it is woken an update later. So it is if the interval in which
// the player has to act then had begun when the node started: of that it signs nothing.
func (op *ownPlayer) nextActivation() int64 {
	of := max(op.Time.Of(op.Env.Now())-1, 0)
	if op.Env.Now().Add(op.Time.LMax) > op.Time.State(of) {
		of++
	}
	if op.Hardened && !op.updates.willCompute(of) {
		of++
	}
	if op.Hardened && op.Time.BegunBefore(of+1, op.Started) {
		of++
	}
	return of
}

// Stamp returns when something counts that the node's player does at a true time: then,
// unless the node's clock is so far ahead that it has signed the interval. Clocks are
// supposed to be within t_d; in the model of the thesis (6.2.2: a drift of 0.1 %, set every
// 10 s) not all are.
func (n *Node) Stamp(at machine.Time) machine.Time {
	if n.part.Hardened && n.part.Time.Of(at) <= n.player.signed {
		return n.part.Env.Now()
	}
	return at
}

// Act stores an action of the node's player in all zones, and forgets it
// (thesis 5.2.3). In the hardened protocol that happens at the end of the interval, with
// the player's other actions.
func (n *Node) Act(a *state.Action) {
	if n.part.Hardened {
		n.player.addPending(a)
		n.drain()
		return
	}
	n.hooks.batchSigned(&state.Batch{Player: a.Player, Of: n.part.Time.Of(a.At), Actions: []*state.Action{a}})
	m := &messages.Store{Action: a}
	for z := range n.part.Space.Zones() {
		n.part.Overlay.Unicast(n.part.Places.Key(a.Player.Home, z), m)
	}
	n.drain()
}
