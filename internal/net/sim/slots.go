package sim

import (
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// slotsAhead is how many slots there are, blockLen what a block of one holds.
const (
	slotsAhead = 1024
	blockLen   = 128
)

// agenda is what is due, in slots of time as long as a window (see turn): what is
// put into a slot is only appended, to be put in order when its time has come.
// What is due later than the slots reach waits in a heap. Without windows all of
// it is in the heap. (A calendar queue; Brown 1988.)
type agenda struct {
	width   machine.Time // of a slot; 0: no windows
	slot    int64        // the number of the present slot
	count   int          // of what is in slots
	slots   [slotsAhead]*block
	later   heap
	scripts heap   // with windows: what happens to no node
	free    *block // to be used again
}

// block is a part of what is due in a slot.
type block struct {
	next *block
	n    int
	list [blockLen]due
}

// end is when the present slot ends.
func (a *agenda) end() machine.Time { return machine.Time(a.slot+1) * a.width }

// push adds what is due in the present slot or later.
func (a *agenda) push(d due) {
	k := int64(math.MaxInt64)
	switch {
	case a.width > 0 && d.node < 0:
		a.scripts.push(d)
		return
	case a.width > 0:
		k = int64(d.at / a.width)
	}
	if k >= a.slot+slotsAhead {
		a.later.push(d)
		return
	}
	first := &a.slots[k%slotsAhead]
	if *first == nil || (*first).n == blockLen {
		b := a.free
		if b == nil {
			b = &block{}
		} else {
			a.free = b.next
		}
		b.next, *first = *first, b
	}
	b := *first
	b.list[b.n] = d
	b.n++
	a.count++
}

// take appends what is due in the present slot before a bound to list.
func (a *agenda) take(list []due, bound *due) []due {
	first := &a.slots[a.slot%slotsAhead]
	b := *first
	*first = nil
	for b != nil {
		for i := range b.n {
			d := b.list[i]
			a.count--
			if d.before(bound) {
				list = append(list, d)
			} else {
				a.push(d)
			}
		}
		next := b.next
		b.n, b.next, a.free = 0, a.free, b
		b = next
	}
	return list
}

// advance goes on to a slot: the next, or a later one if all between are empty.
func (a *agenda) advance(to int64) {
	a.slot = to
	for len(a.later.a) > 0 && int64(a.later.a[0].at/a.width) < a.slot+slotsAhead {
		a.push(a.later.pop())
	}
}

// nextSlot returns the number of the first slot in which anything is due, at most
// limit.
func (a *agenda) nextSlot(limit int64) int64 {
	if a.count == 0 {
		if len(a.later.a) == 0 {
			return limit
		}
		return min(limit, int64(a.later.a[0].at/a.width))
	}
	k := a.slot
	for k < limit && a.slots[k%slotsAhead] == nil {
		k++
	}
	return k
}
