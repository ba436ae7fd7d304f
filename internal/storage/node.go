package storage

import (
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// Node is one participant: an overlay node and its part of the world.
type Node struct {
	cfg     Config
	env     machine.Env
	overlay *overlay.Node
	space   overlay.Space
	world   World
	places  mapping
	time    timing
	cache   *ReplayCache
	reach   int32
	self    *overlay.Contact
	zone    int
	home    geom.Point

	events   []overlayEvent
	deferred []overlayEvent // until what neighbours push has come (5.4.1)
	busy     bool

	stopped              bool
	begun                bool // t_0 has passed
	early                bool // it was there then, and did not know its neighbours yet
	ready                bool // has what it is responsible for
	part                 responsibility
	around               *Around // the current neighbourhood; nil: to be made
	neighbourhoodChanged bool    // the neighbourhood has changed since part was measured
	waiting              bool    // for pushes
	pushes               []*Push
	pushed               map[id.ID]bool
	fetches              map[uint64]fetch // that wait, by the number of their timer
	fetched              uint64

	lateActivations []lateActivation
	handOffs
	zonePresence

	state     *Snapshot // dynamic data, of the last update; nil: none
	last      *Snapshot // the one before
	tentative *Snapshot // what the node thinks lies around its part; nil: nothing
	before    *Snapshot // the update area that the last update began with
	observed  *Snapshot // around the player's character
	restored  *Snapshot // what the node had before it began anew, or missed an update; nil: nothing

	lastObservation *Observation // of a node with Config.Wire
	static          map[ObjectID]*Object
	recentlyDormant recentlyDormant
	actions         container
	activated       []activation
	lastActivation  *Activate // the last one of the own player
	pending         pendingBatch
	toldStorers     map[id.ID][]uint32 // of storers: whom they know from here
	storing         map[id.ID]storers  // of players: who are known
	responders      [][]responder      // by zone: who has answered about the update area

	queries uint64
	running []*query
	cycle   cycle
}

// activation is a character that takes part in the step after t_of.
type activation struct {
	of     int64
	object *Object
}

// New returns a node that is not connected yet.
func New(cfg Config, env machine.Env) *Node {
	if cfg.LMax == 0 {
		cfg.LMax = DefaultLMax
	}
	if cfg.Deviation == 0 {
		cfg.Deviation = DefaultDeviation
	}
	if cfg.Cache == nil {
		cfg.Cache = NewReplayCache()
	}
	n := &Node{
		cfg: cfg, env: env, space: cfg.Overlay.Space, world: cfg.Rules.World(), cache: cfg.Cache,
		time: timing{cfg.Begin, cfg.LMax, cfg.Deviation}, self: cfg.Overlay.Self,
		handOffs: handOffs{map[id.ID]outcome{}, map[ObjectID]bool{}, map[ObjectID]*Object{}},
		static:   map[ObjectID]*Object{}, pushed: map[id.ID]bool{}, fetches: map[uint64]fetch{}, toldStorers: map[id.ID][]uint32{},
	}
	n.responders = make([][]responder, n.space.Zones())
	n.zonePresence = allPresent(n.space.Zones())
	n.places = newMapping(n.space, n.world)
	n.reach = n.world.Reach(n.time.interval())
	n.zone = n.space.Zone(n.self.Pos)
	n.home = n.places.world(n.self.Pos)
	oc := cfg.Overlay
	oc.Events = (*eventQueue)(n)
	n.overlay = overlay.New(oc, env)
	return n
}

// Self is the node's own contact, Home its place in the world.
func (n *Node) Self() *overlay.Contact { return n.self }

// Home is the node's place in the world.
func (n *Node) Home() geom.Point { return n.home }

// Overlay is the overlay node.
func (n *Node) Overlay() *overlay.Node { return n.overlay }

// World is the shape of the world.
func (n *Node) World() World { return n.world }

// Player is who plays here.
func (n *Node) Player() *Player { return n.cfg.Player }

// State is the node's part of the world, of the last update; nil: none.
func (n *Node) State() *Snapshot { return n.state }

// Static returns the static objects that the node stores, ascending by ID.
func (n *Node) Static() []*Object {
	out := slices.Collect(maps.Values(n.static))
	slices.SortFunc(out, byID)
	return out
}

// Ready reports whether the node has what it is responsible for.
func (n *Node) Ready() bool { return n.ready }
