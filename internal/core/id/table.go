package id

// Table finds pointers by the first 64 bits of ids. Ids are hashes already, so
// it takes one multiplication and, nearly always, one place in memory to look:
// what a node does most is to look up the peers of messages, and with a thousand
// simulated nodes none of what it touches is in the cache. Two ids that begin
// alike are the caller's concern. The zero Table is empty.
type Table[V any] struct {
	slots []slot[V] // a power of two, at most half of them taken
	shift uint8     // of the product of which a slot is the upper bits
	taken int
}

type slot[V any] struct {
	head  uint64
	value *V // nil: free
}

// spread makes ids that differ in their lower bits only, as in tests, begin at
// different slots (2^64 divided by the golden ratio).
const spread = 0x9e3779b97f4a7c15

const fewest = 16 // slots

func (t *Table[V]) start(head uint64) int { return int(head * spread >> t.shift) }

// Len is how many there are.
func (t *Table[V]) Len() int { return t.taken }

// Get returns what was put for a head, nil if nothing was.
func (t *Table[V]) Get(head uint64) *V {
	if t.taken == 0 {
		return nil
	}
	for i := t.start(head); ; i++ {
		s := &t.slots[i&(len(t.slots)-1)]
		if s.head == head || s.value == nil {
			return s.value
		}
	}
}

// Put puts a value in the place of what there was for the head. It must not be
// nil.
func (t *Table[V]) Put(head uint64, value *V) {
	if 2*(t.taken+1) > len(t.slots) {
		t.grow()
	}
	for i := t.start(head); ; i++ {
		s := &t.slots[i&(len(t.slots)-1)]
		if s.value == nil {
			t.taken++
		} else if s.head != head {
			continue
		}
		*s = slot[V]{head, value}
		return
	}
}

func (t *Table[V]) grow() {
	old := t.slots
	size := max(fewest, 2*len(old))
	t.slots, t.taken, t.shift = make([]slot[V], size), 0, 64
	for ; size > 1; size /= 2 {
		t.shift--
	}
	for _, s := range old {
		if s.value != nil {
			t.Put(s.head, s.value)
		}
	}
}

// Delete takes out what there is for a head. Those behind that could not be
// where they should begin move up, so that no gap hides them.
func (t *Table[V]) Delete(head uint64) {
	if t.Get(head) == nil {
		return
	}
	mask := len(t.slots) - 1
	gap := t.start(head) & mask
	for t.slots[gap].head != head {
		gap = (gap + 1) & mask
	}
	for i := (gap + 1) & mask; t.slots[i].value != nil; i = (i + 1) & mask {
		if from := t.start(t.slots[i].head); (i-from)&mask >= (i-gap)&mask {
			t.slots[gap] = t.slots[i]
			gap = i
		}
	}
	t.slots[gap] = slot[V]{}
	t.taken--
}
