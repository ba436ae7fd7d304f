package region

// Acts are run when they come, between two ticks: who waits for an answer would
// wait for the next tick longer than for the disks. What others see of it is in
// the next tick's frames.

// soon is how many batches may be on their way to the disk while acts between
// ticks send theirs at once. The next waits for one of them and takes along what
// comes until then.
const soon = 2

// between reports whether something can be done now that is not a tick's.
func (r *Region) between() bool {
	return r.ticking && r.tick != 0 && r.loaded == allColumns && !r.stepping && !r.store.readOnly
}

// actNow runs a player's act that has just come, after the steps before it. If
// one of them has to wait for its tick, so does the act.
func (r *Region) actNow(h *home) {
	if h.out == nil && !h.leaves && r.between() {
		clear(r.commands)
		r.commands = h.inbox.takeNow(h, r.commands[:0])
		r.runNow()
	}
}

// laterNow runs what neighbours ask for and answer.
func (r *Region) laterNow() {
	if r.between() {
		clear(r.commands)
		r.commands = r.takeLater(r.commands[:0])
		r.runNow()
	}
}

// runNow runs commands between two ticks.
func (r *Region) runNow() {
	if len(r.commands) == 0 {
		return
	}
	r.stepping = true
	changes := r.area.Act(r.commands)
	r.unsaved = true
	r.showChanges(r.tick, changes)
	r.applyChanges(changes)
	r.stepping = false
	if len(r.store.pending) < soon {
		r.flush()
	}
}

// noteBlocks notes which tick tells of the blocks that changed since the last.
func (r *Region) noteBlocks(tick uint64) {
	for i := range r.blocksAt {
		if r.untold>>i&1 == 1 {
			r.blocksAt[i] = tick
		}
	}
	r.untold = 0
}
