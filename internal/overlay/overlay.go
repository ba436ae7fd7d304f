package overlay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/recent"
)

// Timers.
const (
	timerStabilize uint16 = iota + 1
	timerDiscover
	timerShortcuts
	timerRefill
	timerAudit
)

// Jobs.
const (
	jobSeek uint64 = iota + 1
	jobAnnounce
	jobCheck // and above: certificates
)

// Node is one participant of the overlay.
type Node struct {
	// What every message needs comes first, side by side.
	env            machine.Env
	self           *Contact
	peers          peerSet // everybody with a reason, a link or a view
	hops           hops    // where messages can go from here
	joined         bool
	stopped        bool
	lostNeighbours bool            // neighbours have failed since the last repair
	boot           []*peer         // from the bootstrapping service, while joining
	pending        []*peer         // to be neighbours when their link is up (4.3.3)
	waiting        []queuedMessage // until the node has its place (4.7.1)
	resuming       machine.Time    // when what is routed again has come; 0: nothing is
	// receivers get a view when nothing is pending (4.3.3).
	receivers []*peer

	cfg        Config
	linked     []*peer      // whose link is up, in the order they came up
	neighbours []*peer      // counter-clockwise
	view       *NetworkView // the current one; nil: to be made
	reach      int64        // see reachOf; 0: to be calculated

	table      table
	hinted     recentHints
	refilling  bool // the timer of refill is set
	auditing   bool // that of audit is
	misbehaved map[id.ID]*misbehaviour
	shortcuts  []*peer
	sweeping   bool // the timer of purgeShortcuts is set

	checking map[uint64]*peer // certificates
	checks   uint64

	failed   map[id.ID]machine.Time  // until when (4.3.5)
	records  map[id.ID]*senderRecord // of senders of false views
	departed []departedPeer          // last views of failed neighbours

	bootstrapping bool
	stableNow     verdict
	stabilization // what makes the overlay stabilise from any state
	seq           uint64
	dropped       uint64 // messages that were not valid

	cell   geom.Polygon                     // own; empty: to be calculated
	recent recent.Map[messageKey, struct{}] // areacasts
	passed []passedAreacast                 // the last of them
	// awaited: own areacasts that another node is the root of and that have not
	// come back.
	awaited []uint64

	stars starBuilder
}

// New returns a node that is not connected yet.
func New(cfg Config, env machine.Env) *Node {
	return &Node{
		cfg: cfg, env: env, self: cfg.Self,
		failed: map[id.ID]machine.Time{}, recent: recent.New[messageKey, struct{}](window),
		records: map[id.ID]*senderRecord{}, misbehaved: map[id.ID]*misbehaviour{}, checking: map[uint64]*peer{},
		table: newTable(cfg.Space, cfg.Self.Pos),
	}
}

// Self is the node's own contact.
func (n *Node) Self() *Contact { return n.self }

// Neighbours appends the node's neighbours, counter-clockwise, to out.
func (n *Node) Neighbours(out []*Contact) []*Contact {
	for _, p := range n.neighbours {
		out = append(out, p.Contact)
	}
	return out
}

// Links is the number of open links.
func (n *Node) Links() int { return len(n.linked) }

// Dropped counts messages that no node which keeps to the protocol sends.
func (n *Node) Dropped() uint64 { return n.dropped }

// Start implements machine.Machine: it looks for the network.
func (n *Node) Start() {
	n.findBootstrapNode()
	n.scheduleStabilize()
	n.discoverSoon()
}

// Stop leaves the network: closing all links is the whole farewell (4.3.5).
func (n *Node) Stop() {
	if n.stopped {
		return
	}
	n.stopped = true
	for _, p := range n.linked {
		n.env.Close(p.peer)
	}
	if n.cfg.Announce != nil {
		n.env.Do("", jobAnnounce, n.cfg.Announce(false))
	}
}

// OnMessage implements machine.Machine.
func (n *Node) OnMessage(from machine.Peer, m machine.Message) {
	p := n.peers.get(from.ID)
	if n.stopped || p == nil {
		return
	}
	if !n.valid(m) {
		n.dropped++
		return
	}
	if p.greeting {
		n.onMessageBeforeHello(p, m)
		return
	}
	if p.link != linkUp {
		return
	}
	switch m := m.(type) {
	case *NetworkView:
		n.onView(p, m)
	case *ConnectionInfo:
		n.onConnectionInfo(p, m)
	case *JoinRequest:
		if n.consistentOrigin(p, m.Origin) {
			n.onJoinRequest(m)
		}
	case *RtRequest:
		if n.consistentOrigin(p, m.Origin) {
			if n.offer(m.Origin) { // passive filling (4.5.6)
				n.hint(m.Origin)
			}
			n.onRtRequest(m)
		}
	case *RtResponse:
		if n.acceptHello(p, m.From) {
			n.onRtResponse(m)
		}
	case *RtHint:
		n.onRtHint(m)
	case *Unicast:
		if n.consistentOrigin(p, m.Origin) {
			n.onUnicast(m)
		}
	case *Areacast:
		if n.consistentOrigin(p, m.Origin) || n.awaits(m) {
			n.onAreacast(m)
		}
	}
	n.finishHandler()
}

// OnLink implements machine.Machine.
func (n *Node) OnLink(peer machine.Peer, ev machine.LinkEvent) {
	if n.stopped {
		return
	}
	switch ev {
	case machine.LinkUp:
		if n.cfg.Verify != nil {
			n.sendHello(peer)
			return
		}
		n.onUp(peer)
	case machine.LinkClosed, machine.LinkFailed:
		if p := n.peers.get(peer.ID); p != nil {
			n.onDown(p, ev)
		}
	}
	n.finishHandler()
}

// OnTimer implements machine.Machine.
func (n *Node) OnTimer(t machine.Timer) {
	if n.stopped {
		return
	}
	switch {
	case t.Kind == timerStabilize && t.Gen == n.timer:
		n.stabilize()
	case t.Kind == timerDiscover && t.Gen == n.discoverTimer:
		n.discover()
	case t.Kind == timerShortcuts:
		n.purgeShortcuts()
	case t.Kind == timerRefill:
		n.refill()
	case t.Kind == timerAudit:
		n.audit()
	}
	n.finishHandler()
}

// OnDone implements machine.Machine.
func (n *Node) OnDone(tag uint64, result any, err error) {
	if n.stopped {
		return
	}
	switch {
	case tag == jobSeek:
		n.onBootstrapNode(result, err)
	case tag > jobCheck:
		n.onChecked(tag, err)
	}
	n.finishHandler()
}

// finishHandler ends every handler: views go out if nothing is pending, and who has
// become stable goes on with what had to wait.
func (n *Node) finishHandler() {
	if len(n.pending) > 0 {
		return
	}
	n.flush()
	if len(n.waiting) > 0 && n.ready() {
		n.flushQueue()
	}
	if n.lostNeighbours && n.Stable() {
		n.repairAreacasts()
	}
	if (!n.joined || len(n.boot) > 0) && n.Stable() {
		n.releaseBoot()
		if !n.joined {
			n.onJoined()
		}
	}
}

// closer reports whether a is responsible for a place rather than b.
func closer(p geom.Point, a, b *Contact) bool { return geom.Closer(p, a.Pos, b.Pos) }

// Linked appends the nodes that there is an open link to, in the order the links
// came up.
func (n *Node) Linked(out []*Contact) []*Contact {
	for _, p := range n.linked {
		if p.Contact != nil {
			out = append(out, p.Contact)
		}
	}
	return out
}
