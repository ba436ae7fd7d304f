package actions

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Waking (thesis 5.4.1). A player who comes back says so in all zones, where the
// character sleeps; who keeps it there lets it take part in the next step. It does if a
// majority of the zones has heard of it, or half of them and no zone knows it otherwise, and the
// player has signed actions.

// Activate tells those who hold the static character of the node's player that
// it is back (thesis 5.4.1). It counts for the update after the next t^s; by
// then an action of the player has to be stored that makes it last.
func (op *Player) Activate(place geom.Point) {
	of := op.nextActivation()
	op.lastActivation = &messages.Activate{Player: op.Cfg.Player, Place: place, Of: of}
	op.sendActivate()
	if op.Hardened {
		op.armDeposit(of + 1) // that the player does nothing is certified, too
		again := max(op.Env.Now().Add(op.Time.LMax/2), op.Time.State(of).Add(-op.Time.LMax*3/2))
		op.Env.SetTimer(again, machine.Timer{Kind: part.TimerWake, Arg: uint64(of)})
	}
}

// sendActivate tells all zones that the player is back.
func (op *Player) sendActivate() {
	for z := range op.Space.Zones() {
		op.Overlay.Unicast(op.Places.Key(op.lastActivation.Place, z), op.lastActivation)
	}
}

// ActivateAgain repeats it shortly before it counts: somebody who leaves meanwhile takes
// with it whom it has woken, or what it was to pass on, and it takes more than half of the
// zones to wake somebody. Each zone is told by way of two other ones, at places that are drawn
// anew: who is on the way cannot keep it back twice, and who stands at the character's place
// in another zone is not on the way.
func (op *Player) ActivateAgain(of int64) {
	if op.lastActivation.Of != of {
		return
	}
	zones := op.Space.Zones()
	draw := op.Env.Rand()
	for z := range zones {
		first := draw.Intn(zones - 1)
		for _, step := range [...]int{first, (first + 1) % (zones - 1)} {
			via := geom.Point{X: int32(draw.Intn(int(op.World.Side))), Y: int32(draw.Intn(int(op.World.Side)))}
			op.Overlay.UnicastVia(op.Places.Key(op.lastActivation.Place, z), op.Places.Key(via, (z+1+step)%zones), op.lastActivation)
		}
	}
}

// Activation is when an action of a player whose node calls Activate now has to
// take effect to make its character stay: after the first, until the second.
func (op *Player) Activation() (after, until machine.Time) {
	of := op.nextActivation()
	return op.Time.Update(of), op.Time.Update(of + 1)
}

// nextActivation is for which update the player's character can be woken now. It often
// sleeps where its own node stands, and who has just come has no state yet to say so in:
// in the hardened protocol it is woken an update later. So it is if the interval in which
// the player has to act then had begun when the node started: of that it signs nothing.
func (op *Player) nextActivation() int64 {
	of := max(op.Time.Of(op.Env.Now())-1, 0)
	if op.Env.Now().Add(op.Time.LMax) > op.Time.State(of) {
		of++
	}
	if op.Hardened && !op.willCompute(of) {
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
func (op *Player) Stamp(at machine.Time) machine.Time {
	if op.Hardened && op.Time.Of(at) <= op.signed {
		return op.Env.Now()
	}
	return at
}

// Act stores an action of the node's player in all zones, and forgets it
// (thesis 5.2.3). In the hardened protocol that happens at the end of the interval, with
// the player's other actions.
func (op *Player) Act(a *state.Action) {
	if op.Hardened {
		op.addPending(a)
		return
	}
	op.hooks.BatchSigned(&state.Batch{Player: a.Player, Of: op.Time.Of(a.At), Actions: []*state.Action{a}})
	m := &messages.Store{Action: a}
	for z := range op.Space.Zones() {
		op.Overlay.Unicast(op.Places.Key(a.Player.Home, z), m)
	}
}
