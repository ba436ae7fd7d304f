package node

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// Net configures a node that hosts the world together with others.
type Net struct {
	Self machine.Peer
	// World is the world's id: keys of its shards are made from it.
	World id.ID
	// Known are nodes to join by. A node that knows none begins the world.
	Known []machine.Peer
	// Founder is the node of the world's founder, whose own player becomes the
	// first operator.
	Founder id.ID
	// Replicas is how many nodes a shard should have; 0: DefaultReplicas.
	Replicas int
	// MaxHosted is how many shards this node hosts; 0: DefaultMaxHosted. More
	// are refused, and the next nearest node is asked.
	MaxHosted int
	// MaxPlayers: the node accepts no more shards while so many players are at
	// home in regions that it leads; 0: any number.
	MaxPlayers int
	// Full reports whether this node should accept no more shards at the
	// moment, for example because it is short of memory. nil: never.
	Full func() bool
	// GoneAfter is how long all hosts of a shard must have been silent before
	// the shard is created anew; 0: DefaultGoneAfter.
	GoneAfter time.Duration
	// RenewAfter is the age at which a group member publishes the record of a
	// shard without a leader again; 0: DefaultRenewAfter.
	RenewAfter time.Duration
	// Stored are the spaces that are on the disk.
	Stored []string
	// Note receives messages for the person who runs the node; may be nil.
	Note func(text string)
	// CheckPass says why a node may not speak for a player with the pass that
	// it shows (nil: none). A nil CheckPass accepts every node.
	CheckPass func(pass *identity.Pass, player, gateway id.ID) error
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
	// DefaultRenewAfter leaves time for the members that renew later: a record
	// expires a day after it was published.
	DefaultRenewAfter = 12 * time.Hour
)

// network is the part of a node that exists only with several nodes: links, the
// directory, routes to the shards' leaders, and replicas.
type network struct {
	n       *Node
	cfg     Net
	tag     machine.Addr // stands for this node in the peers of sessions
	remotes map[id.ID]*remoteNode
	tags    map[machine.Addr]*remoteNode
	order   []*remoteNode // the same in order of acquaintance

	vouching     map[vouchKey]*vouching
	routes       map[Shard]*route
	replicas     map[Shard]*replica
	accused      accused
	dormant      map[Shard]bool      // replicas that are on the disk, and not read yet
	damaged      map[Shard]bool      // replicas that cannot be read
	yieldedTo    map[Shard]group.Gen // groups for which this node has given way: it joins no lesser one
	stored       map[Shard]bool      // shards on the disk, from when this node was alone
	invitations  map[Shard]*hostCheck
	hostSearches map[Shard]*hostSearch // shards that this node looks for hosts of
	creating     map[Shard]bool        // shards whose record this node creates

	nextDormantRead machine.Time // when to read a dormant replica next; 0: not known yet

	storedRetries map[Shard]machine.Time // stored shards, when to try again
	nextStored    machine.Time
	dir           directory
	out           outbox
	lagging       map[stream]*laggingSession
	leased        machine.Time // before then no lease of a shard that runs here ends
	store         nodeStore
	entries       entries
	owner         owner
	giveNext      machine.Time   // when to look for votes that another node should have
	holders       []machine.Peer // scratch
	frames        frame.Checker

	verified *verified       // nil: the world has no authority
	access   *access         // nil: in a simulation
	overlay  *overlayAdapter // the overlay; nil: this node has no place in it

	closing bool
}

// Timers of the network. Those of shards are timerSubmachine.
const timerNetwork = timerSubmachine + 1

// beat is how often onBeat runs.
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
		n: n, cfg: cfg, stored: map[Shard]bool{}, dormant: map[Shard]bool{}, damaged: map[Shard]bool{}, yieldedTo: map[Shard]group.Gen{}, invitations: map[Shard]*hostCheck{}, hostSearches: map[Shard]*hostSearch{}, creating: map[Shard]bool{}, storedRetries: map[Shard]machine.Time{}, tag: tagOf(cfg.Self.ID),
		remotes: map[id.ID]*remoteNode{}, tags: map[machine.Addr]*remoteNode{},
		vouching: map[vouchKey]*vouching{}, routes: map[Shard]*route{}, replicas: map[Shard]*replica{}, out: newOutbox(), lagging: map[stream]*laggingSession{}, accused: newAccused(),
	}
	w.dir.init(w)
	w.store.init(w)
	w.entries.init(w)
	w.owner.init(w)
	w.initVerified()
	w.initAccess()
	w.scanDisk()
	return w
}

func (w *network) note(text string) {
	if w.cfg.Note != nil {
		w.cfg.Note(text)
	}
}

// tagOf is the address that stands for a node in the peers of its sessions: a
// shard sees a session as its id and the tag of the gateway node. It is made
// from the node's id, for its network address may look different from different
// places.
func tagOf(node id.ID) (a machine.Addr) {
	copy(a[:], node[:])
	return a
}

func (w *network) start() {
	w.dir.start()
	w.store.Start()
	w.overlay.start()
	w.n.env.SetTimer(w.n.env.Now().Add(beat), machine.Timer{Kind: timerNetwork})
}

// onBeat handles everything that is due: searches, replicas, links, records.
func (w *network) onBeat() {
	w.n.env.SetTimer(w.n.env.Now().Add(beat), machine.Timer{Kind: timerNetwork})
	now := w.n.env.Now()
	w.dir.beat(now)
	w.store.beat(now)
	w.overlay.beat(now)
	if x := w.auditor(); x != nil {
		x.Tick(now)
	}
	w.verified.beat(now)
	w.access.beat(now)
	w.n.decisions.beat(now)
	w.hostSearchBeat()
	w.forgetInvitations(now)
	w.vouchBeat(now)
	w.createStoredGroups(now)
	w.readDormant(now)
	w.owner.beat(now)
	w.giveVotes(now)
	for _, p := range sortedShards(w.replicas) {
		w.replicas[p].beat(now)
	}
	if w.closing {
		w.continueLeave()
	}
	w.continueSearches()
	w.maintainLinks()
}

// receive takes a message of another node.
func (w *network) receive(from machine.Peer, m machine.Message) {
	if w.bars(from) {
		w.n.counts.Dropped++
		return
	}
	f := w.heard(from)
	switch m := m.(type) {
	case *Routed:
		w.onRouted(f, m)
	case *ToSessions:
		w.toSessions(f, m.Sessions, m.Msg)
	case *ToWatchers:
		w.toWatchers(f, m)
	case *SessionEnded:
		w.endRemoteSession(f, m.Session)
	case *EndSession:
		w.endSession(f, m)
	case *LeaderQuery:
		w.onLeaderQuery(f, m)
	case *LeaderReply:
		w.onLeaderReply(f, m)
	case *Generate:
		w.onGenerate(f, m)
	case *CreateGroup:
		w.onCreateGroup(m)
	case *HostQuery:
		w.onHostQuery(f, m)
	case *HostReply:
		w.onHostReply(f, m)
	case *GroupStatus:
		w.onGroupStatus(f, m)
	case *Leaving:
		f.left, f.seen = true, machine.Peer{}
		delete(w.store.seen, from.ID)
	case *group.Message:
		w.onGroupMessage(f, m.Space, m)
	case *group.Chunk:
		w.onGroupMessage(f, m.Space, m)
	case *group.ChunkAck:
		w.onGroupMessage(f, m.Space, m)
	case *OverlayShare, *BootstrapQuery, *BootstrapReply, *overlay.Hello, *overlay.NetworkView, *overlay.ConnectionInfo,
		*overlay.JoinRequest, *overlay.RtRequest, *overlay.RtResponse, *overlay.RtHint, *overlay.Unicast, *overlay.Areacast:
		w.overlay.receive(f, m)
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

// toSession delivers a remote shard's message to a session of this node; false:
// there is no such session.
func (w *network) toSession(session id.ID, m machine.Message) bool {
	peer := machine.Peer{ID: session}
	if !w.n.links[peer] {
		return false
	}
	if m != nil && w.passes(session, m) {
		w.n.counts.Sent++
		w.auditMessage(session, m)
		w.n.env.Send(peer, m)
	}
	return true
}

// toSessionOrNotice delivers a node's message to a session here. If the session
// has ended, the sender is told so again: the first notice may have been lost,
// and no other node would repeat it.
func (w *network) toSessionOrNotice(f *remoteNode, session id.ID, m machine.Message) {
	now := w.n.env.Now()
	if w.toSession(session, m) || now < f.nextStrayNotice {
		return
	}
	f.nextStrayNotice = now.Add(beat)
	w.sendOverLink(f.peer, &SessionEnded{session})
}

// inner is the peer by which shards know a session of this node, outer the
// driver's.
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

// closeRemoteSession ends a session of another node for a shard here.
func (w *network) closeRemoteSession(session machine.Peer, by *submachine) {
	if f := w.tags[session.Addr]; f != nil && f.sessions[session.ID] {
		w.flush() // what was said to it comes first
		w.sendOverLink(f.peer, &EndSession{session.ID, by.shard()})
		delete(f.sessions, session.ID)
		w.n.linkEventToAll(session, machine.LinkClosed, by)
	}
}

// ended is when a session of this node has gone: nodes whose shards know it are
// told.
func (w *network) ended(session id.ID) {
	if x := w.auditor(); x != nil {
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
		w.caughtUp(session, r.shard.Region)
		if to := r.leader; to != (machine.Peer{}) && to != w.cfg.Self && !told[to] {
			told[to] = true
			w.sendOverLink(to, &SessionEnded{session})
		}
	}
}
