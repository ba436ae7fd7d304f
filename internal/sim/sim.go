// Package sim is the deterministic driver of machines: one event queue,
// virtual time, an in-memory disk for each node, links with delay. It drives
// the very code that internal/transport drives on real nodes.
//
//	s := sim.New(seed)
//	n := s.Add(func(env machine.Env) machine.Machine { return ... })
//	c := s.Add(client)
//	ok := s.RunUntil(func() bool { return done }, 10*time.Second)
//
// The network is either simple (a delay, order, nothing else) or the model of
// Schuster's thesis, sections 6.1 and 6.2: see Internet, Clocks, Churn, Bootstrap
// and Traffic. With the latter a node that crashes fails silently.
//
// The same seed and the same calls give the same run, event for event; Trace
// is a hash of it. A node can crash at any point: it loses its memory, its
// links fail, and of the writes that had not been reported as done a random
// prefix is on its disk.
package sim

import (
	"fmt"
	"reflect"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
)

// Config says how the simulated world behaves. Its zero value is the default.
type Config struct {
	// Start is the clock at the beginning.
	Start machine.Time
	// Delay is how long a message travels, Jitter what is drawn on top of it;
	// what is sent over a link still arrives in order. Zero: 1 ms and none.
	Delay, Jitter time.Duration
	// Sync and Read are what a write and a read of the disk take, Compute a
	// Work job that has no Cost. Zero: 2 ms, 500 µs, 1 ms.
	Sync, Read, Compute time.Duration
	// Limit is how many messages may wait for a node that is Paused.
	// Zero: 1024.
	Limit int
	// Internet is a finer model of the network, nil: Delay and Jitter.
	Internet *Internet
}

// Coster is a Work job that knows what it costs.
type Coster interface{ Cost() time.Duration }

func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// Sim is a simulated network.
type Sim struct {
	cfg    Config
	seed   uint64
	now    machine.Time
	seq    uint64
	events agenda
	nodes  []*Node
	byPeer map[machine.Peer]*Node
	heads  map[uint64]bool // first bits of the ids
	rand   rng.Rand
	trace  uint64
	count  uint64
	kinds  map[reflect.Type]uint64

	free    []*event // to be used again
	packets []*packet
	tail    float64 // see latency
	cut     func(a, b machine.Peer) bool
	traffic *Traffic

	foreseen uint32 // see foresee
}

// New returns an empty network with the default configuration.
func New(seed uint64) *Sim { return NewWith(seed, Config{}) }

// NewWith returns an empty network.
func NewWith(seed uint64, cfg Config) *Sim {
	cfg.Delay = or(cfg.Delay, time.Millisecond)
	cfg.Sync = or(cfg.Sync, 2*time.Millisecond)
	cfg.Read = or(cfg.Read, 500*time.Microsecond)
	cfg.Compute = or(cfg.Compute, time.Millisecond)
	cfg.Limit = or(cfg.Limit, 1024)
	return &Sim{
		cfg: cfg, tail: tailOf(cfg.Internet), seed: seed, now: cfg.Start, rand: rng.New(seed, 0x51),
		byPeer: map[machine.Peer]*Node{}, heads: map[uint64]bool{}, kinds: map[reflect.Type]uint64{},
	}
}

// Add adds a node and starts it; its id is drawn from its number.
func (s *Sim) Add(build func(machine.Env) machine.Machine) *Node {
	return s.AddAs(machine.Peer{ID: id.Of(fmt.Appendf(nil, "sim node %d", len(s.nodes)))}, build)
}

// AddAs adds a node that others know as peer.
func (s *Sim) AddAs(peer machine.Peer, build func(machine.Env) machine.Machine) *Node {
	if s.byPeer[peer] != nil {
		panic(fmt.Sprintf("sim: there is a node %s already", peer.ID.Short()))
	}
	if head := peer.ID.Head(); s.heads[head] {
		panic(fmt.Sprintf("sim: the id of a node begins as %s", peer.ID.Short()))
	} else {
		s.heads[head] = true
	}
	n := &Node{
		sim: s, index: int32(len(s.nodes)), peer: peer, name: &peer, build: build,
		Disk: Disk{spaces: map[string]space{}},
	}
	s.nodes = append(s.nodes, n)
	s.byPeer[peer] = n
	n.boot()
	return n
}

// Config is how the simulated world behaves, with its defaults filled in.
func (s *Sim) Config() Config { return s.cfg }

// Now is the virtual clock.
func (s *Sim) Now() machine.Time { return s.now }

// Rand is a generator for the script of a test: same seed, same draws.
func (s *Sim) Rand() *rng.Rand { return &s.rand }

// Trace is a hash of every event so far: its time, node, kind and, for a
// message, its type. Events counts them.
func (s *Sim) Trace() uint64 { return s.trace }

// Events counts the events that machines have handled.
func (s *Sim) Events() uint64 { return s.count }

// Run runs for a while.
func (s *Sim) Run(d time.Duration) { s.RunUntil(func() bool { return false }, d) }

// RunUntil runs until cond holds, which is looked at after every event, or the
// time limit has passed; it reports whether cond holds.
func (s *Sim) RunUntil(cond func() bool, limit time.Duration) bool {
	end := s.now.Add(limit)
	for !cond() {
		if next := s.events.next(); next == nil || next.at > end {
			s.now = max(s.now, end)
			return false
		}
		s.step()
	}
	return true
}

// RunEvents runs at most n events; for stopping at an arbitrary point.
func (s *Sim) RunEvents(n int) {
	for ; n > 0 && s.events.next() != nil; n-- {
		s.step()
	}
}

func (s *Sim) at(t machine.Time, e event) {
	var p *event
	if k := len(s.free); k > 0 {
		p, s.free = s.free[k-1], s.free[:k-1]
	} else {
		p = new(event)
	}
	*p = e
	s.seq++
	s.events.push(due{max(t, s.now), s.seq, p})
}

// step handles the next event.
func (s *Sim) step() {
	s.foresee(s.events.refill())
	d := s.events.take()
	s.now = d.at
	e := *d.e
	*d.e = event{} // lets go of what it points to
	s.free = append(s.free, d.e)
	if e.do == evScript {
		e.body.(func())()
		return
	}
	n := s.nodes[e.node]
	switch {
	case n.frozen:
		n.stopped = append(n.stopped, e)
	case e.do == evPacket: // even a node that is down answers
		p := e.body.(*packet)
		e.timer, e.body = machine.Timer{Kind: uint16(p.kind), Gen: p.seq}, p.body
		s.note(&e)
		n.onPacket(p)
	case e.life != n.life || n.m == nil:
		// meant for an earlier life of this node
	case n.paused && e.do == evMessage:
		n.held = append(n.held, e)
	default:
		s.note(&e)
		n.handle(&e)
	}
}

// note adds an event to the trace.
func (s *Sim) note(e *event) {
	s.count++
	s.trace = rng.Hash(s.trace, uint64(s.now), uint64(e.node)<<32|uint64(e.do),
		uint64(e.timer.Kind), uint64(e.timer.Gen), e.timer.Arg, s.kind(e.body))
}

// kind numbers the types of messages by their names.
func (s *Sim) kind(v any) uint64 {
	if v == nil {
		return 0
	}
	t := reflect.TypeOf(v)
	k, ok := s.kinds[t]
	if !ok {
		for _, c := range []byte(t.String()) {
			k = rng.Hash(k, uint64(c))
		}
		s.kinds[t] = k
	}
	return k
}
