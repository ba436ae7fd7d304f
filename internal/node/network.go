package node

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/group"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/wire/frame"
)

// Net is what a node knows of the network that it hosts the world with.
type Net struct {
	Self machine.Peer
	// World is the world's id: keys of its parts are made from it.
	World id.ID
	// Known are nodes to join by. A node that knows none begins the world.
	Known []machine.Peer
	// Founder is the node of the world's founder, whose own player becomes the
	// first operator.
	Founder id.ID
	// Replicas is how many nodes a part should have; 0: DefaultReplicas.
	Replicas int
	// MaxHosted is how many parts this node keeps; 0: DefaultMaxHosted. More are
	// refused, and the next nearest node is asked.
	MaxHosted int
	// MaxPlayers is how many players may be at home in regions that this node
	// leads until it takes on no more parts; 0: any number.
	MaxPlayers int
	// Full reports whether this node should take on nothing more at the moment,
	// however few parts it keeps: it is short of memory, say. nil: never.
	Full func() bool
	// GoneAfter is how long all hosts of a part must not have been heard of until
	// it begins anew; 0: DefaultGoneAfter.
	GoneAfter time.Duration
	// RenewAfter is how old the record of a part that nobody leads may be until a
	// member of its group publishes it again; 0: DefaultRenewAfter.
	RenewAfter time.Duration
	// Stored are the spaces that are on the disk.
	Stored []string
	// Note hears what the people who run the node should know; may be nil.
	Note func(text string)
	// CheckPass says why a node may not speak for a player, with the pass that it
	// shows (nil: none); nil: nodes are believed.
	CheckPass func(pass *identity.Pass, player, stone id.ID) error
	// Sign signs a record with the node's key, Verify is the job that checks one;
	// nil: records are not signed (a simulation that does not look at signatures).
	Sign   func(*kademlia.Record)
	Verify func(*kademlia.Record) machine.Job
	// Verified is for a world with an authority; nil: the world has none.
	Verified *Verified
	// Access says whom the founder admits; nil: everybody (a simulation).
	Access Access
}

// Defaults of Net.
const (
	DefaultReplicas  = 3
	DefaultMaxHosted = 1 << 14
	DefaultGoneAfter = 6 * time.Hour
	// DefaultRenewAfter leaves time for those members whose turn comes later: a
	// record ends a day after it was published.
	DefaultRenewAfter = 12 * time.Hour
)

// network is what a node has besides its parts if it is one of many: links to
// other nodes, a directory, and a router that knows where each part is led.
type network struct {
	n     *Node
	cfg   Net
	tag   machine.Addr // stands for this node in the peers of sessions
	far   map[id.ID]*farNode
	tags  map[machine.Addr]*farNode
	order []*farNode // the same in order of acquaintance

	vouching    map[vouchKey]*vouching
	routes      map[Part]*route
	hosts       map[Part]*hosted
	accused     accused
	dormant     map[Part]bool      // replicas that are on the disk, and not read yet
	damaged     map[Part]bool      // replicas that cannot be read
	outdone     map[Part]group.Gen // groups for which this node has given way: it joins no lesser one
	stored      map[Part]bool      // parts on the disk, from when this node was alone
	invitations map[Part]*hostCheck
	making      map[Part]*making // parts that this node looks for hosts of
	founding    map[Part]bool    // parts whose record this node creates

	recalled machine.Time // when to read a dormant replica next; 0: not known yet

	adopting map[Part]machine.Time // stored parts, when to try again
	adoptAt  machine.Time
	dir      directory
	out      outbox
	late     map[stream]*late
	leased   machine.Time // before then no lease of a part that runs here ends
	memory   memory
	entries  entries
	owner    owner
	giveNext machine.Time   // when to look for votes that another node should have
	holders  []machine.Peer // scratch
	frames   frame.Checker

	verified *verified // nil: the world has no authority
	access   *access   // nil: in a simulation
	layer    *layer    // the overlay; nil: this node has no place in it

	closing bool
}

// Timers of the network. Those of parts are timerPart.
const timerNetwork = timerPart + 1

// beat is how often the network looks after what waits.
const beat = 250 * time.Millisecond

func newNetwork(n *Node, cfg Net) *network {
	if cfg.Replicas <= 0 {
		cfg.Replicas = DefaultReplicas
	}
	if cfg.GoneAfter <= 0 {
		cfg.GoneAfter = DefaultGoneAfter
	}
	if cfg.RenewAfter <= 0 {
		cfg.RenewAfter = DefaultRenewAfter
	}
	if cfg.MaxHosted <= 0 {
		cfg.MaxHosted = DefaultMaxHosted
	}
	w := &network{
		n: n, cfg: cfg, stored: map[Part]bool{}, dormant: map[Part]bool{}, damaged: map[Part]bool{}, outdone: map[Part]group.Gen{}, invitations: map[Part]*hostCheck{}, making: map[Part]*making{}, founding: map[Part]bool{}, adopting: map[Part]machine.Time{}, tag: tagOf(cfg.Self.ID),
		far: map[id.ID]*farNode{}, tags: map[machine.Addr]*farNode{},
		vouching: map[vouchKey]*vouching{}, routes: map[Part]*route{}, hosts: map[Part]*hosted{}, out: newOutbox(), late: map[stream]*late{}, accused: newAccused(),
	}
	w.dir.init(w)
	w.memory.init(w)
	w.entries.init(w)
	w.owner.init(w)
	w.initVerified()
	w.initAccess()
	w.takeStock()
	return w
}

func (w *network) note(text string) {
	if w.cfg.Note != nil {
		w.cfg.Note(text)
	}
}

// tagOf is the address that stands for a node in the peers of its sessions: a
// part sees a session as its id and the tag of its stepping stone. It is made
// from the node's id, for its network address may look different from different
// places.
func tagOf(node id.ID) (a machine.Addr) {
	copy(a[:], node[:])
	return a
}

func (w *network) start() {
	w.dir.start()
	w.memory.Start()
	w.layer.start()
	w.n.env.SetTimer(w.n.env.Now().Add(beat), machine.Timer{Kind: timerNetwork})
}

// onBeat looks after all that waits for something.
func (w *network) onBeat() {
	w.n.env.SetTimer(w.n.env.Now().Add(beat), machine.Timer{Kind: timerNetwork})
	now := w.n.env.Now()
	w.dir.beat(now)
	w.memory.beat(now)
	w.layer.beat(now)
	if x := w.witness(); x != nil {
		x.Tick(now)
	}
	w.verified.beat(now)
	w.access.beat(now)
	w.n.decisions.beat(now)
	w.generateBeat()
	w.forgetInvitations(now)
	w.vouchBeat(now)
	w.adopt(now)
	w.recall(now)
	w.owner.beat(now)
	w.giveVotes(now)
	for _, p := range sortedParts(w.hosts) {
		w.hosts[p].beat(now)
	}
	if w.closing {
		w.leaveMore()
	}
	w.seekAll()
	w.tendLinks()
}

// receive takes a message of another node.
func (w *network) receive(from machine.Peer, m machine.Message) {
	if w.bars(from) {
		w.n.counts.Dropped++
		return
	}
	f := w.hear(from)
	switch m := m.(type) {
	case *Routed:
		w.onRouted(f, m)
	case *ToSessions:
		w.toSessions(f, m.Sessions, m.Msg)
	case *ToWatchers:
		w.toWatchers(f, m)
	case *SessionEnded:
		w.endFar(f, m.Session)
	case *EndSession:
		w.endSession(f, m)
	case *Who:
		w.onWho(f, m)
	case *Elsewhere:
		w.onElsewhere(f, m)
	case *Generate:
		w.onGenerate(f, m)
	case *Found:
		w.onFound(m)
	case *Invite:
		w.onInvite(f, m)
	case *Invited:
		w.onInvited(f, m)
	case *Standing:
		w.onStanding(f, m)
	case *Leaving:
		f.left, f.seen = true, machine.Peer{}
		delete(w.memory.heard, from.ID)
	case *group.Message:
		w.onGroup(f, m.Space, m)
	case *group.Chunk:
		w.onGroup(f, m.Space, m)
	case *group.ChunkAck:
		w.onGroup(f, m.Space, m)
	case *Overlay, *AskPlaces, *Places, *overlay.Hello, *overlay.NetworkView, *overlay.ConnectionInfo,
		*overlay.JoinRequest, *overlay.RtRequest, *overlay.RtResponse, *overlay.RtHint, *overlay.Unicast, *overlay.Areacast:
		w.layer.receive(f, m)
	case *PlayersAt:
		w.entries.learn(f, m)
	case *OwnerPlays:
		f.ownerPlays = f.state == linkUp && m.Plays
	case *Decisions:
		w.n.decisions.receive(f, m)
	case *Revoked:
		w.verified.lists().received(f, m.Version, m.List)
	case *AccessList:
		w.access.lists().received(f, m.Version, m.List)
	case *Renewed:
		w.verified.onRenewed(f, m)
	default:
		w.dir.receive(from, m)
	}
}

// toLocal gives a session of this node what a far part says; it reports false if
// there is no such session.
func (w *network) toLocal(session id.ID, m machine.Message) bool {
	peer := machine.Peer{ID: session}
	if !w.n.links[peer] {
		return false
	}
	if m != nil && w.passes(session, m) {
		w.n.counts.Sent++
		w.told(session, m)
		w.n.env.Send(peer, m)
	}
	return true
}

// toHere brings what a node has for a session here. One that has something for a
// session which has gone is told that it has: that this was said before may be
// lost, and nobody else would.
func (w *network) toHere(f *farNode, session id.ID, m machine.Message) {
	now := w.n.env.Now()
	if w.toLocal(session, m) || now < f.strayed {
		return
	}
	f.strayed = now.Add(beat)
	w.send(f.peer, &SessionEnded{session})
}

// inner is how parts see a session of this node, outer how the driver does.
func (w *network) inner(session machine.Peer) machine.Peer {
	return machine.Peer{ID: session.ID, Addr: w.tag}
}

// backlog is how many messages wait for a session, or for its node. The many
// sessions of a node that a region looks after in a tick are looked up once.
func (w *network) backlog(session machine.Peer) (waiting, limit int) {
	if session.Addr == w.tag {
		return machine.Backlog(w.n.env, machine.Peer{ID: session.ID})
	}
	f := w.tags[session.Addr]
	if f == nil {
		return 0, 0
	}
	if now := w.n.env.Now(); f.asked != now {
		f.asked = now
		f.waiting, f.limit = machine.Backlog(w.n.env, f.peer)
	}
	return f.waiting, f.limit
}

// closeFar ends a session of another node for a part here.
func (w *network) closeFar(session machine.Peer, by *part) {
	if f := w.tags[session.Addr]; f != nil && f.sessions[session.ID] {
		w.flush() // what was said to it comes first
		w.send(f.peer, &EndSession{session.ID, by.part()})
		delete(f.sessions, session.ID)
		w.n.tellParts(session, machine.LinkClosed, by)
	}
}

// ended is when a session of this node has gone: nodes whose parts know it are
// told.
func (w *network) ended(session id.ID) {
	if x := w.witness(); x != nil {
		x.OnSessionEnd(session)
	}
	w.owner.ended(session)
	told := map[machine.Peer]bool{}
	for _, r := range w.sortedRoutes() {
		if !r.sessions[session] {
			continue
		}
		delete(r.sessions, session)
		delete(r.watch, session)
		w.onTime(session, r.part.Region)
		if to := r.leader; to != (machine.Peer{}) && to != w.cfg.Self && !told[to] {
			told[to] = true
			w.send(to, &SessionEnded{session})
		}
	}
}
