package sim

import "github.com/voxelpopuli/voxelpopuli/internal/core/machine"

// event is what happens to which machine, but when. Events are used again.
type event struct {
	do    int32 // kind: one of the ev constants
	node  int32 // index of the node it happens to
	life  uint32
	body  any // message, job result or link event
	timer machine.Timer
	from  machine.Peer
}

// due is when something happens, and to which node: a packet comes, or any other
// event. What is due at the same time happens in the order in which it was made
// (seq).
type due struct {
	at   machine.Time
	seq  uint64
	node int32
	what int32 // the number of a packet, or the complement of an event's
}

func (d *due) isPacket() bool { return d.what >= 0 }

func (d *due) before(f *due) bool {
	return d.at < f.at || d.at == f.at && d.seq < f.seq
}

// heap is a 4-ary heap of values: about half the depth of a binary one, and no
// allocation per event.
type heap struct{ a []due }

func (h *heap) push(e due) {
	h.a = append(h.a, e)
	i := len(h.a) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&h.a[parent]) {
			break
		}
		h.a[i] = h.a[parent]
		i = parent
	}
	h.a[i] = e
}

// pop takes the earliest event; the heap must not be empty.
func (h *heap) pop() due {
	top := h.a[0]
	last := len(h.a) - 1
	e := h.a[last]
	h.a = h.a[:last]
	if last > 0 {
		h.down(e)
	}
	return top
}

// down puts e into the hole at the root.
func (h *heap) down(e due) {
	i, n := 0, len(h.a)
	for {
		first := 4*i + 1
		if first >= n {
			break
		}
		least := first
		for c := first + 1; c < min(first+4, n); c++ {
			if h.a[c].before(&h.a[least]) {
				least = c
			}
		}
		if !h.a[least].before(&e) {
			break
		}
		h.a[i] = h.a[least]
		i = least
	}
	h.a[i] = e
}
