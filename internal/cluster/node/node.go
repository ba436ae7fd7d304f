// Package node composes the machines of one node into one machine: the lobby and
// the regions that are active, and, in a world of several nodes, what hosts them
// together. A driver sees only the Node. It is pure, so the simulator runs it as
// the transport does.
//
// A shard is a region or the lobby as something that nodes host. With one node a
// shard runs on the disk. With several, a group of nodes replicates each shard's
// writes by Raft (package group), the shard runs on the group's leader, and every
// other node forwards messages to that leader.
//
// Source: the hosting of chunks is that of the dissertation (Schuster 2013,
// section 3.2, algorithm 3), with Raft groups instead of single hosts. See
// docs/architecture.md "One node" and docs/protocols/hosting.md.
//
// Where to start: Node (node.go) routes messages to submachines (submachine.go);
// network (network.go) is what exists only with several nodes, and assemble.go shows its
// components and which knows which (decision 63):
//   - links, sightings: other nodes; directory: records of shards;
//   - package routing: which node leads a shard, and who may speak for it;
//   - hosting, replica and its parts, groupCreation, departure: shards hosted here, by
//     the rules of package hostpolicy;
//   - gatewaySessions, remoteSessions, admission: sessions of players;
//   - package copies: states of shards that others host, and what is merged or restored
//     from them; package accountability: who checks what hosts do, and how; package
//     shardgroup: what both know of the groups of shards here (decision 140);
//   - package verifiedworld: the overlay and the replicated storage of a world with an
//     authority.
//
// Submachines send to each other by Env.Send with logical peers. Such messages
// wait in a queue that is drained after the handler returns, so that no submachine
// is ever re-entered. The first message for a region activates it; a region that
// hibernates is released.
//
// Invariants:
//   - one region.Region at a time for each position, and a shard runs here only
//     while the lease of its group's leader is valid;
//   - timers and jobs of a released submachine reach nobody;
//   - submachines never see a peer from outside that looks like a shard;
//   - a node speaks for a shard only if it is known to host the shard, and for a
//     session only if the session is its own.
package node

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/timing"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Config is the world that a node hosts.
type Config struct {
	Lobby  lobby.Config
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
	// RegionEnv goes around what a region sees of the node, for experiments; nil: nothing does.
	RegionEnv func(world.RegionPos, machine.Env) machine.Env
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
	lobby   *submachine // nil: led elsewhere
	net     *network    // nil: the only node
	regions map[world.RegionPos]*submachine
	awake   []*submachine // the same in order of waking: order never comes from a map
	links   map[machine.Peer]bool
	queue   []part.Call
	busy    bool // the queue is being drained
	timers  slots[machine.Timer]
	jobs    slots[uint64]
	writes  int // disk writes on their way
	closing *closing

	decisions *decisions
	counts    part.Counts
}

// makers make the shards; tests put others in.
type makers struct {
	lobby  func(machine.Env, lobby.Config) machine.Machine
	region func(region.Config, machine.Env) Region
}

// submachine is the lobby or a region, with what the node knows of it.
type submachine struct {
	node     *Node
	m        machine.Machine
	peer     machine.Peer // logical
	name     string       // of its job queues
	pos      world.RegionPos
	isLobby  bool
	replica  *replica      // keeps its space on several nodes; nil: the disk here
	released bool          // let go of
	took     timing.Window // its timers: the ticks of a region
}

// New returns a node for cfg's world; nothing happens before Start.
func New(cfg Config, env machine.Env) *Node {
	return newNode(cfg, env, makers{
		lobby:  func(env machine.Env, c lobby.Config) machine.Machine { return lobby.New(env, c) },
		region: func(c region.Config, env machine.Env) Region { return region.New(c, env) },
	})
}

func newNode(cfg Config, env machine.Env, mk makers) *Node {
	if cfg.MaxRegions <= 0 {
		cfg.MaxRegions = DefaultMaxRegions
	}
	n := &Node{
		env: env, cfg: cfg, makers: mk,
		regions: map[world.RegionPos]*submachine{}, links: map[machine.Peer]bool{},
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
		n.startLobby()
	}
	n.drain()
}

func (n *Node) startLobby() {
	n.lobby = &submachine{node: n, peer: region.Lobby, name: "hall", isLobby: true}
	if n.net != nil {
		n.lobby.replica = n.net.hosting.replicas[shards.Lobby]
	}
	cfg := n.cfg.Lobby
	cfg.Restored = n.lobby.replica.restoredLately()
	n.lobby.m = n.makers.lobby(submachineEnv{n.lobby}, cfg)
	n.lobby.m.Start()
}

// isOtherNode reports whether a peer is another node.
func (n *Node) isOtherNode(p machine.Peer) bool { return n.net != nil && p.Addr != machine.Addr{} }

// OnMessage implements machine.Machine: a session or another node says
// something.
func (n *Node) OnMessage(from machine.Peer, m machine.Message) {
	n.begin()
	if n.isOtherNode(from) {
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
	shard := shards.Lobby
	if to, ok := m.(*region.To); ok {
		shard, m = shards.Shard{Region: to.Region}, to.Msg
	}
	n.decisions.hear(m)
	if n.net != nil {
		n.net.fromSession(from.ID, shard, m)
	} else {
		n.Push(part.Call{To: shard.Peer(), From: from, Msg: m})
	}
	n.drain()
}

// Answer implements machine.Answerer: where something is anybody may ask.
func (n *Node) Answer(q machine.Question) machine.Message {
	if n.net == nil || n.closing != nil {
		return nil
	}
	return n.net.dir.Answer(q)
}

// OnTimer implements machine.Machine: a shard's timer is due.
func (n *Node) OnTimer(t machine.Timer) {
	n.begin()
	switch t.Kind {
	case timerNetwork:
		n.net.onBeat()
		fallthrough
	case timerClosing: // draining looks at what the shutdown waits for
		n.drain()
		return
	}
	p, inner, ok := n.timers.take(t.Arg)
	if !ok || p.released {
		return
	}
	p.onTimer(inner)
	n.releaseIfAsleep(p)
	n.drain()
}

// onTimer runs a timer and measures it.
func (p *submachine) onTimer(t machine.Timer) {
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
	if n.isOtherNode(peer) {
		n.net.links.OnLink(peer, ev)
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
			n.Push(part.Call{To: region.Lobby, From: peer, Link: ev})
		}
	} else {
		n.unlink(peer, ev, nil)
	}
	n.drain()
}

// unlink is when a session's link has ended: all shards hear of it, except one.
func (n *Node) unlink(peer machine.Peer, ev machine.LinkEvent, except *submachine) {
	if !n.links[peer] {
		return
	}
	delete(n.links, peer)
	delete(n.decisions.origins, peer)
	if n.net != nil {
		n.net.sessions.ended(peer.ID)
		peer = n.net.inner(peer)
	}
	n.linkEventToAll(peer, ev, except)
}

// linkEventToAll tells the shards here, except one, that a session has ended.
func (n *Node) linkEventToAll(peer machine.Peer, ev machine.LinkEvent, except *submachine) {
	for _, p := range n.awake {
		if p != except {
			n.Push(part.Call{To: p.peer, From: peer, Link: ev})
		}
	}
	if n.lobby != nil && n.lobby != except {
		n.Push(part.Call{To: region.Lobby, From: peer, Link: ev})
	}
}

// endSession ends a session of this node whose shard wants it so.
func (n *Node) endSession(peer machine.Peer) {
	if n.links[peer] {
		n.env.Close(peer)
		n.unlink(peer, machine.LinkClosed, nil)
	}
}

// OnDone implements machine.Machine: a shard's job has finished.
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
	if ok && !p.released {
		p.m.OnDone(inner, result, err)
		n.releaseIfAsleep(p)
	}
}

// begin comes first in every handler: shards whose group may have another leader
// by now are let go of before they say anything.
func (n *Node) begin() {
	if n.net != nil && n.net.hosting.checkLeases() {
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

// reserved reports whether a peer from outside looks like a shard.
func reserved(p machine.Peer) bool {
	_, isRegion := region.RegionOf(p)
	return isRegion || p == region.Lobby || p.ID.IsZero()
}
