package world

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Limits of what players send.
const (
	inputStart = 4  // inputs that a new session may send at once
	inputBurst = 40 // inputs that may come late and at once: a client makes no more without an answer
	silentFor  = 20 // ticks without an input after which a body moves by itself
)

// Tick advances the area by one step of 1/20 s, to the given number of the
// global clock. The commands are only read. What it returns is valid until the
// next Tick or Act.
func (a *Area) Tick(tick uint64, cmds []Command) *Changes {
	// Ticks that were left out, because the machine was busy, have passed for
	// players as well: they go on sending an input in each.
	passed := uint64(1)
	if a.tick != 0 && tick > a.tick {
		passed = min(tick-a.tick, inputBurst)
	}
	a.tick = tick
	a.changes.reset(tick)
	for _, p := range a.players {
		p.Credit = min(p.Credit+uint8(passed), inputBurst)
	}
	a.run(cmds)
	for _, p := range a.players {
		if !p.Frozen {
			a.actor = p.ID
			a.keep(p)
		}
	}
	a.actor = id.ID{}
	a.blockTicks()
	a.tickMobs()
	a.tickItems()
	a.report()
	return &a.changes
}

// Act runs commands between two ticks, as the last ones of the tick that was run
// last: what players do need not wait for the next. Bodies, blocks and mobs go on
// with the next tick. What it returns is valid until the next Tick or Act.
func (a *Area) Act(cmds []Command) *Changes {
	a.changes.reset(a.tick)
	a.near.forget() // they have moved since
	a.run(cmds)
	a.report()
	return &a.changes
}

// Amend changes blocks for somebody who may: edits are taken back or made again (undo), or
// many are made at once. A place
// is left as it is if something lies in a container there (a text of a sign goes), or if it is not what it was
// when it was looked at. What it returns is valid until the next Tick or Act.
func (a *Area) Amend(by id.ID, edits []BlockChange, undo bool) *Changes {
	a.changes.reset(a.tick)
	a.actor, a.undoes = by, undo
	for _, e := range edits {
		if now, ok := a.Block(e.At); ok && now == e.Was && e.Now.Known() && (a.Contents(e.At) == nil || now.IsSign()) {
			if now.IsSign() && now == e.Now && a.Contents(e.At) != nil {
				a.putContents(e.At, nil) // only its text has changed
			}
			a.set(e.At, e.Now)
		}
	}
	a.actor, a.undoes = id.ID{}, false
	a.report()
	return &a.changes
}

// run does the commands in their own order.
func (a *Area) run(cmds []Command) {
	a.sorted = a.sorted[:0]
	for i := range cmds {
		a.sorted = append(a.sorted, &cmds[i])
	}
	if !slices.IsSortedFunc(a.sorted, (*Command).compare) {
		slices.SortFunc(a.sorted, (*Command).compare)
	}
	for _, c := range a.sorted {
		a.do(c)
	}
	clear(a.sorted)
}

func (a *Area) do(c *Command) {
	a.actor = c.Player
	defer func() { a.actor = id.ID{} }()
	switch c.Kind {
	case CmdRemote:
		a.actor = c.Remote.Player
		a.answer(*c.Remote)
		return
	case CmdSigned:
		a.again(c)
		return
	}
	p := a.byID[c.Player]
	if p == nil || p.Frozen {
		return
	}
	switch c.Kind {
	case CmdOrder:
		a.result(c, a.order(p, c.Order))
	case CmdInput:
		a.input(p, c)
	case CmdAct:
		if code, later := a.act(p, c); !later {
			a.result(c, code)
		}
	case CmdSettle:
		a.settle(p, c.Remote)
	}
}

func (st *state) result(c *Command, code Refusal) {
	st.changes.Results = append(st.changes.Results, Result{c.Player, c.Kind, c.Seq, code, st.did})
	st.did = nil
}

// input runs one body step, if it is new and not too much at once.
func (pr *playerRules) input(p *Player, c *Command) {
	if c.Seq <= p.LastSeq {
		return
	}
	p.LastSeq, p.LastInput = c.Seq, pr.tick
	if p.Credit == 0 {
		p.dirty |= dirtyChecked
		return
	}
	p.Credit--
	p.Buttons = c.Input.Buttons
	pr.move(p, c.Input)
	if c.Check && c.Expect != p.Body.Pos {
		p.dirty |= dirtyChecked
	}
}

// report collects what is to be said of each player.
func (a *Area) report() {
	c := &a.changes
	for _, p := range a.players {
		if !p.Frozen && a.Leaves(p) {
			c.Leavers = append(c.Leavers, p)
		}
		if p.slots != 0 {
			c.Items = append(c.Items, ItemChange{p, p.slots})
			p.dirty |= dirtySave
		}
		if p.dirty&dirtyHeld != 0 {
			c.Held = append(c.Held, p)
		}
		if p.dirty&dirtySelf != 0 {
			c.Selves = append(c.Selves, p)
		}
		if p.dirty&dirtySave != 0 {
			c.Saves = append(c.Saves, p)
		}
		if p.dirty&dirtyMoved != 0 {
			c.Moved = append(c.Moved, p)
		}
		if p.dirty&dirtyChecked != 0 {
			c.Corrections = append(c.Corrections, p)
		}
		p.dirty, p.slots = 0, 0
	}
}

// Leaves reports whether a player is where another region is to take it over.
func (st *state) Leaves(p *Player) bool {
	return st.outsideBy(p.Body.Pos, fixed.One) || p.Arriving && p.Home() != st.pos
}

// SetTick sets the time of an area that was put together from what was kept of
// it: the step that comes next is the one after it.
func (c *clock) SetTick(tick uint64) { c.tick = tick }

// Now is the tick that was run last.
func (c *clock) Now() uint64 { return c.tick }
