package replay

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Why an action is not taken.
var (
	ErrLate  = errors.New("too late: no checkpoint is kept from before it")
	ErrAhead = errors.New("action too far in the future")
	ErrFull  = errors.New("too many actions since the oldest checkpoint")
	ErrKnown = errors.New("action known already")
)

// Config says how far an engine looks back and ahead.
type Config struct {
	Lag    time.Duration // local lag: how far after now one's own actions are set; 150 ms are not noticed (thesis 3.1.2)
	Ahead  time.Duration // how far after now actions of others are taken; at least Lag
	Every  time.Duration // between two checkpoints
	Keep   int           // checkpoints kept; actions up to (Keep−1)·Every late can always be put in their place
	Events int           // actions kept at most; 0: no limit
}

// Stats counts what an engine has done.
type Stats struct {
	Run       uint64 // events run, also again
	Again     uint64 // of them at times that had been passed already
	Late      uint64 // actions that came after their time
	Rollbacks uint64
}

// Engine is a world in time.
type Engine[S, E any] struct {
	cfg   Config
	model Model[S, E]
	now   machine.Time
	cur   point[S, E]
	marks []point[S, E] // checkpoints, the oldest first; never empty
	log   []Event[E]    // actions after the oldest checkpoint, in their order
	late  machine.Time  // of the earliest action since Advance that is not after cur.at
	stale bool          // there is one
	front machine.Time  // the latest time that was ever run to
	stats Stats
}

// point is the state after all events up to a time.
type point[S, E any] struct {
	at    machine.Time // events up to here are done
	moved machine.Time // the state is that of this time, the last event's
	state S
	plan  Plan[E]
}

// New returns the world in a state of a time. The state belongs to the engine.
func New[S, E any](cfg Config, model Model[S, E], at machine.Time, s S) *Engine[S, E] {
	cfg.Ahead = max(cfg.Ahead, cfg.Lag)
	cfg.Every = max(cfg.Every, 1)
	cfg.Keep = max(cfg.Keep, 1)
	e := &Engine[S, E]{cfg: cfg, model: model}
	e.begin(at, s)
	e.now, e.front = at, at
	return e
}

// begin makes a state the only checkpoint.
func (e *Engine[S, E]) begin(at machine.Time, s S) {
	p := point[S, E]{at: at, moved: at, state: s, plan: Plan[E]{now: at}}
	e.model.Start(s, at, &p.plan)
	e.marks = append(e.marks[:0], p)
	e.cur, e.stale = e.copyOf(&e.marks[0]), false
}

func (e *Engine[S, E]) copyOf(p *point[S, E]) point[S, E] {
	c := *p
	c.state = e.model.Clone(p.state)
	c.plan.heap = slices.Clone(p.plan.heap)
	return c
}

// Now returns the time that the world has been advanced to.
func (e *Engine[S, E]) Now() machine.Time { return e.now }

// Floor returns the time of the oldest checkpoint: actions that are not after it
// are refused.
func (e *Engine[S, E]) Floor() machine.Time { return e.marks[0].at }

// Stats returns what the engine has done so far.
func (e *Engine[S, E]) Stats() Stats { return e.stats }

// Kept returns how many checkpoints and actions are held in memory.
func (e *Engine[S, E]) Kept() (checkpoints, actions int) { return len(e.marks), len(e.log) }

// Issue takes an own action: it happens Lag after now, for everybody. What it
// returns is to be sent to the others.
func (e *Engine[S, E]) Issue(what E) (Event[E], error) {
	ev := Event[E]{e.now.Add(e.cfg.Lag), what}
	return ev, e.Add(ev)
}

// Add takes an action, one's own or another's. One that should have been run
// already is put in its place with the next Advance.
func (e *Engine[S, E]) Add(ev Event[E]) error {
	switch {
	case ev.At <= e.Floor():
		return fmt.Errorf("%w: it is of %d, the oldest checkpoint of %d", ErrLate, ev.At, e.Floor())
	case ev.At > e.now.Add(e.cfg.Ahead):
		return fmt.Errorf("%w: it is of %d, now is %d and %v are allowed", ErrAhead, ev.At, e.now, e.cfg.Ahead)
	case e.cfg.Events > 0 && len(e.log) >= e.cfg.Events:
		return fmt.Errorf("%w: %d", ErrFull, len(e.log))
	}
	i, known := slices.BinarySearchFunc(e.log, ev, e.compare)
	if known {
		return ErrKnown
	}
	e.log = slices.Insert(e.log, i, ev)
	if ev.At <= e.cur.at {
		e.stats.Late++
		if !e.stale || ev.At < e.late {
			e.late, e.stale = ev.At, true
		}
	}
	return nil
}

func (e *Engine[S, E]) compare(a, b Event[E]) int {
	switch {
	case a.At < b.At:
		return -1
	case a.At > b.At:
		return 1
	}
	return e.model.Compare(a.What, b.What)
}

// Advance runs everything up to a time, now; what came late too. Time never
// runs backwards: an earlier time only puts late actions in their place.
func (e *Engine[S, E]) Advance(now machine.Time) {
	e.now = max(e.now, now)
	e.goBack()
	for {
		next := e.marks[len(e.marks)-1].at.Add(e.cfg.Every)
		if next > e.now {
			break
		}
		if skip := e.now.Add(-time.Duration(e.cfg.Keep) * e.cfg.Every); next < skip {
			// The world has slept: what would be dropped again is not kept.
			next = skip
		}
		e.run(&e.cur, next)
		e.mark()
	}
	e.run(&e.cur, e.now)
	e.front = max(e.front, e.now)
}

// goBack returns to the last checkpoint before the earliest late action.
func (e *Engine[S, E]) goBack() {
	if !e.stale {
		return
	}
	e.stale = false
	e.stats.Rollbacks++
	i := len(e.marks) - 1
	for i > 0 && e.marks[i].at >= e.late {
		i--
	}
	clear(e.marks[i+1:])
	e.marks = e.marks[:i+1]
	e.cur = e.copyOf(&e.marks[i])
}

// mark keeps the present point as a checkpoint and forgets what is too old.
func (e *Engine[S, E]) mark() {
	e.marks = append(e.marks, e.copyOf(&e.cur))
	if drop := len(e.marks) - e.cfg.Keep; drop > 0 {
		e.marks = slices.Delete(e.marks, 0, drop)
		e.log = slices.Delete(e.log, 0, e.after(e.Floor()))
	}
}

// after returns the index of the first action after a time.
func (e *Engine[S, E]) after(at machine.Time) int {
	i, _ := slices.BinarySearchFunc(e.log, at, func(ev Event[E], at machine.Time) int {
		if ev.At <= at {
			return -1
		}
		return 1
	})
	return i
}

// run does the events of a point that are due up to a time. States are moved to
// the times of events only, so that it does not matter when somebody looked.
func (e *Engine[S, E]) run(p *point[S, E], to machine.Time) {
	for i := e.after(p.at); ; {
		action := i < len(e.log) && e.log[i].At <= to
		derived := len(p.plan.heap) > 0 && p.plan.heap[0].e.At <= to
		var ev Event[E]
		switch {
		case action && (!derived || e.log[i].At <= p.plan.heap[0].e.At):
			ev = e.log[i]
			i++
		case derived:
			ev = p.plan.pop()
		default:
			p.at = to
			return
		}
		if ev.At > p.moved {
			p.state = e.model.Move(p.state, p.moved, ev.At)
		}
		p.moved, p.plan.now = ev.At, ev.At
		p.state = e.model.Run(p.state, ev, &p.plan)
		e.stats.Run++
		if ev.At <= e.front {
			e.stats.Again++
		}
	}
}

// Sample returns the world at a time from the floor on, as far as the actions
// are known: a copy for looking at (thesis 3.1.1, the throw-away copy). It
// changes nothing in the engine; what came late since Advance is in it.
func (e *Engine[S, E]) Sample(at machine.Time) S {
	from := &e.cur
	if e.stale || at < from.at {
		i := len(e.marks) - 1
		for i > 0 && (e.marks[i].at > at || e.stale && e.marks[i].at >= e.late) {
			i--
		}
		from = &e.marks[i]
	}
	p, stats := e.copyOf(from), e.stats
	e.run(&p, at)
	e.stats = stats
	if at > p.moved {
		p.state = e.model.Move(p.state, p.moved, at)
	}
	return p.state
}

// Rebase replaces the world at a time by a state that others have agreed on,
// and runs the actions since on top of it: how one who knows the last voted
// state computes the present one (thesis 6.4.1). Nothing before it can be
// changed any more. The time must not be before the floor, because the actions
// since then must be known.
func (e *Engine[S, E]) Rebase(at machine.Time, s S) error {
	if at < e.Floor() {
		return fmt.Errorf("%w: the state is of %d, the oldest checkpoint of %d", ErrLate, at, e.Floor())
	}
	e.log = slices.Delete(e.log, 0, e.after(at))
	clear(e.marks)
	e.begin(at, s)
	e.Advance(max(e.now, at))
	return nil
}
