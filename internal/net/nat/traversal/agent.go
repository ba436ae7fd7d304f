package traversal

import (
	"net/netip"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Config describes how a node is to be reached.
type Config struct {
	ID    id.ID
	Local machine.Addr   // where this machine believes that it is reached
	Known []machine.Peer // nodes to ask; none: Local is believed
	// Own reports whether an address is one of this machine's own.
	Own func(netip.Addr) bool
	// PortMapping is the address that a router has mapped to this node's port.
	PortMapping netip.AddrPort
	// Relays: this node relays for others, within Limits.
	Relays bool
	Limits RelayLimits
	// DialBackTimeout is how long a dial-back may take; 0: DefaultDialBackTimeout.
	DialBackTimeout time.Duration
	// PunchAfter is after how long hole punching is first retried while an allocation
	// is used; 0: DefaultPunchAfter.
	PunchAfter time.Duration
	// Paths finds paths between hidden nodes.
	Paths Paths
	// Browsers carries packets of browsers to and from hidden nodes; nil: this node
	// neither passes them on nor is reached by them.
	Browsers Browsers
	// Clock hears what an exchange with another node says about its clock; may be
	// nil.
	Clock func(who id.ID, ahead, roundTrip time.Duration)
	// Make makes the node, once it is known how it is reached.
	Make func(self machine.Peer, env machine.Env) machine.Machine
}

// DefaultPunchAfter is long enough for a router that was started to be up again.
const DefaultPunchAfter = time.Minute

// DefaultDialBackTimeout is enough for a handshake that has to be repeated.
const DefaultDialBackTimeout = 4 * time.Second

// Paths does ICE (RFC 8445) and carries relayed packets to and from the port. No
// method blocks; the answers are calls of OnGathered, OnChecked and SendRelayed, which
// the driver makes like those of a machine's handlers.
type Paths interface {
	// Gather gathers candidates: OnGathered brings the offer.
	Gather(peer id.ID, reflexive netip.AddrPort)
	// Check runs connectivity checks with the peer's offer: OnChecked brings the
	// address of the valid pair. One of the two agents is controlling.
	Check(peer id.ID, remote Offer, controlling bool)
	// Cancel ends what Gather has begun.
	Cancel(peer id.ID)
	// Route passes packets for an address to SendRelayed; Unroute ends that.
	Route(peer id.ID, at machine.Addr)
	Unroute(peer id.ID)
	// Deliver hands a packet to the port as if it came from an address.
	Deliver(b []byte, from machine.Addr)
}

// Agent is the machine between node and transport. It passes messages, links and timers to
// its parts; each has its own state, and its struct names the parts that it uses.
type Agent struct {
	core
	detector    detector
	links       links
	searches    searches
	switches    switches
	allocations allocations
	circuits    circuits

	lastPing machine.Time
}

// core is what the parts have in common: who this node is, and the other nodes.
type core struct {
	env        machine.Env
	cfg        Config
	self       machine.Peer    // Addr zero: not known yet
	node       machine.Machine // nil: not made yet
	hidden     bool
	peers      map[id.ID]*remotePeer
	order      []*remotePeer // the peers in the order in which they were first seen
	lastSender *remotePeer   // of the last message
	deferred   []func()      // until the handler is over
	stats      Stats
}

// Stats are an agent's counters.
type Stats struct {
	Self        machine.Peer // as others know it
	Hidden      bool
	Punched     uint64 // paths found by hole punching
	Allocations uint64 // used, at relays
	Packets     uint64 // relayed for others
	Bytes       uint64
}

// Timers of an agent; the node's own kinds are smaller.
const timerMaintenance = ^uint16(0)

// maintenanceInterval is how often an agent checks for overdue work.
const maintenanceInterval = 500 * time.Millisecond

// New returns an agent; nothing happens before Start.
func New(cfg Config, env machine.Env) *Agent {
	if cfg.DialBackTimeout <= 0 {
		cfg.DialBackTimeout = DefaultDialBackTimeout
	}
	if cfg.PunchAfter <= 0 {
		cfg.PunchAfter = DefaultPunchAfter
	}
	if cfg.Limits == (RelayLimits{}) {
		cfg.Limits = DefaultRelayLimits
	}
	a := &Agent{core: core{env: env, cfg: cfg, self: machine.Peer{ID: cfg.ID}, peers: map[id.ID]*remotePeer{}}}
	co, relay := &a.core, NewRelay(cfg.Limits)
	a.detector = detector{core: co, reachability: NewReachability(), startNode: a.startNode}
	a.links = links{core: co, detector: &a.detector, searches: &a.searches, switches: &a.switches, allocations: &a.allocations}
	a.searches = searches{core: co, detector: &a.detector, links: &a.links, switches: &a.switches, allocations: &a.allocations, addresses: newSignalAddresses()}
	a.switches = switches{core: co, detector: &a.detector, links: &a.links, searches: &a.searches, allocations: &a.allocations, receive: a.receive}
	a.allocations = allocations{core: co, relay: relay, searches: &a.searches}
	a.circuits = circuits{core: co, relay: relay}
	return a
}

// Stats reads the agent's counters; a driver calls it like a handler.
func (a *Agent) Stats() Stats {
	s := a.stats
	s.Self, s.Hidden = a.self, a.hidden
	return s
}

// Start implements machine.Machine.
func (a *Agent) Start() {
	a.detector.reachability.SetPortMapping(a.cfg.PortMapping)
	a.env.SetTimer(a.env.Now().Add(maintenanceInterval), machine.Timer{Kind: timerMaintenance})
	a.detector.askNextNode()
	a.runDeferred()
}

// runDeferred runs what handlers have deferred.
func (co *core) runDeferred() {
	for len(co.deferred) > 0 {
		fn := co.deferred[0]
		co.deferred = co.deferred[1:]
		fn()
	}
}

// startNode creates the node, once it is known how it is reached.
func (a *Agent) startNode(addr machine.Addr) {
	a.detector.done = true
	a.hidden = IsRelayed(addr)
	a.self.Addr = addr
	a.node = a.cfg.Make(a.self, nodeEnv{a})
	a.node.Start()
	for _, p := range a.order {
		if p.up {
			a.env.Send(p.via, &Hello{Addr: addr})
			if p.hello {
				a.deferred = append(a.deferred, func() { a.links.reportLinkUp(p) })
			}
		}
	}
}

// OnMessage implements machine.Machine.
func (a *Agent) OnMessage(from machine.Peer, m machine.Message) {
	if from.Addr.IsZero() {
		if a.node != nil {
			a.node.OnMessage(from, m)
		}
	} else {
		a.receive(from, m)
	}
	a.runDeferred()
}

// Answer implements machine.Answerer; only a public node answers questions.
func (a *Agent) Answer(q machine.Question) machine.Message {
	if node, ok := a.node.(machine.Answerer); ok && !a.hidden {
		return node.Answer(q)
	}
	return nil
}

// OnTimer implements machine.Machine.
func (a *Agent) OnTimer(t machine.Timer) {
	if t.Kind == timerMaintenance {
		a.env.SetTimer(a.env.Now().Add(maintenanceInterval), machine.Timer{Kind: timerMaintenance})
		a.maintain()
	} else {
		a.node.OnTimer(t)
	}
	a.runDeferred()
}

// OnDone implements machine.Machine: all jobs are the node's.
func (a *Agent) OnDone(tag uint64, result any, err error) {
	a.node.OnDone(tag, result, err)
	a.runDeferred()
}

// OnLink implements machine.Machine.
func (a *Agent) OnLink(peer machine.Peer, ev machine.LinkEvent) {
	switch {
	case !peer.Addr.IsZero():
		a.links.onLink(peer, ev)
	case a.node != nil:
		a.node.OnLink(peer, ev)
	default: // a session that cannot be served yet
		a.env.Close(peer)
	}
	a.runDeferred()
}

// receive handles a message of another node.
func (a *Agent) receive(from machine.Peer, m machine.Message) {
	p := a.senderPeer(from.ID)
	p.lastHeard = a.env.Now()
	if !p.up && !IsRelayed(from.Addr) {
		p.via = from
	}
	if a.switches.buffers(p, from, m) {
		return
	}
	switch m := m.(type) {
	case *PathSwitched:
		a.switches.onPathSwitched(p, from)
	case *MappedAddress:
		a.detector.onMappedAddress(p, m)
	case *DialBackRequest:
		a.detector.onDialBackRequest(p, m)
	case *ProbeRequest:
		a.detector.onProbeRequest(p, m)
	case *ProbeRefusal:
		a.detector.onProbeRefusal(p, m)
	case *DialBackResponse:
		a.detector.onDialBackResponse(p, m)
	case *Probe:
		a.detector.onProbe(p, m)
	case *Ping:
		a.env.Send(from, &Pong{Sent: m.Sent, Now: a.env.Now()})
	case *Pong:
		a.links.onPong(p, from, m)
	case *Hello:
		a.links.onHello(p, m)
	case *LinkUse:
		a.links.onLinkUse(p, m.InUse)
	case *AddressedDatagram:
		if _, datagram := m.Msg.(machine.Datagram); datagram && isRelayedAddrOf(m.Addr, p.id) {
			p.addr = m.Addr
			a.deliver(p, from, m.Msg)
		}
	case *Signal:
		a.searches.onSignal(p, m)
	case *ReversalRequest:
		a.searches.onReversalRequest(p, m)
	case *Allocate:
		a.allocations.onAllocate(p, m)
	case *RelayedPacket:
		a.allocations.onRelayedPacket(p, m)
	case *BrowserPacket:
		a.circuits.onBrowserPacket(p, m)
	case *BrowserReply:
		a.circuits.onBrowserReply(p, m)
	case *PeerUnreachable:
		a.searches.onPeerUnreachable(p, m)
	default:
		a.deliver(p, from, m)
	}
}

func (a *Agent) deliver(p *remotePeer, from machine.Peer, m machine.Message) {
	switch {
	case a.node == nil: // lost: nobody can have waited for it
	case p.linked:
		a.node.OnMessage(p.name, m)
	case p.addr.IsZero():
		a.node.OnMessage(from, m)
	default:
		a.node.OnMessage(machine.Peer{ID: p.id, Addr: p.addr}, m)
	}
}

// maintain drives everything that has a deadline.
func (a *Agent) maintain() {
	now := a.env.Now()
	a.detector.maintain(now)
	a.circuits.maintain(now)
	ping := now.Sub(a.lastPing) >= pingInterval
	if ping {
		a.lastPing = now
	}
	kept := a.order[:0]
	for _, p := range a.order {
		a.searches.maintain(p, now)
		a.switches.maintain(p, now)
		if ping && p.up {
			a.env.Send(p.via, &Ping{Sent: now})
		}
		if !p.up && !p.opening && p.stage == idle && !p.allocated && now.Sub(max(p.lastHeard, p.lastUsed)) > forgetAfter {
			delete(a.peers, p.id)
			a.lastSender = nil
			continue
		}
		kept = append(kept, p)
	}
	clear(a.order[len(kept):])
	a.order = kept
	if a.hidden {
		a.links.keepRelayLinks(now)
	}
}

// OnGathered is the answer to Paths.Gather.
func (a *Agent) OnGathered(peer id.ID, offer Offer, err error) {
	a.searches.onGathered(peer, offer, err)
	a.runDeferred()
}

// OnChecked is the answer to Paths.Check.
func (a *Agent) OnChecked(peer id.ID, at netip.AddrPort, err error) {
	a.searches.onChecked(peer, at, err)
	a.runDeferred()
}

// SendRelayed sends a packet for a routed address over the relay.
func (a *Agent) SendRelayed(peer id.ID, b []byte) { a.allocations.send(peer, b) }

// FromBrowser passes on a packet of a browser; name is that of the hidden node, if the
// packet is a check, which names it.
func (a *Agent) FromBrowser(from netip.AddrPort, name string, b []byte) {
	a.circuits.fromBrowser(from, name, b)
}

// ReplyToBrowser sends a packet back over a circuit.
func (a *Agent) ReplyToBrowser(helper id.ID, m *BrowserReply) { a.circuits.reply(helper, m) }

// Reflexive is the address that others see this node at; invalid: not known.
func (a *Agent) Reflexive() netip.AddrPort { return a.detector.reflexiveAddr() }
