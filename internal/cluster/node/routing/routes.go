// Package routing knows where the shards of the world are led, and brings messages there.
// For each shard that is used here it has a route: the leader, the hosts, and the sessions
// here that use it. It looks for leaders that are not known (docs/protocols/hosting.md,
// "Finding a leader"): it asks the hosts, then the directory, then the node that is to find
// hosts (dissertation, algorithm 3).
//
// It knows nothing of replicas but their groups, and nothing of sessions but their ids:
// both are behind the interfaces of Surroundings. Admission of sessions is not its matter.
//
// Invariants:
//   - a leader counts when most of the hosts that are known name it (decision 122);
//   - messages between shards wait while the leader is unknown, those of sessions do not:
//     sessions are told of a new leader, enter and watch again;
//   - what waits is bounded, and given up when no leader is found in time;
//   - a node speaks for a shard only if it is known to host it.
//
// Where to start: Routes (routes.go); Continue (leadersearch.go) is the search, decideLeader
// (leaderclaims.go) the count of what hosts say, Elsewhere (forward.go) the way of messages,
// Speakers (speakers.go) who may speak in a shard's name.
package routing

import (
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Routes are where the shards of the world are led, as far as this node knows.
type Routes struct {
	part.Part
	// Speakers decides who may speak in a shard's name.
	Speakers *Speakers

	links     *peers.Links
	dir       *directory.Directory
	seen      *peers.Sightings
	hosting   LocalReplicas
	creation  Coordinator
	sessions  Sessions
	events    Events
	convicted Convicted

	table map[shards.Shard]*route
}

// Surroundings are what routing needs of the rest of the node.
type Surroundings struct {
	Hosting   LocalReplicas
	Creation  Coordinator
	Sessions  Sessions
	Events    Events
	Convicted Convicted
}

// Convicted are nodes that are not asked to find hosts, and not used as leaders for a
// while (accountability).
type Convicted interface {
	Has(who id.ID) bool
	Avoids(who id.ID) bool
}

// LocalReplicas is what routing needs of the replicas here (hosting).
type LocalReplicas interface {
	// GroupOf returns the group of the replica here, reading it if it is only on the
	// disk; nil: there is none. LoadedGroup does not read.
	GroupOf(shards.Shard) *shardgroup.Group
	LoadedGroup(shards.Shard) *shardgroup.Group
	// Wake wakes the group of a shard that is needed.
	Wake(shards.Shard)
}

// Coordinator finds hosts for a shard that has none (groupCreation). silent are hosts that
// it had.
type Coordinator interface {
	Coordinate(p shards.Shard, silent []machine.Peer)
}

// Sessions are the sessions of this node (gatewaySessions).
type Sessions interface {
	ToSession(session id.ID, m machine.Message) bool
	// CaughtUp is when a session begins anew with a region.
	CaughtUp(session id.ID, at world.RegionPos)
}

// Events is what follows when a shard that was led before has a new leader.
type Events interface{ NewHost(shards.Shard) }

// route is where a shard is led, and which sessions here use it.
//
// Messages of shards wait while the leader is unknown. Messages of sessions do
// not: when the leader is found, sessions are told to enter and watch again.
type route struct {
	shard     shards.Shard
	leader    machine.Peer // zero: looked for; this node's own: led here
	members   []machine.Peer
	term      uint64
	ledBefore bool // it was led somewhere before

	sessions      map[id.ID]bool          // of this node, that have business there
	watch         map[id.ID]*region.Watch // what they watch
	rewatch       machine.Time            // when that is said again
	queue         []part.Call             // of shards here, while the leader is looked for
	used          machine.Time
	lost          machine.Time // since when the leader is looked for
	searching     bool
	began         machine.Time // when the search began
	next          machine.Time // when to ask again
	tries         int
	silenceChecks int          // times that others were asked since the leader fell silent,
	silentSince   machine.Time // and when they were first
	idleChecks    int          // times that they were for nothing while it says little,
	nextIdleCheck machine.Time // and when to ask then again
	nextConfirm   machine.Time // when to ask a host again that spoke for the shard
	lookupPending bool         // the directory has been asked,
	lookedUp      machine.Time // then
	told          machine.Time
	nextExplain   machine.Time // when sessions are told again why it takes so long
	noRoom        machine.Time // when it was last found that nobody has room for it
	asked         id.ID        // the node that was asked to find hosts

	claims   map[id.ID]leaderClaim // what hosts have said lately of the leader
	polled   machine.Time          // since when they are asked because one named another leader; 0: they are not
	nextPoll machine.Time
	hinted   []machine.Peer // whom hosts have named as hosts
}

// trusts reports whether a node may say where the shard is led: a member of its
// group, or the node that was asked to create one. What counts is what most say
// (leaderclaims.go).
func (r *route) trusts(p machine.Peer) bool {
	return r.leader.ID == p.ID || r.asked == p.ID || peers.Among(r.members, p.ID) || peers.Among(r.hinted, p.ID)
}

const (
	maxRoutes  = 1 << 14
	maxWaiting = 1024 // messages of shards that wait for a leader
	// askEvery is the interval between the first steps of a search; later it is
	// four times as long, so that overloaded nodes are not asked too often.
	askEvery = 500 * time.Millisecond
	// askedBefore is how often silent hosts are asked before it is found out whether
	// the shard has lost them.
	askedBefore = 4
	// calmAtMost is how often others are asked at least who leads a shard whose
	// leader is there but says little.
	calmAtMost = 32 * time.Second
	// tellEvery is how often sessions are told that a shard cannot be reached;
	// messages that wait for it are dropped then. explainAfter is when they are
	// told first: later than an election takes.
	tellEvery    = 10 * time.Second
	explainAfter = 4 * time.Second
	// RewatchEvery is how often the leader is told what sessions here watch, for
	// it may have begun anew without this node's hearing of it.
	RewatchEvery  = 10 * time.Second
	routeLifetime = time.Minute // a route that nobody uses
)

// New returns the routes of a node that has used no shard yet; Connect comes before they
// are used.
func New(c part.Part, l *peers.Links, dir *directory.Directory, seen *peers.Sightings) *Routes {
	t := &Routes{Part: c, links: l, dir: dir, seen: seen, table: map[shards.Shard]*route{}}
	t.Speakers = &Speakers{Part: c, routes: t, unverified: peers.NewOwn[int](l), list: map[shards.Shard][]unverifiedMessage{}}
	return t
}

// Connect gives the routes what is made after them.
func (t *Routes) Connect(s Surroundings) {
	t.hosting, t.creation, t.sessions, t.events, t.convicted = s.Hosting, s.Creation, s.Sessions, s.Events, s.Convicted
}

// IsFull reports whether there is no route to a shard, and none can be added.
func (t *Routes) IsFull(p shards.Shard) bool { return t.table[p] == nil && len(t.table) >= maxRoutes }

// of returns the route to a shard, which it adds if there is none.
func (t *Routes) of(p shards.Shard) *route {
	r := t.table[p]
	if r == nil {
		now := t.Env.Now()
		r = &route{shard: p, sessions: map[id.ID]bool{}, watch: map[id.ID]*region.Watch{}, lost: now, told: now}
		t.table[p] = r
	}
	r.used = t.Env.Now()
	return r
}

// sorted are all routes in an order that does not come from a map.
func (t *Routes) sorted() []*route {
	return slices.SortedFunc(maps.Values(t.table), func(a, b *route) int { return shards.Compare(a.shard, b.shard) })
}

// State is what is known of where a shard is led that is used here.
type State struct {
	Shard     shards.Shard
	Leader    machine.Peer // zero: not known
	Members   []machine.Peer
	Sessions  int // of this node that use it
	Searching bool
}

// All are the routes, in order of their shards.
func (t *Routes) All() (out []State) {
	for _, r := range t.sorted() {
		out = append(out, State{r.shard, r.leader, r.members, len(r.sessions), r.searching})
	}
	return out
}
