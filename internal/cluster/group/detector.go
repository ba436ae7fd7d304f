package group

import "github.com/voxelpopuli/voxelpopuli/internal/core/machine"

// failureDetector is when each member was last heard.
type failureDetector struct {
	component

	heard map[uint64]machine.Time
	dead  map[uint64]bool // as the owner was told
}

// maxUnknown bounds how many members are remembered that this replica does not
// know: those that were added since are few, and anybody may claim to be one.
const maxUnknown = 16

func (f *failureDetector) reset() {
	f.heard, f.dead = map[uint64]machine.Time{}, map[uint64]bool{}
}

// record notes that a member was heard. It reports false if too many are unknown.
func (f *failureDetector) record(n uint64) bool {
	if _, known := f.heard[n]; !known && len(f.heard) >= len(f.st.Members)+maxUnknown && f.st.find(n) == nil {
		return false
	}
	f.heard[n] = f.now()
	return true
}

// recordChanged treats a member that was added or changed as just heard.
func (f *failureDetector) recordChanged(n uint64) { f.heard[n] = f.now() }

// recordAll treats all other members as just heard: a new leader begins to watch.
func (f *failureDetector) recordAll() {
	for m := range f.st.others() {
		f.heard[m.ID] = f.now()
	}
}

func (f *failureDetector) forget(n uint64) { delete(f.heard, n) }

func (f *failureDetector) isDead(n uint64) bool {
	return f.now().Sub(f.heard[n]) > f.cfg.DeadAfter
}

// update tells the owner when a member dies or returns.
func (f *failureDetector) update() {
	for m := range f.st.others() {
		if dead := f.isDead(m.ID); dead != f.dead[m.ID] {
			f.dead[m.ID] = dead
			f.events.changed()
		}
	}
}
