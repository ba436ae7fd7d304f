// Package sim is the deterministic driver of machines: one event queue,
// virtual time, an in-memory disk for each node, links with delay. It drives
// the very code that internal/net/transport drives on real nodes.
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
// With the latter, too, events are handled in windows, node by node; see turn.
//
// The same seed and the same calls give the same run, event for event; Trace
// is a hash of it. A node can crash at any point: it loses its memory, its
// links fail, and of the writes that had not been reported as done a random
// prefix is on its disk.
package sim

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
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
	// Carry gives what arrives at other nodes of a message, such as what a codec
	// reads of what it has written; nil: itself. A machine whose address is zero is
	// in a node's process, as sessions are, and is told and tells as it is.
	Carry func(machine.Message) machine.Message
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
	turn   turn
	nodes  []*Node
	byPeer map[machine.Peer]*Node
	heads  map[uint64]bool // first bits of the ids
	rand   rng.Rand
	trace  uint64
	count  uint64
	steps  uint64
	kinds  map[reflect.Type]uint64

	made    arena[event]
	packets arena[packet]
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
	s := &Sim{
		cfg: cfg, tail: tailOf(cfg.Internet), seed: seed, now: cfg.Start, rand: rng.New(seed, 0x51),
		byPeer: map[machine.Peer]*Node{}, heads: map[uint64]bool{}, kinds: map[reflect.Type]uint64{},
		turn: turn{node: -1},
	}
	if in := cfg.Internet; in != nil && in.Min >= leastWindow {
		s.events.width = machine.Time(in.Min)
		s.events.slot = int64(s.now / s.events.width)
	}
	return s
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
		draw: rng.New(s.seed, uint64(len(s.nodes)), 0x1a7),
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
// message, its type.
func (s *Sim) Trace() uint64 { return s.trace }

// Events counts the events that machines have handled.
func (s *Sim) Events() uint64 { return s.count }

// Run runs for a while.
func (s *Sim) Run(d time.Duration) { s.RunUntil(func() bool { return false }, d) }

// RunUntil runs until cond holds, which is looked at after every event (with
// windows after each), or the time limit has passed; it reports whether cond
// holds.
func (s *Sim) RunUntil(cond func() bool, limit time.Duration) bool {
	end := s.now.Add(limit)
	for !cond() {
		if !s.step(end) {
			s.now = max(s.now, end)
			return false
		}
	}
	return true
}

// RunEvents runs n events or, with windows, a few more, for stopping at an
// arbitrary point.
func (s *Sim) RunEvents(n int) {
	for last := s.steps + uint64(n); s.steps < last && s.step(math.MaxInt64); {
	}
}

// step handles the next event up to a time, or the next window; false: there is
// none.
func (s *Sim) step(end machine.Time) bool {
	if s.events.width > 0 {
		return s.window(end)
	}
	later := &s.events.later
	if len(later.a) == 0 || later.a[0].at > end {
		return false
	}
	s.happen(later.pop())
	return true
}

// at makes an event happen at a time.
func (s *Sim) at(t machine.Time, e event) {
	i := s.made.take()
	*s.made.at(i) = e
	s.add(due{at: t, node: e.node, what: ^i})
}

// happen is an event.
func (s *Sim) happen(d due) {
	s.steps++
	s.now = d.at
	switch {
	case d.node >= 0 && s.nodes[d.node].frozen:
		n := s.nodes[d.node]
		n.stopped = append(n.stopped, d)
	case d.isPacket():
		p := s.packets.at(d.what)
		s.note(d.node, evPacket, machine.Timer{Kind: uint16(p.kind), Gen: p.seq}, p.body)
		s.nodes[d.node].onPacket(p) // even a node that is down answers
	default:
		e := *s.made.at(^d.what)
		s.made.put(^d.what)
		s.handle(&e)
	}
}

func (s *Sim) handle(e *event) {
	if e.do == evScript {
		e.body.(func())()
		return
	}
	switch n := s.nodes[e.node]; {
	case e.life != n.life || n.m == nil:
		// meant for an earlier life of this node
	case n.paused && e.do == evMessage:
		n.held = append(n.held, *e)
	default:
		s.note(e.node, e.do, e.timer, e.body)
		n.handle(e)
	}
}

// note adds an event to the trace.
func (s *Sim) note(node, do int32, timer machine.Timer, body any) {
	s.count++
	s.trace = rng.Hash(s.trace, uint64(s.now), uint64(node)<<32|uint64(do),
		uint64(timer.Kind), uint64(timer.Gen), timer.Arg, s.kind(body))
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
