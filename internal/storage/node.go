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
	memo    *Memo
	reach   int32
	self    *overlay.Contact
	zone    int
	home    geom.Point

	upcalls []upcall
	held    []upcall // until what neighbours push has come (5.4.1)
	busy    bool

	stopped bool
	begun   bool // t_0 has passed
	early   bool // it was there then, and did not know its neighbours yet
	ready   bool // has what it is responsible for
	part    territory
	around  *Around // the current neighbourhood; nil: to be made
	moved   bool    // the neighbourhood has changed since part was measured
	waiting bool    // for pushes
	pushes  []*Push
	pushed  map[id.ID]bool
	fetches map[uint64]fetch // that wait, by the number of their timer
	fetched uint64

	lateWakes []lateWake
	testament
	inhabited

	state  *Snapshot // dynamic data, of the last update; nil: none
	last   *Snapshot // the one before
	guess  *Snapshot // what the node thinks lies around its part; nil: nothing
	before *Snapshot // the update area that the last update began with
	looked *Snapshot // around the player's character
	kept   *Snapshot // what the node had before it began anew, or missed an update; nil: nothing

	lastLook *Look // of a node with Config.Wire
	static   map[ObjectID]*Object
	lately   lately
	actions  container
	woken    []wakening
	waking   *Wake // the last one of the own player
	purse    purse
	told     map[id.ID][]uint32 // of storers: whom they know from here
	storing  map[id.ID]storers  // of players: who are known
	pins     [][]pin            // by zone: who has answered about the update area

	queries uint64
	running []*query
	cycle   cycle
}

// wakening is a character that takes part in the step after t_of.
type wakening struct {
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
	if cfg.Memo == nil {
		cfg.Memo = NewMemo()
	}
	n := &Node{
		cfg: cfg, env: env, space: cfg.Overlay.Space, world: cfg.Rules.World(), memo: cfg.Memo,
		time: timing{cfg.Begin, cfg.LMax, cfg.Deviation}, self: cfg.Overlay.Self,
		testament: testament{map[id.ID]outcome{}, map[ObjectID]bool{}, map[ObjectID]*Object{}},
		static:    map[ObjectID]*Object{}, pushed: map[id.ID]bool{}, fetches: map[uint64]fetch{}, told: map[id.ID][]uint32{},
	}
	n.pins = make([][]pin, n.space.Zones())
	n.inhabited = allInhabited(n.space.Zones())
	n.places = newMapping(n.space, n.world)
	n.reach = n.world.Reach(n.time.interval())
	n.zone = n.space.Zone(n.self.Pos)
	n.home = n.places.world(n.self.Pos)
	oc := cfg.Overlay
	oc.Events = (*ears)(n)
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
