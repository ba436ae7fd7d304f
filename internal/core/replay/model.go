package replay

import "github.com/voxelpopuli/voxelpopuli/internal/core/machine"

// Event is an action, or what follows from one, and when it happens. It is
// never written to.
type Event[E any] struct {
	At   machine.Time
	What E
}

// Model is a world: how a state of type S changes with time and with events of
// type E. Its methods must depend on nothing but their arguments. Those that
// take a state own it and return what it has become, which may be the same.
type Model[S, E any] interface {
	// Clone returns a state that can be changed without changing s. For states
	// that are never written to it is s itself.
	Clone(s S) S
	// Start plans the events that follow from the state alone: the next decision
	// of an AI, the next look for collisions.
	Start(s S, at machine.Time, plan *Plan[E])
	// Move brings what changes all the time, like the position of what moves,
	// from one time to a later one.
	Move(s S, from, to machine.Time) S
	// Run does an event. The state has been moved to its time.
	Run(s S, e Event[E], plan *Plan[E]) S
	// Compare orders actions of the same time, whoever learns of them in
	// whatever order. Those that compare equal are one action, told twice.
	Compare(a, b E) int
}

// Plan holds the derived events that are still to come. They run in the order
// of their times; those of one time after the actions of that time, in the
// order in which they were planned.
type Plan[E any] struct {
	heap  []planned[E]
	now   machine.Time
	count uint64 // planned ever
}

type planned[E any] struct {
	seq uint64
	e   Event[E]
}

func (p *planned[E]) before(q *planned[E]) bool {
	return p.e.At < q.e.At || p.e.At == q.e.At && p.seq < q.seq
}

// Add plans a derived event. What should have been before now is now.
func (p *Plan[E]) Add(at machine.Time, what E) {
	p.count++
	add := planned[E]{p.count, Event[E]{max(at, p.now), what}}
	p.heap = append(p.heap, add)
	i := len(p.heap) - 1
	for ; i > 0 && add.before(&p.heap[(i-1)/2]); i = (i - 1) / 2 {
		p.heap[i] = p.heap[(i-1)/2]
	}
	p.heap[i] = add
}

// pop takes the first event; there must be one.
func (p *Plan[E]) pop() Event[E] {
	first, last := p.heap[0].e, len(p.heap)-1
	down := p.heap[last]
	p.heap[last] = planned[E]{} // lets go of what it points to
	p.heap = p.heap[:last]
	for i := 0; i < last; {
		child := 2*i + 1
		if child+1 < last && p.heap[child+1].before(&p.heap[child]) {
			child++
		}
		if child >= last || !p.heap[child].before(&down) {
			p.heap[i] = down
			break
		}
		p.heap[i] = p.heap[child]
		i = child
	}
	return first
}
