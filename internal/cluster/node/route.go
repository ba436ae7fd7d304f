package node

import (
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
)

// route is where a shard is led, as far as this node knows, and which sessions
// here use it.
//
// Messages of shards wait while the leader is unknown. Messages of sessions do
// not: when the leader is found, sessions are told to enter and watch again.
type route struct {
	shard     Shard
	leader    machine.Peer // zero: looked for; this node's own: led here
	members   []machine.Peer
	term      uint64
	ledBefore bool // it was led somewhere before

	sessions      map[id.ID]bool          // of this node, that have business there
	watch         map[id.ID]*region.Watch // what they watch
	rewatch       machine.Time            // when that is said again
	queue         []upcall                // of shards here, while the leader is looked for
	unverified    []unverifiedMessage     // said in this shard's name by nodes that may not lead it
	used          machine.Time
	lost          machine.Time // since when the leader is looked for
	searching     bool
	next          machine.Time // when to ask again
	tries         int
	silenceChecks int          // times that others were asked since the leader fell silent
	idleChecks    int          // times that they were for nothing while it says little,
	nextIdleCheck machine.Time // and when to ask then again
	nextConfirm   machine.Time // when to ask a host again that spoke for the shard
	lookupPending bool         // the directory has been asked
	told          machine.Time
	nextExplain   machine.Time // when sessions are told again why it takes so long
	noRoom        machine.Time // when it was last found that nobody has room for it
	asked         id.ID        // the node that was asked to find hosts
}

// trusts reports whether a node may say where the shard is led: a member of its
// group, or the node that was asked to create one.
func (r *route) trusts(p machine.Peer) bool {
	return r.leader.ID == p.ID || r.asked == p.ID || among(r.members, p.ID)
}

const (
	maxRoutes  = 1 << 14
	maxWaiting = 1024 // messages of shards that wait for a leader
	// askEvery is the interval between the first steps of a search; later it is
	// four times as long, so that overloaded nodes are not asked too often.
	askEvery = 500 * time.Millisecond
	// silentAfter is the least silence after which a leader that players here
	// use is checked, silentAtMost the longest, for leaders that send seldom.
	silentAfter  = 500 * time.Millisecond
	silentAtMost = 2 * time.Second
	// calmAtMost is how often others are asked at least who leads a shard whose
	// leader is there but says little.
	calmAtMost = 32 * time.Second
	// tellEvery is how often sessions are told that a shard cannot be reached;
	// messages that wait for it are dropped then. explainAfter is when they are
	// told first: later than an election takes.
	tellEvery    = 10 * time.Second
	explainAfter = 4 * time.Second
	// rewatchEvery is how often the leader is told what sessions here watch, for
	// it may have begun anew without this node's hearing of it.
	rewatchEvery  = 10 * time.Second
	routeLifetime = time.Minute // a route that nobody uses
)

func (w *network) route(p Shard) *route {
	r := w.routes[p]
	if r == nil {
		now := w.n.env.Now()
		r = &route{shard: p, sessions: map[id.ID]bool{}, watch: map[id.ID]*region.Watch{}, lost: now, told: now}
		w.routes[p] = r
	}
	r.used = w.n.env.Now()
	return r
}

// sortedRoutes are all routes in an order that does not come from a map.
func (w *network) sortedRoutes() []*route {
	return slices.SortedFunc(maps.Values(w.routes), func(a, b *route) int { return compareShards(a.shard, b.shard) })
}

// fromSession brings a session's message to a shard, here or at another node.
func (w *network) fromSession(session id.ID, to Shard, m machine.Message) {
	if !to.inWorld() || w.routes[to] == nil && len(w.routes) >= maxRoutes {
		w.n.counts.Dropped++
		return
	}
	if e, ok := m.(*lobby.Enter); ok && e.Local {
		w.owner.enters(session)
	}
	m = w.clearLocal(w.cfg.Self.ID, m)
	if e, ok := m.(*lobby.Enter); ok {
		if why := w.visitRefused(e, w.cfg.Self.ID); why != nil {
			w.toSession(session, why)
			return
		}
	}
	r := w.route(to)
	r.sessions[session] = true
	r.noteWatch(session, m)
	if x := w.auditor(); x != nil && !to.Lobby {
		x.OnRequest(session, to.Region, m)
	}
	switch {
	case r.leader == w.cfg.Self:
		w.n.push(upcall{to: to.peer(), from: machine.Peer{ID: session, Addr: w.tag}, m: m})
	case r.leader != machine.Peer{}:
		w.sendOverLink(r.leader, &Routed{To: to, Session: session, Msg: m})
	default:
		w.searchLeader(r)
	}
}

// clearLocal clears Enter.Local unless the session is at the founder's node.
func (w *network) clearLocal(node id.ID, m machine.Message) machine.Message {
	e, ok := m.(*lobby.Enter)
	if !ok || !e.Local || node == w.cfg.Founder {
		return m
	}
	guest := *e
	guest.Local = false
	return &guest
}

// elsewhere forwards a message between shards to another node; false: the
// receiver is led here.
func (w *network) elsewhere(u upcall) bool {
	to, _ := shardOf(u.to)
	r := w.route(to)
	switch {
	case r.leader == w.cfg.Self:
		return false
	case u.link != 0 || !to.inWorld():
	case r.leader != machine.Peer{}:
		w.forward(r, u)
	case len(r.queue) >= maxWaiting:
		w.n.counts.Dropped++
	default:
		r.queue = append(r.queue, u)
		w.searchLeader(r)
	}
	return true
}

// forward sends a shard's message to the node that leads its receiver.
func (w *network) forward(r *route, u upcall) {
	from, ok := shardOf(u.from)
	if !ok {
		w.n.counts.Dropped++
		return
	}
	out := &Routed{To: r.shard, From: from, Msg: u.m}
	if session := sessionIn(u.m); session.Addr == w.tag {
		out.Gateway = w.cfg.Self
	} else if f := w.tags[session.Addr]; f != nil {
		out.Gateway = f.peer
	}
	w.sendOverLink(r.leader, out)
}

// sessionIn is the session that a message names, zero if none.
func sessionIn(m machine.Message) machine.Peer {
	switch m := m.(type) {
	case *region.Handover:
		return m.Session
	case *region.Forward:
		return m.Session
	}
	return machine.Peer{}
}
