package sim

import (
	"math"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// Node is one simulated node: a machine, its disk, its links.
type Node struct {
	// What every message needs comes first, side by side.
	sim    *Sim
	m      machine.Machine // nil: crashed
	index  int32
	life   uint32 // raised by a crash: older events are void
	paused bool
	frozen bool
	// With the Internet model:
	up, down channel
	draw     rng.Rand       // of latencies
	conns    id.Table[conn] // by the first bits of the far end's id
	peer     machine.Peer
	clock    clock
	rand     rng.Rand
	order    []*conn // as conns, in the order they were made

	Disk    Disk
	name    *machine.Peer // a copy of peer that is frozen
	build   func(machine.Env) machine.Machine
	links   map[machine.Peer]*link
	queues  map[string]*queue
	held    []event // messages that wait while paused
	stopped []due   // what waits while frozen
}

const (
	evMessage = iota + 1
	evTimer
	evLink
	evDone
	evCall
	evPacket
	evPing
	evLoose  // a datagram in the simple model
	evScript // happens to no node
)

// Peer is how others know the node.
func (n *Node) Peer() machine.Peer { return n.peer }

// Machine is what the node runs, nil while it is down.
func (n *Node) Machine() machine.Machine { return n.m }

// Call runs fn as a handler of the node, now: for what is no message.
func (n *Node) Call(fn func()) {
	n.sim.at(n.sim.now, event{do: evCall, node: n.index, life: n.life, body: fn})
}

// Pause lets messages wait (a reader that does not read); other nodes see it by
// their backlog. Resume lets them arrive.
func (n *Node) Pause() { n.paused = true }

// Resume ends Pause.
func (n *Node) Resume() {
	n.paused = false
	for _, e := range n.held {
		n.sim.at(n.sim.now, e)
	}
	n.held = nil
}

// Crash ends the node at once, as kill -9 or a power cut does. In the simple
// model its links fail at once, in the Internet model nobody hears of it before
// something is sent to the node.
func (n *Node) Crash() {
	if n.m == nil {
		return
	}
	n.crashDisk()
	for _, peer := range sortedPeers(n.links) {
		n.dropLink(peer, machine.LinkFailed)
	}
	n.end()
}

// Restart starts the node again, with what is on its disk.
func (n *Node) Restart() {
	n.Crash()
	n.boot()
}

// Move gives a node that is down another address: others reach nobody at the
// one it had.
func (n *Node) Move(to machine.Addr) {
	if n.m != nil {
		panic("sim: a node that runs cannot move")
	}
	s := n.sim
	s.byPeer[n.peer] = &Node{sim: s, index: n.index, peer: n.peer, life: math.MaxUint32, links: map[machine.Peer]*link{}}
	n.peer.Addr = to
	n.name = &machine.Peer{ID: n.peer.ID, Addr: to}
	s.byPeer[n.peer] = n
}

func (n *Node) boot() {
	n.links = map[machine.Peer]*link{}
	n.queues = map[string]*queue{}
	n.paused = false
	n.rand = rng.New(n.sim.seed, uint64(n.index), uint64(n.life))
	n.conns, n.order = id.Table[conn]{}, nil
	if in := n.sim.cfg.Internet; in != nil {
		if in.Clocks != nil {
			n.clock = newClock(in.Clocks, n.sim.now, rng.New(n.sim.seed, uint64(n.index), uint64(n.life), 0xc10c))
		}
		if in.Ping > 0 {
			first := time.Duration(n.sim.rand.Intn(int(in.Ping)))
			n.sim.at(n.sim.now.Add(first), event{do: evPing, node: n.index, life: n.life})
		}
	}
	n.m = n.build(env{n})
	n.Call(n.m.Start)
}

func (n *Node) handle(e *event) {
	switch e.do {
	case evMessage:
		if l := n.links[e.from]; l != nil && l.gen == e.timer.Arg {
			l.waiting--
			n.m.OnMessage(e.from, e.body)
		}
	case evTimer:
		n.m.OnTimer(e.timer)
	case evLink:
		n.onLink(e)
	case evDone:
		n.finishJob(e)
	case evCall:
		e.body.(func())()
	case evLoose:
		n.m.OnMessage(e.from, e.body)
	case evPing:
		n.pingAll()
	}
}

// env is what a node's machine sees.
type env struct{ n *Node }

func (e env) Now() machine.Time {
	if e.n.clock.cfg != nil {
		return e.n.clock.read(e.n.sim.now)
	}
	return e.n.sim.now
}

func (e env) Rand() *rng.Rand { return &e.n.rand }

func (e env) SetTimer(at machine.Time, t machine.Timer) {
	if e.n.clock.cfg != nil {
		at = e.n.sim.now.Add(e.n.clock.trueTime(at.Sub(e.Now())))
	}
	e.n.sim.at(at, event{do: evTimer, node: e.n.index, life: e.n.life, timer: t})
}

func (e env) Send(to machine.Peer, m machine.Message) {
	if carry := e.n.sim.cfg.Carry; carry != nil && !to.Addr.IsZero() && !e.n.peer.Addr.IsZero() {
		m = carry(m)
	}
	_, loose := m.(machine.Datagram)
	switch simple := e.n.sim.cfg.Internet == nil; {
	case loose:
		e.n.sendDatagram(to, m)
	case simple:
		e.n.send(to, m)
	default:
		e.n.sendOver(to, m)
	}
}

func (e env) Open(to machine.Peer) {
	if e.n.sim.cfg.Internet == nil {
		e.n.open(to)
		return
	}
	e.n.connect(to)
}

func (e env) Close(to machine.Peer) {
	if e.n.sim.cfg.Internet == nil {
		e.n.dropLink(to, machine.LinkClosed)
		return
	}
	e.n.disconnect(to)
}

func (e env) Do(queue string, tag uint64, job machine.Job) { e.n.do(queue, tag, job) }

// Backlog makes env a machine.Backlogger.
func (e env) Backlog(to machine.Peer) (waiting, limit int) {
	far := e.n.sim.byPeer[to]
	if far == nil || far.links[e.n.peer] == nil {
		return 0, 0
	}
	return far.links[e.n.peer].waiting, e.n.sim.cfg.Limit
}

func (s *Sim) delay() time.Duration {
	d := s.cfg.Delay
	if s.cfg.Jitter > 0 {
		d += time.Duration(s.rand.Intn(int(s.cfg.Jitter)))
	}
	return d
}
