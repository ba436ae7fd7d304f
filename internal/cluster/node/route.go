package node

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

// routes are where the shards of the world are led, as far as this node knows: the
// routing of messages between groups.
type routes struct {
	part.Part
	links     *peers.Links
	dir       *directory.Directory
	seen      *peers.Sightings
	hosting   localReplicas
	creation  coordinator
	sessions  routedSessions
	speakers  unverifiedSpeech
	events    routeEvents
	convicted convictedNodes

	table map[shards.Shard]*route
}

// convictedNodes are nodes that are not asked to find hosts, and not used as leaders for a
// while (accountability).
type convictedNodes interface {
	Has(who id.ID) bool
	Avoids(who id.ID) bool
}

// localReplicas is what routing needs of the replicas here (hosting).
type localReplicas interface {
	// GroupOf returns the group of the replica here, reading it if it is only on the
	// disk; nil: there is none. loadedGroup does not read.
	GroupOf(shards.Shard) *shardgroup.Group
	LoadedGroup(shards.Shard) *shardgroup.Group
	// Wake wakes the group of a shard that is needed.
	Wake(shards.Shard)
}

// coordinator finds hosts for a shard that has none (groupCreation).
type coordinator interface {
	coordinate(p shards.Shard, silent []machine.Peer)
}

// routedSessions are the sessions here that use a shard (gatewaySessions).
type routedSessions interface {
	ToSession(session id.ID, m machine.Message) bool
	caughtUp(session id.ID, at world.RegionPos)
	repeatWatches(r *route, now machine.Time)
}

// unverifiedSpeech is what waits until it is known who hosts a shard (speakers).
type unverifiedSpeech interface {
	waiting(shards.Shard) int
	accept(shards.Shard)
	drop(shards.Shard)
}

// routeEvents is what follows when a shard that was led before has a new leader.
type routeEvents interface{ newHost(shards.Shard) }

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
	silenceChecks int          // times that others were asked since the leader fell silent
	idleChecks    int          // times that they were for nothing while it says little,
	nextIdleCheck machine.Time // and when to ask then again
	nextConfirm   machine.Time // when to ask a host again that spoke for the shard
	lookupPending bool         // the directory has been asked
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
	// rewatchEvery is how often the leader is told what sessions here watch, for
	// it may have begun anew without this node's hearing of it.
	rewatchEvery  = 10 * time.Second
	routeLifetime = time.Minute // a route that nobody uses
)

func newRoutes(c part.Part, l *peers.Links, dir *directory.Directory, seen *peers.Sightings) *routes {
	return &routes{Part: c, links: l, dir: dir, seen: seen, table: map[shards.Shard]*route{}}
}

// known returns the route to a shard; nil: it has not been used lately.
func (t *routes) known(p shards.Shard) *route { return t.table[p] }

// isFull reports whether there is no route to a shard, and none can be added.
func (t *routes) isFull(p shards.Shard) bool { return t.table[p] == nil && len(t.table) >= maxRoutes }

// of returns the route to a shard, which it adds if there is none.
func (t *routes) of(p shards.Shard) *route {
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
func (t *routes) sorted() []*route {
	return slices.SortedFunc(maps.Values(t.table), func(a, b *route) int { return shards.Compare(a.shard, b.shard) })
}
