package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/actions"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/dormant"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/replica"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/retrieval"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/transfer"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/vote"
)

// updater replays the node's part of the world once in an interval.
type updater struct {
	*part.Part
	cfg      *Config
	hooks    *hooks
	inbox    *inbox
	area     *placement.Area
	replica  *replica.Replica
	store    *actions.Store
	queries  *retrieval.Retrievals
	acts     *actions.Retrieval
	dormant  *dormant.Store
	transfer *transfer.Transfer

	cycle           cycle
	lastObservation *Observation // of a node with Config.Wire
}

// cycle is the update cycle (thesis 5.3.5): at t^s the state of the update area is asked
// for, at t^a of the next update the actions of its players; with them all the
// node replays its part of the world.
type cycle struct {
	phase phase
	of    int64 // the update that phase belongs to

	circle overlay.Area     // A^c, as it was at t^s
	query  *retrieval.Query // of the update area, while it runs
	from   *state.Snapshot  // its result: A^{c+d} at t_{to-1}
	to     int64            // the update that is prepared
}

type phase uint8

const (
	atBegin   phase = iota // t_0
	atState                // t^s_i
	atLook                 // t^s_i + l_max
	atActions              // t^a_i
)

// startCycle finds where in the cycle the node comes in.
func (up *updater) startCycle() {
	now := up.Env.Now()
	up.cycle.phase = atBegin
	if now > up.Time.T0 {
		up.Begun = true
		last := up.Time.Of(now) - 1
		up.cycle.phase, up.cycle.of = atState, last
		if now > up.Time.State(last) {
			up.cycle.phase, up.cycle.of = atActions, last+1
		}
	}
	up.armCycle()
}

// due is when the next phase begins.
func (up *updater) due() machine.Time {
	c := &up.cycle
	switch c.phase {
	case atState:
		return up.Time.State(c.of)
	case atLook:
		return up.Time.State(c.of).Add(up.Time.LMax)
	case atActions:
		return up.Time.Actions(c.of)
	}
	return up.Time.T0
}

func (up *updater) armCycle() {
	at := max(up.due(), up.Env.Now().Add(part.ClockTolerance))
	up.Env.SetTimer(at, machine.Timer{Kind: part.TimerCycle})
}

// onCycle does what is due. A timer that went off too early, because the clock
// was set back meanwhile, is set again: nothing may begin too early.
func (up *updater) onCycle(machine.Timer) {
	if up.Env.Now() < up.due() {
		up.armCycle()
		return
	}
	c := &up.cycle
	switch c.phase {
	case atBegin:
		up.begin()
		c.phase = atState
	case atState:
		up.acts.FinishActions()
		up.store.Forget(c.of)
		up.transfer.RequestDormant(c.of)
		if up.cfg.Updates > 0 && c.of >= up.cfg.Updates {
			return // the end
		}
		up.askState(c.of)
		c.phase = atLook
	case atLook:
		up.observe(c.of)
		c.phase, c.of = atActions, c.of+1
	case atActions:
		up.askActions(c.of)
		c.phase = atState
	}
	up.armCycle()
}

// begin makes the initial world (thesis 5.3.6).
func (up *updater) begin() {
	up.Begun = true
	if !up.Overlay.Stable() {
		up.transfer.BeginEarly()
		return
	}
	up.area.Now = up.area.ComputeResponsibility()
	up.Ready = true
	up.makeInitial()
	up.inbox.handleDeferred()
}

// askState retrieves the update area.
func (up *updater) askState(of int64) {
	c := &up.cycle
	c.from, c.query, c.to = nil, nil, of+1
	if !up.Ready {
		return
	}
	c.circle = overlay.Area{Circle: up.area.Now.Circle}
	area := c.circle
	area.Circle.R += up.UpdateMargin()
	c.query = up.queries.Retrieve(messages.ForUpdate, area, of)
	if c.query.Done {
		c.query = nil
	}
}

// askActions retrieves the actions of all players in the update area.
func (up *updater) askActions(of int64) {
	c := &up.cycle
	if c.query != nil {
		up.queries.Conclude(c.query)
	}
	if c.from == nil || c.to != of {
		up.failed(of)
		return
	}
	up.acts.Ask(of, c.from.WithTentative().Players(&c.from.Cover, &up.World, nil))
}

// catchUp lets a node that has just become ready take part in the next update, if
// there is time to ask for the state before: nobody else in its zone may keep what
// lies in its cell from then on. In the thesis it waits for the one after (5.4.1).
func (up *updater) catchUp() {
	c := &up.cycle
	of := c.of
	switch {
	case !up.Hardened || !up.Begun:
		return
	case c.phase == atActions:
		of--
	case c.phase != atLook:
		return
	}
	if (up.cfg.Updates == 0 || of < up.cfg.Updates) && up.Env.Now().Add(up.Time.LMax) < up.Time.Actions(of+1) {
		up.askState(of)
	}
}

// willCompute reports whether the node has the state of an update, or takes part in making it.
func (up *updater) willCompute(of int64) bool {
	c := &up.cycle
	switch {
	case up.replica.State != nil && up.replica.State.Of >= of:
		return true
	case c.phase == atState && c.of < of:
		return true // it asks for the state before at t^s
	}
	return c.to == of && (c.query != nil || c.from != nil || up.acts.Asking)
}

// onOutcome takes the result of a retrieval of an area.
func (up *updater) onOutcome(q *retrieval.Query, out vote.Outcome, votes int) {
	switch q.Kind {
	case messages.ForUpdate:
		if q.Of == up.cycle.to-1 {
			up.cycle.from, up.cycle.query = out.Seen, nil
		}
	case messages.ForLook:
		up.replica.Observe(out.Seen)
		if up.cfg.Wire {
			up.lastObservation = up.newObservation(q, out.Seen)
		}
		if up.cfg.Events != nil {
			up.cfg.Events.Looked(out.Seen, float64(votes)/float64(len(q.Zones)))
		}
	default:
		up.transfer.OnRetrieved(&q.Poll, out)
	}
}
