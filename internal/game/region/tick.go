package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// tickLoop runs the steps of the world: one for each tick of the global clock, and
// in between those of acts. An act is run when it comes: who waits for an answer
// would wait for the next tick longer than for the disks. What others see of it is
// in the next tick's frames.
type tickLoop struct {
	component
	area     *regionlog.Area
	columns  *columns
	entities *entities
	store    *store
	sessions *playerSessions
	queue    *commandQueue
	pending  *pendingEdits
	edits    *requestedEdits
	outgoing *outgoingHandovers
	effects  *effects

	ticking  bool
	tick     uint64          // the last one
	due      machine.Time    // when the next one is
	gen      uint32          // of its timer
	stepping bool            // what a step of the world changed is being applied
	commands []world.Command // scratch of a step
}

// soon is how many batches may be on their way to the disk while acts between
// ticks send theirs at once. The next waits for one of them and takes along what
// comes until then.
const soon = 2

// rightsEvery is how many ticks lie between two looks at what players may do here, and
// whose land they are on.
const rightsEvery = 20

// sleepEvery is how many ticks lie between two words to the lobby about who sleeps.
const sleepEvery = 20

// schedule sets the timer for the next tick of the global clock.
func (l *tickLoop) schedule() {
	l.gen++
	l.due = TimeOf(TickAt(l.env.Now(), l.cfg.Epoch)+1, l.cfg.Epoch)
	l.env.SetTimer(l.due, machine.Timer{Kind: timerTick, Gen: l.gen})
}

// begin counts a tick. While columns are missing the world stands still.
func (l *tickLoop) begin(tick uint64) {
	if l.tick != 0 {
		l.stats.TicksMissed += tick - l.tick - 1
	}
	l.tick = tick
	l.stats.Ticks++
	if l.moves() {
		l.step()
	}
}

// moves reports whether the world can move.
func (l *tickLoop) moves() bool { return l.ticking && l.columns.complete() }

// step is one step of the world.
func (l *tickLoop) step() {
	l.stepping = true
	l.collect()
	if l.cfg.TimeOffset != nil {
		l.area.SetTimeOffset(l.cfg.TimeOffset())
	}
	changes := l.area.Tick(l.tick, l.commands)
	l.store.unsaved = true
	l.entities.placeAll(l.area, l.tick)
	l.effects.apply(l.tick, changes)
	l.stepping = false
}

// collect makes the commands of a tick.
func (l *tickLoop) collect() {
	clear(l.commands)
	l.commands = l.queue.take(l.commands[:0], l.judge)
	for _, p := range l.area.Players() {
		if h := l.sessions.at(p.ID); h != nil && h.handover == nil {
			h.leaving = h.leaving && l.area.Leaves(h.p)
			l.commands = h.inputs.take(h, l.commands, l.sessions.stepsTo(h, l.tick))
		}
	}
}

// judge says whether it is a command's turn, and ends one that is late. Answers of
// neighbours wait for as long as nothing can be written: what they give must be on
// the disk together with that they were taken.
func (l *tickLoop) judge(c *world.Command) verdict {
	switch {
	case c.Kind == world.CmdSettle && (l.store.readOnly || l.outgoing.of(c.Player) != nil):
		return keepIt
	case c.Kind == world.CmdSettle && l.sessions.at(c.Player) == nil:
		l.pending.applyToStored(c.Remote)
		return dropIt
	case c.Kind == world.CmdRemote && l.edits.isStale(c.Remote):
		return dropIt
	}
	return runIt
}

// now is the tick of the global clock.
func (l *tickLoop) now() uint64 { return TickAt(l.env.Now(), l.cfg.Epoch) }

// between reports whether something can be done now that is not a tick's.
func (l *tickLoop) between() bool {
	return l.moves() && l.tick != 0 && !l.stepping && !l.store.readOnly
}

// actNow runs a player's act that has just come, after the steps before it. If
// one of them has to wait for its tick, so does the act.
func (l *tickLoop) actNow(h *playerSession) {
	if h.handover == nil && !h.leaving && l.between() {
		clear(l.commands)
		l.commands = h.inputs.takeNow(h, l.commands[:0], h.stepsTo(l.now()))
		l.runNow()
	}
}

// laterNow runs what neighbours ask for and answer.
func (l *tickLoop) laterNow() {
	if l.between() {
		clear(l.commands)
		l.commands = l.queue.take(l.commands[:0], l.judge)
		l.runNow()
	}
}

// runOrders runs orders between two ticks.
func (l *tickLoop) runOrders(cmds []world.Command) {
	clear(l.commands)
	l.commands = append(l.commands[:0], cmds...)
	l.runNow()
}

// runNow runs commands between two ticks.
func (l *tickLoop) runNow() {
	if len(l.commands) == 0 {
		return
	}
	l.stepping = true
	changes := l.area.Act(l.commands)
	l.store.unsaved = true
	l.effects.apply(l.tick, changes)
	l.stepping = false
	if len(l.store.pending) < soon {
		l.store.flush()
	}
}

// onTick runs the tick of the global clock that has begun. If ticks were missed
// (the machine was busy) they are left out.
func (r *Region) onTick() {
	tick := TickAt(r.env.Now(), r.cfg.Epoch)
	if r.interest.noteLate(r.env.Now().Sub(r.loop.due), tick) {
		r.activity.touch()
	}
	if tick > r.loop.tick {
		r.runTick(tick)
	}
	if r.loop.ticking {
		r.loop.schedule()
	}
}

// runTick is one step of the world and what all are told of it. While columns
// are missing the world stands still, but those that are there can be seen.
func (r *Region) runTick(tick uint64) {
	r.loop.begin(tick)
	if r.loop.moves() {
		r.amendSome(amendPerTick)
	}
	r.columns.endTick(tick)
	r.interest.broadcast(tick)
	r.sessions.maintain(r.outgoing.noteIntent)
	if tick%rightsEvery == 0 {
		r.authorizeAll() // a time in jail ends
		r.lands.greetAll(r.sessions)
	}
	if tick%sleepEvery == 0 {
		r.sessions.reportSleep()
	}
	if tick%(heartbeat*10) == 0 {
		r.departed.expire()
	}
	if r.store.snapshotDue() {
		r.snapshot(nil)
	}
	r.store.flush()
	if r.loop.moves() {
		r.area.EndTick(r.env.Now())
	}
	r.hibernateIfIdle()
}
