package world

import (
	"cmp"
	"slices"
)

// maxUpdates bounds the scheduled block ticks of a region. What comes on top is
// forgotten; the block is looked at again when something beside it changes.
const maxUpdates = 1 << 16

// updates are the scheduled block ticks: a heap by (due, place), at most one for
// each place. The order of scheduling does not matter.
type updates struct {
	heap []blockUpdate
	due  map[Pos]uint64 // of the update that counts; older ones in the heap are stale
}

type blockUpdate struct {
	due uint64
	at  Pos
}

func newUpdates() updates { return updates{due: map[Pos]uint64{}} }

func (u blockUpdate) compare(v blockUpdate) int {
	return cmp.Or(cmp.Compare(u.due, v.due), u.at.compare(v.at))
}

// add schedules a place, unless it is scheduled earlier already.
func (u *updates) add(at Pos, due uint64) {
	have, ok := u.due[at]
	if ok && have <= due || !ok && len(u.due) >= maxUpdates {
		return
	}
	if len(u.heap) >= 2*maxUpdates { // most are stale
		u.heap = u.sorted() // is a heap
	}
	u.due[at] = due
	u.heap = append(u.heap, blockUpdate{due, at})
	for i := len(u.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if u.heap[up].compare(u.heap[i]) <= 0 {
			return
		}
		u.heap[up], u.heap[i] = u.heap[i], u.heap[up]
		i = up
	}
}

// next takes out the first place that is due.
func (u *updates) next(now uint64) (at Pos, ok bool) {
	for len(u.heap) > 0 && u.heap[0].due <= now {
		first := u.heap[0]
		u.pop()
		if u.due[first.at] == first.due {
			delete(u.due, first.at)
			return first.at, true
		}
	}
	return Pos{}, false
}

func (u *updates) pop() {
	last := len(u.heap) - 1
	u.heap[0] = u.heap[last]
	u.heap = u.heap[:last]
	for i := 0; ; {
		least := i
		for _, c := range [2]int{2*i + 1, 2*i + 2} {
			if c < last && u.heap[c].compare(u.heap[least]) < 0 {
				least = c
			}
		}
		if least == i {
			return
		}
		u.heap[i], u.heap[least] = u.heap[least], u.heap[i]
		i = least
	}
}

// sorted returns the updates that count, in order.
func (u *updates) sorted() []blockUpdate {
	out := make([]blockUpdate, 0, len(u.due))
	for _, one := range u.heap {
		if u.due[one.at] == one.due {
			out = append(out, one)
		}
	}
	slices.SortFunc(out, blockUpdate.compare)
	return slices.Compact(out)
}
