package storage

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// The update cycle (thesis 5.3.5): at t^s the state of the update area is asked
// for, at t^a of the next update the actions of its players; with them all the
// node replays its part of the world.
type cycle struct {
	phase phase
	of    int64 // the update that phase belongs to

	circle  overlay.Area  // A^c, as it was at t^s
	query   *query        // of the update area, while it runs
	from    *Snapshot     // its result: A^{c+d} at t_{to-1}
	to      int64         // the update that is prepared
	asked   []actionQuery // of the players' actions
	open    int           // of these, without result
	asking  bool
	missing bool // actions of somebody could not be found out
}

type phase uint8

const (
	atBegin   phase = iota // t_0
	atState                // t^s_i
	atLook                 // t^s_i + l_max
	atActions              // t^a_i
)

// startCycle finds where in the cycle the node comes in.
func (n *Node) startCycle() {
	now := n.env.Now()
	n.cycle.phase = atBegin
	if now > n.time.t0 {
		n.begun = true
		last := n.time.of(now) - 1
		n.cycle.phase, n.cycle.of = atState, last
		if now > n.time.state(last) {
			n.cycle.phase, n.cycle.of = atActions, last+1
		}
	}
	n.armCycle()
}

// due is when the next phase begins.
func (n *Node) due() machine.Time {
	c := &n.cycle
	switch c.phase {
	case atState:
		return n.time.state(c.of)
	case atLook:
		return n.time.state(c.of).Add(n.time.lmax)
	case atActions:
		return n.time.actions(c.of)
	}
	return n.time.t0
}

// patience is how long is waited at least for a clock that is behind its timers.
const patience = time.Millisecond

func (n *Node) armCycle() {
	at := max(n.due(), n.env.Now().Add(patience))
	n.env.SetTimer(at, machine.Timer{Kind: timerCycle})
}

// onCycle does what is due. A timer that went off too early, because the clock
// was set back meanwhile, is set again: nothing may begin too early.
func (n *Node) onCycle(machine.Timer) {
	if n.env.Now() < n.due() {
		n.armCycle()
		return
	}
	c := &n.cycle
	switch c.phase {
	case atBegin:
		n.begin()
		c.phase = atState
	case atState:
		n.finishActions()
		n.actions.forget(c.of)
		n.requestDormant(c.of)
		if n.cfg.Updates > 0 && c.of >= n.cfg.Updates {
			return // the end
		}
		n.askState(c.of)
		c.phase = atLook
	case atLook:
		n.observe(c.of)
		c.phase, c.of = atActions, c.of+1
	case atActions:
		n.askActions(c.of)
		c.phase = atState
	}
	n.armCycle()
}

// begin makes the initial world (thesis 5.3.6).
func (n *Node) begin() {
	n.begun = true
	if !n.overlay.Stable() {
		// It joins as soon as it is, as others do, also if nobody comes or goes.
		n.neighbourhoodChanged, n.early = true, true
		return
	}
	n.part = n.computeResponsibility()
	n.ready = true
	n.makeInitial()
	n.handleDeferred()
}

// makeInitial makes the initial world in the node's part.
func (n *Node) makeInitial() {
	s := &Snapshot{Of: 0, Cover: overlay.Area{Circle: n.part.circle}, Whole: n.cfg.Protocol.Digests}
	s.Grid = gridOver(&s.Cover, &n.world, 0)
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			if relate(&s.Cover, x*n.world.Cell, y*n.world.Cell, n.world.Cell) == outside {
				continue
			}
			cell := n.cache.initialCell(n.cfg.Rules, &n.world, x, y)
			s.set(x, y, cell)
			n.makeDormant(cell)
		}
	}
	n.install(s)
	n.deriveInitial()
}

// askState retrieves the update area.
func (n *Node) askState(of int64) {
	c := &n.cycle
	c.from, c.query, c.to = nil, nil, of+1
	if !n.ready {
		return
	}
	c.circle = overlay.Area{Circle: n.part.circle}
	area := c.circle
	area.Circle.R += n.updateMargin()
	c.query = n.retrieve(ForUpdate, area, of)
	if c.query.done {
		c.query = nil
	}
}

// catchUp lets a node that has just become ready take part in the next update, if
// there is time to ask for the state before: nobody else in its zone may keep what
// lies in its cell from then on. In the thesis it waits for the one after (5.4.1).
func (n *Node) catchUp() {
	c := &n.cycle
	of := c.of
	switch {
	case !n.cfg.Protocol.Majority || !n.begun:
		return
	case c.phase == atActions:
		of--
	case c.phase != atLook:
		return
	}
	if (n.cfg.Updates == 0 || of < n.cfg.Updates) && n.env.Now().Add(n.time.lmax) < n.time.actions(of+1) {
		n.askState(of)
	}
}

// willCompute reports whether the node has the state of an update, or takes part in making it.
func (n *Node) willCompute(of int64) bool {
	c := &n.cycle
	switch {
	case n.state != nil && n.state.Of >= of:
		return true
	case c.phase == atState && c.of < of:
		return true // it asks for the state before at t^s
	}
	return c.to == of && (c.query != nil || c.from != nil || c.asking)
}

// observe retrieves the surroundings of the player's character (thesis 6.4.1).
func (n *Node) observe(of int64) {
	if n.cfg.Where == nil || !n.ready {
		return
	}
	if p, ok := n.cfg.Where(); ok {
		var area overlay.Area
		area.Circle.C, area.Circle.R = p, n.cfg.Interest
		n.retrieve(ForLook, area, of)
	}
}

// onOutcome takes the result of a retrieval of an area.
func (n *Node) onOutcome(q *query, out outcome, votes int) {
	switch q.Kind {
	case ForUpdate:
		if q.Of == n.cycle.to-1 {
			n.cycle.from, n.cycle.query = out.seen, nil
		}
	case ForLook:
		n.observed = out.seen
		if n.cfg.Wire {
			n.lastObservation = n.newObservation(q, out.seen)
		}
		if n.cfg.Events != nil {
			n.cfg.Events.Looked(out.seen, float64(votes)/float64(len(q.zones)))
		}
	default:
		n.addStatic(out)
		again := out.again && q.tries < maxTries
		if q.Of == 0 {
			n.dropClaims(q, again)
		}
		if again {
			n.fetchWhen(fetch{q.Kind, q.Area.Polygon, q.Of, q.tries + 1})
		}
		n.activateLate()
	}
}

// update replays the node's part of the world. Without the state before, or
// without anything about the actions of somebody who may matter, it stays as it
// is: others have more votes than somebody who guesses. With Protocol.Majority
// only the cells that may depend on it become unknown.
func (n *Node) update() {
	c := &n.cycle
	c.asking = false
	from := c.from
	c.from, n.before = nil, from
	if c.missing && !n.cfg.Protocol.Majority {
		n.failed(c.to)
		c.asked = nil
		return
	}
	r := replayer{
		memo: n.cache, rules: n.cfg.Rules, world: n.world, time: n.time, ring: n.world.ring(n.reach),
		of: c.to, from: from, acts: make(map[id.ID]*Batch, len(c.asked)),
	}
	n.cache.advance(c.to)
	for i := range c.asked {
		q := &c.asked[i]
		r.acts[q.player.ID] = q.result
		if q.result == nil {
			// Everything within reach of the player is a guess now.
			from.markUnsure(q.at.X/n.world.Cell, q.at.Y/n.world.Cell)
			r.acts[q.player.ID] = n.pluralityBatch(q)
		}
	}
	c.asked = nil
	s := &Snapshot{Of: c.to, Cover: c.circle, Grid: gridOver(&c.circle, &n.world, 0), Whole: n.cfg.Protocol.Digests}
	n.dropActivated(from)
	n.recentlyDormant = recentlyDormant{of: c.to}
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			if relate(&s.Cover, x*n.world.Cell, y*n.world.Cell, n.world.Cell) == outside {
				continue
			}
			if s.copyFrozen(from, x, y, r.ring) {
				continue
			}
			cell := r.cell(x, y)
			if r.guesses {
				s.setTentative(x, y, cell)
			} else {
				s.set(x, y, r.shared(cell, x, y, &s.Cover))
			}
			n.makeDormant(cell)
			for _, o := range cell.players {
				delete(n.static, o.ID)
			}
		}
	}
	n.install(s)
	n.predictRing(&r, s)
}

// install makes a snapshot the node's state.
func (n *Node) install(s *Snapshot) {
	s.index(&n.world)
	n.last, n.state = n.state, s
	n.addActivated()
	if n.cfg.Events != nil {
		n.cfg.Events.Updated(n.state)
	}
}

// failed is when an update cannot be made: what the node has is of the past now.
func (n *Node) failed(of int64) {
	if n.state != nil && n.cfg.Protocol.Majority {
		n.restored = n.state.withTentative()
	}
	if n.ready && n.begun && n.cfg.Probe != nil {
		n.cfg.Probe.Failed(n, of)
	}
}
