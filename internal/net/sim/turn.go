package sim

import (
	"math"
	"time"
	"unsafe"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// leastWindow is the shortest least latency for which there are windows: in a
// shorter one hardly two events happen to the same node.
const leastWindow = 5 * time.Millisecond

// turn is the present window. Whatever a node sends takes the least latency or
// longer (Internet.Min). So within a window that is no longer than that nothing
// that happens to one node can come of what happens to another in it, and all
// that happens to one node is done before the next has its turn: a node's memory
// is fetched once for all of it. (Conservative synchronisation with lookahead, as
// parallel simulators have it, for the sake of caches instead of processors.)
//
// Scripts (Sim.At) see all nodes at their time: a window ends before the next.
type turn struct {
	bound due   // what is due from here on is not in the window
	node  int32 // whose turn it is, -1: nobody's
	list  []due // what is due for it, in order
	own   heap  // what has become due for it meanwhile

	all   []due   // in the window
	next  []int32 // of all: the next one of the same node, -1: none
	ends  []ends  // by node
	nodes []int32 // that have any
	run   []due
}

// ends are the first and the last of what is due for a node.
type ends struct{ first, last int32 }

// window handles the next window that has anything, or script, up to a time;
// false: there is none.
func (s *Sim) window(end machine.Time) bool {
	a, t := &s.events, &s.turn
	for {
		if a.count == 0 && len(a.later.a) == 0 && len(a.scripts.a) == 0 {
			return false
		}
		limit := int64(end / a.width)
		if len(a.scripts.a) > 0 {
			limit = min(limit, int64(a.scripts.a[0].at/a.width))
		}
		if k := a.nextSlot(limit); k > a.slot {
			a.advance(k)
		}
		t.bound = due{at: a.end()}
		if last := (due{at: end, seq: math.MaxUint64}); last.before(&t.bound) {
			t.bound = last
		}
		script := len(a.scripts.a) > 0 && a.scripts.a[0].before(&t.bound)
		if script {
			t.bound = a.scripts.a[0]
		}
		t.all = a.take(t.all[:0], &t.bound)
		s.takeTurns()
		switch some := len(t.all) > 0; {
		case script:
			s.now = max(s.now, t.bound.at)
			s.happen(a.scripts.pop())
			return true
		case t.bound.seq == math.MaxUint64:
			return some
		default:
			s.now = t.bound.at
			a.advance(a.slot + 1)
			if some {
				return true
			}
		}
	}
}

// takeTurns lets the nodes have their turns, in the order in which something
// became due for them.
func (s *Sim) takeTurns() {
	t := &s.turn
	t.next, t.nodes = t.next[:0], t.nodes[:0]
	for len(t.ends) < len(s.nodes) {
		t.ends = append(t.ends, ends{-1, -1})
	}
	for i := range t.all {
		e := &t.ends[t.all[i].node]
		if e.first < 0 {
			e.first = int32(i)
			t.nodes = append(t.nodes, t.all[i].node)
		} else {
			t.next[e.last] = int32(i)
		}
		e.last = int32(i)
		t.next = append(t.next, -1)
	}
	for _, node := range t.nodes {
		t.run = t.run[:0]
		for i := t.ends[node].first; i >= 0; i = t.next[i] {
			t.run = append(t.run, t.all[i])
			for j := len(t.run) - 1; j > 0 && t.run[j].before(&t.run[j-1]); j-- {
				t.run[j], t.run[j-1] = t.run[j-1], t.run[j]
			}
		}
		t.ends[node] = ends{-1, -1}
		s.takeTurn(node)
	}
	t.node = -1
}

func (s *Sim) takeTurn(node int32) {
	t := &s.turn
	t.node, t.list = node, t.run
	s.foresee(t.list)
	for {
		switch d := t.peek(); {
		case d == nil:
			return
		case len(t.list) > 0 && d == &t.list[0]:
			t.list = t.list[1:]
			s.happen(*d)
		default:
			s.happen(t.own.pop())
		}
	}
}

// peek is what happens next to the node whose turn it is, nil: nothing.
func (t *turn) peek() *due {
	switch {
	case len(t.list) == 0 && len(t.own.a) == 0:
		return nil
	case len(t.list) == 0 || len(t.own.a) > 0 && t.own.a[0].before(&t.list[0]):
		return &t.own.a[0]
	}
	return &t.list[0]
}

// quiet reports whether nothing else that may matter happens until a time.
func (s *Sim) quiet(until machine.Time) bool {
	if s.events.width == 0 {
		next := s.events.later.a
		return len(next) == 0 || next[0].at >= until
	}
	next := s.turn.peek()
	return until < s.turn.bound.at && (next == nil || next.at >= until)
}

// add adds what is due. What a node's turn makes due for another within the
// window (which no message can) happens at its end.
func (s *Sim) add(d due) {
	s.seq++
	d.at, d.seq = max(d.at, s.now), s.seq
	if t := &s.turn; t.node >= 0 && d.before(&t.bound) {
		if d.node == t.node {
			t.own.push(d)
			return
		}
		d.at = t.bound.at
	}
	s.events.push(d)
}

// foresee reads what a node's turn will need and no other turn had fetched: what
// came, the links it came over, the messages' beginnings. In loops that do not
// depend on each other the processor waits for all of it together. What is read
// is added up so that it is read indeed; it changes nothing.
func (s *Sim) foresee(list []due) {
	var sum uint32
	for i := range list {
		if d := &list[i]; d.isPacket() {
			sum += uint32(s.packets.at(d.what).kind)
		} else {
			sum += uint32(s.made.at(^d.what).do)
		}
	}
	for i := range list {
		if d := &list[i]; d.isPacket() {
			p := s.packets.at(d.what)
			if p.conn != nil {
				sum += p.conn.ends[0].got // a link is one line
			}
			if p.body != nil { // a message of a type that only its receiver knows
				value := (*[2]unsafe.Pointer)(unsafe.Pointer(&p.body))[1]
				sum += uint32(*(*byte)(value))
			}
		}
	}
	s.foreseen += sum
}
