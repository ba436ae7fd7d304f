// Package road stands between a node and its transport, so that the node may
// think that it reaches everybody. It finds out how this node is reached before
// the node enters the network (packages reach, nat); it finds ways to nodes that
// cannot be reached, over others that both know (package relay); and it helps
// others to do so.
//
// The node and everybody else know a hidden node by an address that stands for it
// (Veil). Which real address that means at the moment, or which relay, is known
// here only. The order in which a way is looked for is that of package nat.
//
// Invariants:
//   - the node hears of a link only after both ends have said how they are known,
//     and by one name until it ends;
//   - hidden nodes help nobody, public ones never need a hole or a circuit: what a
//     message of package relay means follows from who gets it;
//   - the node's handlers are never entered from within its own calls.
package road

import (
	"net/netip"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/nat/reach"
	"github.com/voxelpopuli/voxelpopuli/internal/nat/relay"
)

// Config says how a node is to be reached.
type Config struct {
	ID    id.ID
	Local machine.Addr   // where this machine believes that it is reached
	Known []machine.Peer // nodes to ask; none: Local is believed
	// Own reports whether an address is one of this machine's own.
	Own func(netip.Addr) bool
	// Opened is what a router says that it has opened.
	Opened netip.AddrPort
	// Relays: circuits are given to others, within Limits.
	Relays bool
	Limits relay.Limits
	// Patience is for a dial-back; 0: DefaultPatience.
	Patience time.Duration
	// Holes is after how long a hole is looked for again while a circuit is used,
	// the first time; 0: DefaultHoles.
	Holes time.Duration
	// Paths makes ways between hidden nodes.
	Paths Paths
	// Clock hears what an exchange with another node says about its clock; may be
	// nil.
	Clock func(who id.ID, ahead, roundTrip time.Duration)
	// Make makes the node, once it is known how it is reached.
	Make func(self machine.Peer, env machine.Env) machine.Machine
}

// DefaultHoles is long enough for a router that was started to be up again.
const DefaultHoles = time.Minute

// DefaultPatience is enough for a handshake that has to be repeated.
const DefaultPatience = 4 * time.Second

// Paths is what finds holes in address translators and carries packets past the
// port. Nothing blocks; answers come by Prepared, Connected and Out, as all else
// comes to a machine.
type Paths interface {
	// Prepare begins to look for a path: Prepared brings an offer.
	Prepare(peer id.ID, seen netip.AddrPort)
	// Connect goes on with the other node's offer: Connected brings an address.
	Connect(peer id.ID, theirs relay.Offer, leads bool)
	// Drop ends what Prepare has begun.
	Drop(peer id.ID)
	// Route sends what goes to an address by Out; Unroute no more.
	Route(peer id.ID, at machine.Addr)
	Unroute(peer id.ID)
	// Deliver is a packet that comes as from an address.
	Deliver(b []byte, from machine.Addr)
}

// Road is the machine between.
type Road struct {
	env    machine.Env
	cfg    Config
	self   machine.Peer    // Addr zero: not known yet
	node   machine.Machine // nil: not made yet
	hidden bool
	reach  *reach.Reach
	relay  *relay.Relay
	far    map[id.ID]*far
	order  []*far // the same in order of acquaintance
	last   *far   // who said something last
	later  []func()
	look   look
	stats  Stats
	pinged machine.Time
}

// Stats are a road's figures.
type Stats struct {
	Self     machine.Peer // as others know it
	Hidden   bool
	Punched  uint64 // holes found
	Circuits uint64 // relays used
	Packets  uint64 // relayed for others
	Bytes    uint64
}

// Timers of a road; the node's own kinds are smaller.
const timerBeat = ^uint16(0)

// beat is how often a road looks after what waits.
const beat = 500 * time.Millisecond

// New returns a road; nothing happens before Start.
func New(cfg Config, env machine.Env) *Road {
	if cfg.Patience <= 0 {
		cfg.Patience = DefaultPatience
	}
	if cfg.Holes <= 0 {
		cfg.Holes = DefaultHoles
	}
	if cfg.Limits == (relay.Limits{}) {
		cfg.Limits = relay.DefaultLimits
	}
	return &Road{
		env: env, cfg: cfg, self: machine.Peer{ID: cfg.ID}, reach: reach.New(), relay: relay.New(cfg.Limits),
		far: map[id.ID]*far{},
	}
}

// Stats reads the road's figures; a driver calls it like a handler.
func (r *Road) Stats() Stats {
	s := r.stats
	s.Self, s.Hidden = r.self, r.hidden
	return s
}

// Start implements machine.Machine.
func (r *Road) Start() {
	r.reach.Opened(r.cfg.Opened)
	r.env.SetTimer(r.env.Now().Add(beat), machine.Timer{Kind: timerBeat})
	r.lookOn()
	r.drain()
}

// drain does what handlers have put off.
func (r *Road) drain() {
	for len(r.later) > 0 {
		fn := r.later[0]
		r.later = r.later[1:]
		fn()
	}
}

// settle is when it is known how this node is reached: the node is made.
func (r *Road) settle(addr machine.Addr) {
	r.look.over = true
	r.hidden = Veiled(addr)
	r.self.Addr = addr
	r.node = r.cfg.Make(r.self, nodeEnv{r})
	r.node.Start()
	for _, f := range r.order {
		if f.up {
			r.env.Send(f.via, &relay.Hello{Addr: addr})
			if f.hello {
				r.later = append(r.later, func() { r.linked(f) })
			}
		}
	}
}

// OnMessage implements machine.Machine.
func (r *Road) OnMessage(from machine.Peer, m machine.Message) {
	if from.Addr.IsZero() {
		if r.node != nil {
			r.node.OnMessage(from, m)
		}
	} else {
		r.receive(from, m)
	}
	r.drain()
}

// Answer implements machine.Answerer, for a node that strangers reach.
func (r *Road) Answer(q machine.Question) machine.Message {
	if a, ok := r.node.(machine.Answerer); ok && !r.hidden {
		return a.Answer(q)
	}
	return nil
}

// OnTimer implements machine.Machine.
func (r *Road) OnTimer(t machine.Timer) {
	if t.Kind == timerBeat {
		r.env.SetTimer(r.env.Now().Add(beat), machine.Timer{Kind: timerBeat})
		r.onBeat()
	} else {
		r.node.OnTimer(t)
	}
	r.drain()
}

// OnDone implements machine.Machine: all jobs are the node's.
func (r *Road) OnDone(tag uint64, result any, err error) {
	r.node.OnDone(tag, result, err)
	r.drain()
}

// OnLink implements machine.Machine.
func (r *Road) OnLink(peer machine.Peer, ev machine.LinkEvent) {
	switch {
	case !peer.Addr.IsZero():
		r.onLink(peer, ev)
	case r.node != nil:
		r.node.OnLink(peer, ev)
	default: // a session that cannot be served yet
		r.env.Close(peer)
	}
	r.drain()
}

// receive takes a message of another node.
func (r *Road) receive(from machine.Peer, m machine.Message) {
	f := r.hear(from.ID)
	f.heard = r.env.Now()
	if !f.up && !Veiled(from.Addr) {
		f.via = from
	}
	if r.holdBack(f, from, m) {
		return
	}
	switch m := m.(type) {
	case *relay.Moved:
		r.onMoved(f, from)
	case *reach.Seen:
		r.onSeen(f, m)
	case *reach.AskBack:
		r.onAskBack(f, m)
	case *reach.Back:
		r.onBack(f, m)
	case *reach.Undialled:
		r.onUndialled(f, m)
	case *reach.Dialled:
		r.onDialled(f, m)
	case *reach.Probe:
		r.onProbe(f, m)
	case *reach.Ping:
		r.env.Send(from, &reach.Pong{Sent: m.Sent, Now: r.env.Now()})
	case *reach.Pong:
		r.onPong(f, from, m)
	case *relay.Hello:
		r.onHello(f, m)
	case *relay.Link:
		r.onUse(f, m.Up)
	case *relay.Veiled:
		if _, loose := m.Msg.(machine.Datagram); loose && stands(m.Addr, f.id) {
			f.addr = m.Addr
			r.toNode(f, from, m.Msg)
		}
	case *relay.Signal:
		r.onSignal(f, m)
	case *relay.Call:
		r.onCall(f, m)
	case *relay.Open:
		r.onOpen(f, m)
	case *relay.Packet:
		r.onPacket(f, m)
	case *relay.Unable:
		r.onUnable(f, m)
	default:
		r.toNode(f, from, m)
	}
}

func (r *Road) toNode(f *far, from machine.Peer, m machine.Message) {
	switch {
	case r.node == nil: // lost: nobody can have waited for it
	case f.linked:
		r.node.OnMessage(f.name, m)
	case f.addr.IsZero():
		r.node.OnMessage(from, m)
	default:
		r.node.OnMessage(machine.Peer{ID: f.id, Addr: f.addr}, m)
	}
}
