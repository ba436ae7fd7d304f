package region

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
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
	if !r.loading.awake || r.loop.ticking || len(r.interest.subs) == 0 && len(r.sessions.players) == 0 && len(r.queue.list) == 0 {
		return
	}
	r.loop.ticking = true
	r.activity.touch()
	r.loading.load(allColumns)
	r.border.watchNeighbours()
	r.env.Send(Lobby, &Awake{Region: r.cfg.Pos})
	r.loop.schedule()
}

// hibernateIfIdle lets the region stop ticking, save everything and fall asleep, when
// nobody has had business here for a while. One that a neighbour watches stays
// to answer it.
func (r *Region) hibernateIfIdle() {
	if !r.loading.awake || r.asleep {
		return
	}
	if r.busy() {
		r.activity.touch()
		return
	}
	if r.loop.ticking && !r.activity.idle(r.cfg.Hibernate) {
		return
	}
	if r.loop.ticking {
		r.loop.ticking = false
		r.border.unwatchNeighbours()
		r.env.Send(Lobby, &Asleep{Region: r.cfg.Pos})
	}
	switch {
	case len(r.store.pending) > 0 || r.store.readOnly:
	case r.hasUnsaved():
		r.snapshot(nil)
	default:
		r.asleep = len(r.border.list) == 0 && !r.loading.busy()
	}
}

// restIf lets the region rest after something that may have been the last to do.
func (r *Region) restIf(done bool) {
	if done {
		r.hibernateIfIdle()
	}
}

// busy reports whether somebody is here, or waits for something.
func (r *Region) busy() bool {
	return len(r.interest.subs) > 0 || len(r.sessions.players) > 0 || len(r.outgoing.players) > 0 || len(r.queue.list) > 0 ||
		len(r.pending.list) > 0 || len(r.mobs.open) > 0 || r.incoming.busy() || len(r.loading.waiting) > 0
}
