package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// touch notes that somebody has business here.
func (r *Region) touch() { r.touched = r.env.Now() }

// wake begins to tick if there is somebody to tick for.
func (r *Region) wake() {
	if !r.awake || r.ticking || len(r.subs) == 0 && len(r.homes) == 0 && len(r.later) == 0 {
		return
	}
	r.ticking = true
	r.touch()
	r.loadColumns(allColumns)
	r.watchAround()
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
	if r.strain.Note(r.env.Now().Sub(r.tickDue), easedFor) || r.strain.On() && tick%easeEvery == 0 {
		r.ease()
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
	if r.loaded == allColumns {
		r.stepWorld(tick)
	}
	r.noteBlocks(tick)
	r.broadcast(tick)
	r.keepHomes(tick)
	if r.store.logBytes > snapshotLog && r.snapshotting == 0 && !r.store.readOnly && len(r.store.pending) < maxPending {
		r.snapshot(nil)
	}
	r.flush()
	r.rest()
}

func (r *Region) stepWorld(tick uint64) {
	r.stepping = true
	r.collect()
	changes := r.area.Tick(tick, r.commands)
	r.unsaved = true
	r.placeAll(tick)
	r.showChanges(tick, changes)
	r.applyChanges(changes)
	r.stepping = false
}

// showChanges brings what can be seen of a tick into the cells.
func (r *Region) showChanges(tick uint64, c *world.Changes) {
	for _, g := range c.Gone {
		reason := uint8(frame.Vanished)
		if g.Died {
			reason = frame.Died
		}
		r.entities.gone(g.Mob.Handle, g.Mob.Entity, reason)
	}
	for _, g := range c.ItemsGone {
		reason := uint8(frame.Vanished)
		if g.Taken {
			reason = frame.Taken
		}
		r.entities.gone(g.Item.Handle, g.Item.Entity, reason)
	}
	r.entities.sweep(tick)
	for _, ev := range c.Events {
		if at := r.entities.at(ev.Handle); at != nil {
			r.entities.cells[at.cell].event(at.slot, uint8(ev.Kind))
		}
	}
	for _, k := range c.Cracks {
		if k.At.Region() == r.cfg.Pos {
			r.entities.cells[k.At.Column().Index()].crack(k.At, k.Stage)
		}
	}
	r.showBlocks(tick, c.Blocks)
}

// showBlocks tells all who watch of block changes.
func (r *Region) showBlocks(tick uint64, changes []world.BlockChange) {
	for _, b := range changes {
		i := b.At.Column().Index()
		r.version[i]++
		r.untold |= 1 << i
		r.entities.cells[i].block(b.At, b.Now)
	}
	r.stats.BlocksChanged += uint64(len(changes))
	r.tellNeighbours(tick, changes)
}

// applyChanges does what follows from a tick: the log, answers, handovers.
func (r *Region) applyChanges(c *world.Changes) {
	r.store.record(c.Blocks)
	r.applyItems(c)
	r.applyPlayers(c)
	r.applyResults(c.Results)
	r.applyRemotes(c)
	for _, p := range c.Leavers {
		if h := r.homes[p.ID]; h != nil {
			r.handOver(h, p.Home())
		}
	}
	for _, m := range c.MobLeavers {
		r.sendMob(m)
	}
}

// rest lets the region stop ticking, save everything and fall asleep, when
// nobody has had business here for a while. One that a neighbour watches stays
// to answer it.
func (r *Region) rest() {
	if !r.awake || r.asleep {
		return
	}
	busy := len(r.subs) > 0 || len(r.homes) > 0 || len(r.outs) > 0 || len(r.later) > 0 || len(r.asks.open) > 0 || len(r.mobs.open) > 0 || len(r.arriving) > 0 || len(r.claims) > 0 || len(r.loading.waiting) > 0
	if busy {
		r.touch()
		return
	}
	if r.ticking && r.env.Now().Sub(r.touched) < r.cfg.Hibernate {
		return
	}
	if r.ticking {
		r.ticking = false
		r.unwatchAround()
		r.env.Send(Hall, &Asleep{Region: r.cfg.Pos})
	}
	switch {
	case len(r.store.pending) > 0 || r.store.readOnly:
	case r.dirtyAtAll():
		r.snapshot(nil)
	default:
		r.asleep = len(r.neighbours) == 0 && r.loading.asked&^r.loaded == 0
	}
}

// dirtyAtAll reports whether a snapshot would write anything new.
func (r *Region) dirtyAtAll() bool {
	s := &r.store
	return r.unsaved || s.changed != 0 || s.logBytes > 0 && r.logApplied() || !s.next.empty() || len(s.dirty) > 0
}
