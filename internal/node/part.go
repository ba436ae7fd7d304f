package node

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/hall"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// upcall is a message or a link event on its way to a part.
type upcall struct {
	to, from machine.Peer
	m        machine.Message
	link     machine.LinkEvent // not 0: this, not a message
	do       func()            // not nil: this, not a message
}

func (n *Node) push(u upcall) { n.queue = append(n.queue, u) }

// drain delivers what waits until nothing does. What handlers push meanwhile
// comes after it.
func (n *Node) drain() {
	if n.busy {
		return
	}
	n.busy = true
	for i := 0; i < len(n.queue); i++ {
		u := n.queue[i]
		n.queue[i] = upcall{}
		if u.do != nil {
			u.do()
			continue
		}
		n.deliver(u)
	}
	n.queue = n.queue[:0]
	n.busy = false
	if n.net != nil {
		n.net.flush()
	}
	n.checkClosing()
}

func (n *Node) deliver(u upcall) {
	if n.net != nil && n.net.elsewhere(u) {
		return
	}
	if v, ok := u.m.(*hall.Vouched); ok && u.from == region.Hall {
		n.net.onVouched(v)
		return
	}
	if n.decisions.bars(u) {
		return
	}
	if u.to == region.Hall && u.m != nil && !saidBy(u.from, u.m) {
		n.counts.Dropped++
		return
	}
	p := n.hall
	if pos, ok := region.RegionOf(u.to); ok {
		p = n.regions[pos]
		if p == nil && (u.link != 0 || n.answerAsleep(pos, u)) {
			return
		}
		if p == nil {
			if p = n.wake(pos, u.from); p == nil {
				return
			}
		}
	}
	if u.link != 0 {
		p.m.OnLink(u.from, u.link)
	} else {
		n.counts.Messages++
		p.m.OnMessage(u.from, u.m)
	}
	n.after(p)
}

// wake makes the region at pos, nil if it cannot be.
func (n *Node) wake(pos world.RegionPos, who machine.Peer) *part {
	if !inWorld(pos) {
		return nil
	}
	if len(n.awake) >= n.cfg.MaxRegions {
		full := &region.Notice{Region: pos, Code: "full", Text: "This node has too many regions awake to wake another."}
		if _, isPart := partOf(who); !isPart {
			partEnv{&part{node: n}}.Send(who, full)
		}
		return nil
	}
	p := &part{node: n, peer: region.PeerOf(pos), name: region.Space(pos), pos: pos}
	if n.net != nil {
		p.host = n.net.hosts[Part{Region: pos}]
	}
	cfg := n.cfg.Region
	cfg.Pos = pos
	p.m = n.makers.region(cfg, partEnv{p})
	n.regions[pos] = p
	n.awake = append(n.awake, p)
	n.counts.Woken++
	p.m.Start()
	return p
}

// after lets go of a region that has fallen asleep.
func (n *Node) after(p *part) {
	if r, ok := p.m.(Region); !ok || p.gone || !r.Asleep() {
		return
	}
	n.counts.Slept++
	n.letGo(p)
}

// letGo ends a region here.
func (n *Node) letGo(p *part) {
	p.gone = true
	if n.regions[p.pos] == p {
		delete(n.regions, p.pos)
	}
	n.awake = slices.DeleteFunc(n.awake, func(q *part) bool { return q == p })
}

// partEnv is what a part sees of the node.
type partEnv struct{ p *part }

func (e partEnv) Now() machine.Time { return e.p.node.env.Now() }

func (e partEnv) Rand() *rng.Rand { return e.p.node.env.Rand() }

// Send brings a message to another part, or to a session.
func (e partEnv) Send(to machine.Peer, m machine.Message) {
	n := e.p.node
	if e.p.hall && to == (machine.Peer{}) {
		n.fromHall(m)
		return
	}
	if _, ok := region.RegionOf(to); ok {
		n.push(upcall{to: to, from: e.p.peer, m: m})
		return
	}
	if to == region.Hall {
		if saved, ok := m.(*region.Saved); ok && n.closing != nil && saved.Tag == closingTag {
			n.saved(saved.Region, saved.Err)
			return
		}
		if m = toHall(m); m != nil {
			n.push(upcall{to: to, from: e.p.peer, m: m})
		}
		return
	}
	n.counts.Sent++
	switch {
	case n.net == nil:
		n.env.Send(to, m)
	case to.Addr == n.net.tag:
		n.net.told(to.ID, m)
		n.env.Send(machine.Peer{ID: to.ID}, m)
	default:
		n.net.toFar(to, m)
	}
}

// part names what the node runs.
func (p *part) part() Part { return Part{Hall: p.hall, Region: p.pos} }

// Backlog makes partEnv a machine.Backlogger.
func (e partEnv) Backlog(to machine.Peer) (waiting, limit int) {
	n := e.p.node
	if n.net != nil {
		return n.net.backlog(to)
	}
	return machine.Backlog(n.env, to)
}

func (e partEnv) SetTimer(at machine.Time, t machine.Timer) {
	n := e.p.node
	n.env.SetTimer(at, machine.Timer{Kind: timerPart, Arg: n.timers.put(e.p, t)})
}

// Open does nothing: parts do not open links.
func (e partEnv) Open(machine.Peer) {}

// Close ends a session; the other parts hear of it.
func (e partEnv) Close(to machine.Peer) {
	n := e.p.node
	if n.net != nil && to.Addr != n.net.tag {
		n.net.closeFar(to, e.p)
		return
	}
	if n.net != nil {
		to.Addr = machine.Addr{}
	}
	if n.links[to] {
		n.env.Close(to)
		n.unlink(to, machine.LinkClosed, e.p)
	}
}

func (e partEnv) Do(queue string, tag uint64, job machine.Job) {
	n := e.p.node
	if queue != "" {
		queue = e.p.name + "/" + queue
	}
	outer := n.jobs.put(e.p, tag) << 1
	write, writes := job.(machine.DiskWrite)
	if writes {
		n.writes++
		outer |= 1
	}
	read, reads := job.(machine.DiskRead)
	switch h := e.p.host; {
	case h != nil && writes:
		h.rep.Propose(outer, write)
	case h != nil && reads:
		h.rep.Read(outer, read)
	default:
		n.env.Do(queue, outer, job)
	}
}

// timerPart is the kind of all timers that belong to parts; Arg is a slot.
const timerPart = 1

// slots gives numbers to values of parts and takes them back.
type slots[T any] struct {
	values []slot[T]
	free   []uint64
}

type slot[T any] struct {
	part  *part // nil: free
	value T
}

func (s *slots[T]) put(p *part, v T) uint64 {
	if n := len(s.free); n > 0 {
		i := s.free[n-1]
		s.free = s.free[:n-1]
		s.values[i] = slot[T]{p, v}
		return i
	}
	s.values = append(s.values, slot[T]{p, v})
	return uint64(len(s.values) - 1)
}

func (s *slots[T]) take(i uint64) (*part, T, bool) {
	if i >= uint64(len(s.values)) || s.values[i].part == nil {
		var zero T
		return nil, zero, false
	}
	v := s.values[i]
	s.values[i] = slot[T]{}
	s.free = append(s.free, i)
	return v.part, v.value, true
}
