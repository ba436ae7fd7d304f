package region

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// What the end of a read or a write of the disk means for the region.

// onRead takes what the disk holds.
func (r *Region) onRead(result any, err error) {
	if err := r.loading.onRead(result, err); err != nil {
		r.failure = fmt.Errorf("%v cannot be read: %w", r.cfg.Pos, err)
		r.loading.fail(r.failure)
		r.notice("storage", r.failure.Error())
		r.loading.after(retryRead, machine.Timer{Kind: timerRead})
		return
	}
	r.loading.load(r.border.wanted())
	r.wake()
	r.items.takeBack()
	r.pending.requestAll()
	r.loading.deliver()
	r.hibernateIfIdle()
}

// onColumnLoaded implements loadEvents.
func (r *Region) onColumnLoaded() { r.border.sendMissingColumns(r.loop.tick) }

// damaged notes that a column cannot be read: the region stays as it is, not
// ready, and says so.
func (r *Region) damaged(err error) {
	if r.failure == nil {
		r.failure = err
		r.notice("storage", fmt.Sprintf("%v is damaged: %v", r.cfg.Pos, err))
	}
}

// onWritten takes the end of a batch's write.
func (r *Region) onWritten(tag uint64, err error) {
	switch {
	case r.store.oldest(tag) == nil:
		return
	case err != nil:
		r.onWriteFailed(err)
		return
	}
	b, recovered := r.store.done()
	if recovered {
		r.failure = nil
		r.notice("storage-ok", "This part of the world can be saved again.")
	}
	for _, do := range b.then {
		do(true)
	}
	r.store.flush()
	r.hibernateIfIdle()
}

// onWriteFailed undoes all that is not on the disk and makes the region
// read-only.
func (r *Region) onWriteFailed(err error) {
	failed := r.store.fail()
	r.effects.undo(r.loop.tick, failed)
	for _, b := range failed {
		r.store.release(b)
	}
	r.failure = err
	r.effects.stop(r.queue)
	r.notice("storage", "This part of the world cannot be saved at the moment: it can be looked at, but not changed. ("+err.Error()+")")
	r.store.after(retryWrite, machine.Timer{Kind: timerRetry})
}

// snapshot saves everybody and everything. then may be nil.
func (r *Region) snapshot(then func(ok bool)) {
	r.sessions.saveAll()
	r.store.snapshot(r.columns, r.loading.logApplied(), then)
}

// hasUnsaved reports whether a snapshot would write anything new.
func (r *Region) hasUnsaved() bool { return r.store.modified(r.loading.logApplied()) }
