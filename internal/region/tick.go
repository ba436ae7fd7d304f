package region

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// activity knows when somebody last had business in the region.
type activity struct {
	env  machine.Env
	last machine.Time
}

// touch notes that somebody has business here.
func (a *activity) touch() { a.last = a.env.Now() }

// idle reports whether nobody has had business here for so long.
func (a *activity) idle(d time.Duration) bool { return a.env.Now().Sub(a.last) >= d }

// wake begins to tick if there is somebody to tick for.
func (r *Region) wake() {
	if !r.loading.awake || r.ticking || len(r.interest.subs) == 0 && len(r.sessions.homes) == 0 && len(r.queue.list) == 0 {
		return
	}
	r.ticking = true
	r.activity.touch()
	r.loading.load(allColumns)
	r.border.watchAround()
	r.env.Send(Hall, &Awake{Region: r.cfg.Pos})
	r.nextTick()
}

// nextTick sets the timer for the next tick of the global clock.
func (r *Region) nextTick() {
	r.timerGen++
	r.tickDue = TimeOf(TickAt(r.env.Now(), r.cfg.Epoch)+1, r.cfg.Epoch)
	r.env.SetTimer(r.tickDue, machine.Timer{Kind: timerTick, Gen: r.timerGen})
}

// onTick runs the tick of the global clock that has begun. If ticks were missed
// (the machine was busy) they are left out.
func (r *Region) onTick() {
	tick := TickAt(r.env.Now(), r.cfg.Epoch)
	if r.interest.noteLate(r.env.Now().Sub(r.tickDue), tick) {
		r.activity.touch()
	}
	if tick > r.tick {
		r.runTick(tick)
	}
	if r.ticking {
		r.nextTick()
	}
}

// runTick is one step of the world and what all are told of it. While columns
// are missing the world stands still, but those that are there can be seen.
func (r *Region) runTick(tick uint64) {
	if r.tick != 0 {
		r.stats.TicksMissed += tick - r.tick - 1
	}
	r.tick = tick
	r.stats.Ticks++
	if r.columns.complete() {
		r.stepWorld(tick)
	}
	r.columns.endTick(tick)
	r.interest.broadcast(tick)
	r.sessions.maintain(r.outgoing.noteIntent)
	if tick%(heartbeat*10) == 0 {
		r.forgetGone()
	}
	if r.store.snapshotDue() {
		r.snapshot(nil)
	}
	r.store.flush()
	r.rest()
}

func (r *Region) stepWorld(tick uint64) {
	r.stepping = true
	r.collect()
	changes := r.area.Tick(tick, r.commands)
	r.store.unsaved = true
	r.entities.placeAll(r.area, tick)
	r.showChanges(tick, changes)
	r.applyChanges(changes)
	r.stepping = false
}

// showChanges brings what can be seen of a tick into the cells.
func (r *Region) showChanges(tick uint64, c *world.Changes) {
	r.entities.show(tick, c)
	r.showBlocks(tick, c.Blocks)
}

// showBlocks tells all who watch of block changes.
func (r *Region) showBlocks(tick uint64, changes []world.BlockChange) {
	for _, b := range changes {
		i := b.At.Column().Index()
		r.columns.change(i)
		r.entities.cells[i].block(b.At, b.Now)
	}
	r.stats.BlocksChanged += uint64(len(changes))
	r.border.tell(tick, changes)
}

// applyChanges does what follows from a tick: the log, answers, handovers.
func (r *Region) applyChanges(c *world.Changes) {
	r.store.record(c.Blocks)
	r.items.apply(c)
	r.sessions.apply(c)
	r.applyResults(c.Results)
	r.applyRemotes(c)
	for _, p := range c.Leavers {
		if h := r.sessions.at(p.ID); h != nil {
			r.outgoing.handOver(h, p.Home())
		}
	}
	for _, m := range c.MobLeavers {
		r.mobs.send(m, r.tick)
	}
}

// applyResults answers acts: refusals at once, the rest when it is on the disk.
func (r *Region) applyResults(results []world.Result) {
	for _, res := range results {
		h := r.sessions.at(res.Player)
		switch {
		case res.Kind == world.CmdSettle:
			r.asks.settled(res)
		case h == nil || res.Kind != world.CmdAct:
		case res.Code != world.Done:
			r.dedup.refuse(h, res.Seq, res.Code)
		default:
			// While nothing can be written only what need not last gets here: see lasting.
			r.dedup.end(res.Player, r.dedup.of(res.Player).session, ended{seq: res.Seq, did: res.Did}, r.store.readOnly)
		}
	}
}

// applyRemotes sends what a tick asks of neighbours and answers to them, each
// once it is durable: an item is not in two places after a crash.
func (r *Region) applyRemotes(c *world.Changes) {
	for i := range c.Remotes {
		m := c.Remotes[i]
		if h := r.sessions.at(m.Player); h != nil {
			r.asks.ask(&question{Remote: &m, epoch: uint32(h.p.Epoch), session: r.dedup.of(m.Player).session})
		}
	}
	for i := range c.Answers {
		done := c.Answers[i]
		r.edits.end(&done)
	}
}

// rest lets the region stop ticking, save everything and fall asleep, when
// nobody has had business here for a while. One that a neighbour watches stays
// to answer it.
func (r *Region) rest() {
	if !r.loading.awake || r.asleep {
		return
	}
	if r.busy() {
		r.activity.touch()
		return
	}
	if r.ticking && !r.activity.idle(r.cfg.Hibernate) {
		return
	}
	if r.ticking {
		r.ticking = false
		r.border.unwatchAround()
		r.env.Send(Hall, &Asleep{Region: r.cfg.Pos})
	}
	switch {
	case len(r.store.pending) > 0 || r.store.readOnly:
	case r.dirtyAtAll():
		r.snapshot(nil)
	default:
		r.asleep = len(r.border.list) == 0 && !r.loading.busy()
	}
}

// busy reports whether somebody is here, or waits for something.
func (r *Region) busy() bool {
	return len(r.interest.subs) > 0 || len(r.sessions.homes) > 0 || len(r.outgoing.outs) > 0 || len(r.queue.list) > 0 ||
		len(r.asks.open) > 0 || len(r.mobs.open) > 0 || r.incoming.busy() || len(r.loading.waiting) > 0
}
