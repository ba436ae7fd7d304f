package sim

// ahead is how many events are taken from the heap at a time.
const ahead = 16

// agenda is the events to come. The next few of them stand on a runway beside the
// heap, so that what they need can be fetched from memory for all of them at once
// (Sim.foresee); what is pushed meanwhile and comes before them comes first.
type agenda struct {
	heap
	runway   [ahead]due
	from, to int // of the runway: those that have not taken off
}

// next returns the earliest event, which it leaves there; nil: none.
func (a *agenda) next() *due {
	switch {
	case a.from == a.to && len(a.heap.a) == 0:
		return nil
	case a.from == a.to || len(a.heap.a) > 0 && a.heap.a[0].before(&a.runway[a.from]):
		return &a.heap.a[0]
	}
	return &a.runway[a.from]
}

// take takes the earliest event; there must be one.
func (a *agenda) take() due {
	if a.from == a.to || len(a.heap.a) > 0 && a.heap.a[0].before(&a.runway[a.from]) {
		return a.pop()
	}
	a.from++
	return a.runway[a.from-1]
}

// refill takes the next events from the heap, if the runway is empty, and
// returns them.
func (a *agenda) refill() []due {
	if a.from < a.to {
		return nil
	}
	a.from, a.to = 0, min(ahead, len(a.heap.a))
	for i := range a.to {
		a.runway[i] = a.pop()
	}
	return a.runway[:a.to]
}

// foresee reads what the next events will need. Each of them alone would wait
// for memory again and again, for with a thousand nodes hardly anything is in the
// cache: event, packet, link, node, machine. In loops that do not depend on each
// other the processor waits for all of them together. What is read is added up
// so that it is read indeed; it changes nothing.
func (s *Sim) foresee(list []due) {
	var sum uint32
	for i := range list {
		sum += uint32(list[i].e.do)
	}
	for i := range list {
		e := list[i].e
		if p, ok := e.body.(*packet); ok {
			sum += uint32(p.kind)
		}
		if e.do != evScript {
			n := s.nodes[e.node]
			sum += n.life + uint32(n.down.free) + uint32(n.conns.Len()) + uint32(n.clock.at)
		}
	}
	for i := range list {
		if p, ok := list[i].e.body.(*packet); ok && p.conn != nil {
			sum += p.conn.ends[0].got // a link is one line
		}
	}
	s.foreseen += sum
}
