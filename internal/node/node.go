// Package node composes the machines of one node into one machine: the hall
// and the regions that are awake. A driver sees only the node. It is pure, so
// the simulator runs it as the transport does (docs/architecture.md "One
// node").
//
// A message from a session goes to the region that a region.To names, anything
// else to the hall. Parts speak to each other by Env.Send with logical peers;
// such messages wait in a queue that is drained after the handler returns, so
// that no part is ever re-entered. The first message for a region wakes it,
// and one that has fallen asleep is let go of.
//
// Invariants:
//   - one region.Region at a time for each position;
//   - timers and jobs of a region that was let go of come to nobody;
//   - parts never see a peer from outside that looks like a part.
package node

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/hall"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
	"github.com/voxelpopuli/voxelpopuli/internal/timing"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Config is the world that a node hosts.
type Config struct {
	Hall   hall.Config
	Region region.Config // of every region; the node fills in Pos
	// MaxRegions is how many regions may be awake; 0: DefaultMaxRegions. More
	// are refused, so that nobody fills the memory by looking far around.
	MaxRegions int
	// Clock measures how long ticks take; nil: nothing is measured. What it
	// says decides nothing.
	Clock func() time.Duration
	// Decisions is the world's access control list, empty; the node fills it from
	// its disk and from other nodes. nil: nobody is an operator.
	Decisions *decision.Log
	// Sign signs a decision with the founder's key; nil: this is not the founder's
	// node.
	Sign func(*decision.Statement)
	// Net makes the node one of many; nil: it is the world's only one.
	Net *Net
}

// DefaultMaxRegions is a square of 64 regions to each side: 8 km.
const DefaultMaxRegions = 4096

// Region is a machine that says when it may be let go of. *region.Region is one.
type Region interface {
	machine.Machine
	Asleep() bool
}

// Node is the machine.
type Node struct {
	env     machine.Env
	cfg     Config
	makers  makers
	hall    *part    // nil: led elsewhere
	net     *network // nil: the only node
	regions map[world.RegionPos]*part
	awake   []*part // the same in order of waking: order never comes from a map
	links   map[machine.Peer]bool
	queue   []upcall
	busy    bool // the queue is being drained
	timers  slots[machine.Timer]
	jobs    slots[uint64]
	writes  int // disk writes on their way
	closing *closing

	decisions *decisions
	counts    Counts
}

// makers make the parts; tests put others in.
type makers struct {
	hall   func(machine.Env, hall.Config) machine.Machine
	region func(region.Config, machine.Env) Region
}

// part is the hall or a region, with what the node knows of it.
type part struct {
	node *Node
	m    machine.Machine
	peer machine.Peer // logical
	name string       // of its job queues
	pos  world.RegionPos
	hall bool
	host *hosted       // keeps its space on several nodes; nil: the disk here
	gone bool          // let go of
	took timing.Window // its timers: the ticks of a region
}

// New returns a node for cfg's world; nothing happens before Start.
func New(cfg Config, env machine.Env) *Node {
	return newNode(cfg, env, makers{
		hall:   func(env machine.Env, c hall.Config) machine.Machine { return hall.New(env, c) },
		region: func(c region.Config, env machine.Env) Region { return region.New(c, env) },
	})
}

func newNode(cfg Config, env machine.Env, mk makers) *Node {
	if cfg.MaxRegions <= 0 {
		cfg.MaxRegions = DefaultMaxRegions
	}
	n := &Node{
		env: env, cfg: cfg, makers: mk,
		regions: map[world.RegionPos]*part{}, links: map[machine.Peer]bool{},
	}
	n.decisions = newDecisions(n)
	if cfg.Net != nil {
		n.net = newNetwork(n, *cfg.Net)
	}
	return n
}

// Start implements machine.Machine.
func (n *Node) Start() {
	n.decisions.Start()
	if n.net != nil {
		n.net.start()
	} else {
		n.startHall()
	}
	n.drain()
}

func (n *Node) startHall() {
	n.hall = &part{node: n, peer: region.Hall, name: "hall", hall: true}
	if n.net != nil {
		n.hall.host = n.net.hosts[theHall]
	}
	n.hall.m = n.makers.hall(partEnv{n.hall}, n.cfg.Hall)
	n.hall.m.Start()
}

// isFar reports whether a peer is another node.
func (n *Node) isFar(p machine.Peer) bool { return n.net != nil && p.Addr != machine.Addr{} }

// OnMessage implements machine.Machine: a session or another node says
// something.
func (n *Node) OnMessage(from machine.Peer, m machine.Message) {
	n.begin()
	if n.isFar(from) {
		n.net.receive(from, m)
		n.drain()
		return
	}
	if !n.links[from] || n.closing != nil {
		return
	}
	if !n.decisions.admits(from, m) {
		n.drain()
		return
	}
	part := theHall
	if to, ok := m.(*region.To); ok {
		part, m = Part{Region: to.Region}, to.Msg
	}
	n.decisions.hear(m)
	if n.net != nil {
		n.net.fromSession(from.ID, part, m)
	} else {
		n.push(upcall{to: part.peer(), from: from, m: m})
	}
	n.drain()
}

// Answer implements machine.Answerer: where something is anybody may ask.
func (n *Node) Answer(q machine.Question) machine.Message {
	if n.net == nil || n.closing != nil {
		return nil
	}
	return n.net.dir.kad.Answer(q)
}

// OnTimer implements machine.Machine: a part's timer is due.
func (n *Node) OnTimer(t machine.Timer) {
	n.begin()
	if t.Kind == timerNetwork {
		n.net.onBeat()
		n.drain()
		return
	}
	p, inner, ok := n.timers.take(t.Arg)
	if !ok || p.gone {
		return
	}
	p.onTimer(inner)
	n.after(p)
	n.drain()
}

// onTimer runs a timer and measures it.
func (p *part) onTimer(t machine.Timer) {
	clock := p.node.cfg.Clock
	if clock == nil {
		p.m.OnTimer(t)
		return
	}
	start := clock()
	p.m.OnTimer(t)
	end := clock()
	p.took.Add(end, end-start)
}

// OnLink implements machine.Machine: a session comes or goes. All regions hear
// of its end, for it may watch any of them.
func (n *Node) OnLink(peer machine.Peer, ev machine.LinkEvent) {
	n.begin()
	if n.isFar(peer) {
		n.net.onLink(peer, ev)
		n.drain()
		return
	}
	if ev == machine.LinkUp {
		if reserved(peer) || n.closing != nil {
			n.env.Close(peer)
			return
		}
		n.links[peer] = true
		if n.net == nil {
			n.push(upcall{to: region.Hall, from: peer, link: ev})
		}
	} else {
		n.unlink(peer, ev, nil)
	}
	n.drain()
}

// unlink is when a session's link has ended: all parts hear of it, except one.
func (n *Node) unlink(peer machine.Peer, ev machine.LinkEvent, except *part) {
	if !n.links[peer] {
		return
	}
	delete(n.links, peer)
	delete(n.decisions.origins, peer)
	if n.net != nil {
		n.net.ended(peer.ID)
		peer = n.net.inner(peer)
	}
	n.tellParts(peer, ev, except)
}

// tellParts tells the parts here, except one, that a session has ended.
func (n *Node) tellParts(peer machine.Peer, ev machine.LinkEvent, except *part) {
	for _, p := range n.awake {
		if p != except {
			n.push(upcall{to: p.peer, from: peer, link: ev})
		}
	}
	if n.hall != nil && n.hall != except {
		n.push(upcall{to: region.Hall, from: peer, link: ev})
	}
}

// endSession ends a session of this node whose part wants it so.
func (n *Node) endSession(peer machine.Peer) {
	if n.links[peer] {
		n.env.Close(peer)
		n.unlink(peer, machine.LinkClosed, nil)
	}
}

// OnDone implements machine.Machine: a part's job has finished.
func (n *Node) OnDone(tag uint64, result any, err error) {
	n.begin()
	n.done(tag, result, err)
	n.drain()
}

func (n *Node) done(tag uint64, result any, err error) {
	p, inner, ok := n.jobs.take(tag >> 1)
	if tag&1 == 1 {
		n.writes--
	}
	if ok && !p.gone {
		p.m.OnDone(inner, result, err)
		n.after(p)
	}
}

// begin comes first in every handler: parts whose group may have another leader
// by now are let go of before they say anything.
func (n *Node) begin() {
	if n.net != nil && n.net.checkLeases() {
		n.drain()
	}
}

// forgetJob is when nobody waits for a job any more.
func (n *Node) forgetJob(tag uint64) {
	n.jobs.take(tag >> 1)
	if tag&1 == 1 {
		n.writes--
	}
}

// reserved reports whether a peer from outside looks like a part.
func reserved(p machine.Peer) bool {
	_, isRegion := region.RegionOf(p)
	return isRegion || p == region.Hall || p.ID.IsZero()
}
