package overlay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/recent"
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

// Node is one participant of the overlay. It passes messages, links and timers to
// its components; each has its own state, and its struct names the components that
// it uses.
type Node struct {
	core
	router     router
	hood       neighbourhood
	links      links
	shortcuts  shortcutList
	areacasts  areacaster
	routing    routingTable
	audits     auditor
	departures departures
	falseViews viewRecords
	stabilizer stabilizer
	joins      joiner
	hello      greeter
	dropped    uint64 // messages that were not valid
}

// core is what all components of a node use.
type core struct {
	env     machine.Env
	self    *Contact
	peers   peerSet // everybody with a reason, a link or a view
	joined  bool
	stopped bool
	cfg     Config
	seq     uint64
	stars   starBuilder
}

// New returns a node that is not connected yet.
func New(cfg Config, env machine.Env) *Node {
	n := &Node{core: core{cfg: cfg, env: env, self: cfg.Self}}
	c := &n.core
	n.router = router{core: c, hood: &n.hood, areacasts: &n.areacasts, routing: &n.routing, shortcuts: &n.shortcuts, links: &n.links, joins: &n.joins}
	n.hood = neighbourhood{core: c, links: &n.links, hello: &n.hello, departures: &n.departures, falseViews: &n.falseViews, stabilizer: &n.stabilizer}
	n.links = links{core: c, router: &n.router, hood: &n.hood, routing: &n.routing, shortcuts: &n.shortcuts, departures: &n.departures, stabilizer: &n.stabilizer, joins: &n.joins, hello: &n.hello}
	n.shortcuts = shortcutList{core: c, links: &n.links}
	n.areacasts = areacaster{core: c, router: &n.router, hood: &n.hood, departures: &n.departures, shortcuts: &n.shortcuts, recent: recent.New[messageKey, struct{}](window)}
	n.routing = routingTable{core: c, table: newTable(cfg.Space, cfg.Self.Pos), router: &n.router, hood: &n.hood, links: &n.links, shortcuts: &n.shortcuts, departures: &n.departures, audits: &n.audits, hello: &n.hello}
	n.audits = auditor{core: c, routing: &n.routing, links: &n.links, misbehaved: map[id.ID]*misbehaviour{}}
	n.departures = departures{core: c, hood: &n.hood, links: &n.links, areacasts: &n.areacasts, routing: &n.routing, audits: &n.audits, falseViews: &n.falseViews, stabilizer: &n.stabilizer, failed: map[id.ID]machine.Time{}}
	n.falseViews = viewRecords{core: c, hood: &n.hood, records: map[id.ID]*senderRecord{}}
	n.stabilizer = stabilizer{core: c, hood: &n.hood, departures: &n.departures, falseViews: &n.falseViews, joins: &n.joins}
	n.joins = joiner{core: c, router: &n.router, hood: &n.hood, links: &n.links, departures: &n.departures, routing: &n.routing}
	n.hello = greeter{core: c, router: &n.router, hood: &n.hood, links: &n.links, departures: &n.departures, receive: n.OnMessage, checking: map[uint64]*peer{}}
	return n
}

// Self is the node's own contact.
func (n *Node) Self() *Contact { return n.self }

// Neighbours appends the node's neighbours, counter-clockwise, to out.
func (nb *neighbourhood) Neighbours(out []*Contact) []*Contact {
	for _, p := range nb.neighbours {
		out = append(out, p.Contact)
	}
	return out
}

// Links is the number of open links.
func (n *Node) Links() int { return len(n.links.linked) }

// Dropped counts messages that no node which keeps to the protocol sends.
func (n *Node) Dropped() uint64 { return n.dropped }

// Start implements machine.Machine: it looks for the network.
func (n *Node) Start() {
	n.joins.findBootstrapNode()
	n.stabilizer.scheduleStabilize()
	n.stabilizer.discoverSoon()
}

// Stop leaves the network: closing all links is the whole farewell (4.3.5).
func (n *Node) Stop() {
	if n.stopped {
		return
	}
	n.stopped = true
	for _, p := range n.links.linked {
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
		n.hello.onMessageBeforeHello(p, m)
		return
	}
	if p.link != linkUp {
		return
	}
	switch m := m.(type) {
	case *NetworkView:
		n.hood.onView(p, m)
	case *ConnectionInfo:
		n.links.onConnectionInfo(p, m)
	case *JoinRequest:
		if n.hello.consistentOrigin(p, m.Origin) {
			n.joins.onJoinRequest(m)
		}
	case *RtRequest:
		if n.hello.consistentOrigin(p, m.Origin) {
			if n.routing.offer(m.Origin) { // passive filling (4.5.6)
				n.routing.hint(m.Origin)
			}
			n.routing.onRtRequest(m)
		}
	case *RtResponse:
		if n.hello.acceptHello(p, m.From) {
			n.routing.onRtResponse(m)
		}
	case *RtHint:
		n.routing.onRtHint(m)
	case *Unicast:
		if n.hello.consistentOrigin(p, m.Origin) {
			n.router.onUnicast(m)
		}
	case *Areacast:
		if n.hello.consistentOrigin(p, m.Origin) || n.areacasts.awaits(m) {
			n.areacasts.onAreacast(m)
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
			n.hello.sendHello(peer)
			return
		}
		n.links.onUp(peer)
	case machine.LinkClosed, machine.LinkFailed:
		if p := n.peers.get(peer.ID); p != nil {
			n.links.onDown(p, ev)
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
	case t.Kind == timerStabilize && t.Gen == n.stabilizer.timer:
		n.stabilizer.stabilize()
	case t.Kind == timerDiscover && t.Gen == n.stabilizer.discoverTimer:
		n.stabilizer.discover()
	case t.Kind == timerShortcuts:
		n.shortcuts.purgeShortcuts()
	case t.Kind == timerRefill:
		n.routing.refill()
	case t.Kind == timerAudit:
		n.audits.audit()
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
		n.joins.onBootstrapNode(result, err)
	case tag > jobCheck:
		n.hello.onChecked(tag, err)
	}
	n.finishHandler()
}

// finishHandler ends every handler: views go out if nothing is pending, and who has
// become stable goes on with what had to wait.
func (n *Node) finishHandler() {
	if len(n.hood.pending) > 0 {
		return
	}
	n.hood.flush()
	if len(n.router.waiting) > 0 && n.router.ready() {
		n.router.flushQueue()
	}
	if n.departures.lostNeighbours && n.hood.Stable() {
		n.areacasts.repairAreacasts()
	}
	if (!n.joined || len(n.joins.boot) > 0) && n.hood.Stable() {
		n.joins.releaseBoot()
		if !n.joined {
			n.joins.onJoined()
		}
	}
}

// closer reports whether a is responsible for a place rather than b.
func closer(p geom.Point, a, b *Contact) bool { return geom.Closer(p, a.Pos, b.Pos) }

// Linked appends the nodes that there is an open link to, in the order the links
// came up.
func (n *Node) Linked(out []*Contact) []*Contact {
	for _, p := range n.links.linked {
		if p.Contact != nil {
			out = append(out, p.Contact)
		}
	}
	return out
}
