package storage

import (
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Node is one participant: an overlay node and its part of the world. It passes
// messages and timers to its components; each has its own state, and its struct
// names the components that it uses.
type Node struct {
	core
	cfg      Config
	hooks    hooks
	inbox    inbox
	area     ownArea
	zones    electorate
	receipts receiptRules
	known    acquaintances
	faults   faultLog
	store    actionStore
	player   ownPlayer
	replica  replica
	patches  patchCodec
	ballot   ballot
	queries  retrievals
	peers    responderCache
	fetcher  fetcher
	acts     actionRetrieval
	dormant  dormantStore
	transfer transfer
	updates  updater
	answers  answerer
	busy     bool // drain is running
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
		cfg.Cache = state.NewReplayCache()
	}
	n := newNode(core{
		env: env, space: cfg.Overlay.Space, world: cfg.Rules.World(), cache: cfg.Cache,
		time: state.NewTiming(cfg.Begin, cfg.LMax, cfg.Deviation), self: cfg.Overlay.Self,
	}, cfg)
	n.places = state.NewMapping(n.space, n.world)
	n.reach = n.world.Reach(n.time.Interval())
	n.zone = n.space.Zone(n.self.Pos)
	n.home = n.places.World(n.self.Pos)
	oc := cfg.Overlay
	oc.Events = (*eventQueue)(n)
	n.overlay = overlay.New(oc, env)
	return n
}

// newNode gives each component those that it uses.
func newNode(shared core, cfg Config) *Node {
	n := &Node{core: shared, cfg: cfg}
	c := &n.core
	c.cfg, c.hardened = &n.cfg.Settings, cfg.Protocol == ProtocolHardened
	n.hooks = hooks{&n.cfg, n}
	n.area = ownArea{core: c}
	n.zones = allPresent(c)
	n.known = acquaintances{core: c, area: &n.area, peers: &n.peers}
	n.faults = faultLog{report: cfg.Fault}
	n.receipts = receiptRules{core: c, zones: &n.zones, known: &n.known}
	n.store = actionStore{core: c, hooks: &n.hooks, area: &n.area, zones: &n.zones, receipts: &n.receipts, faults: &n.faults}
	n.player = ownPlayer{core: c, area: &n.area, zones: &n.zones, receipts: &n.receipts, hooks: &n.hooks, updates: &n.updates, toldStorers: map[id.ID][]uint32{}}
	n.replica = replica{core: c, area: &n.area}
	n.patches = patchCodec{core: c, replica: &n.replica}
	n.ballot = ballot{core: c, zones: &n.zones, replica: &n.replica}
	n.queries = retrievals{core: c, hooks: &n.hooks, zones: &n.zones, replica: &n.replica, ballot: &n.ballot, peers: &n.peers, fetcher: &n.fetcher, updates: &n.updates}
	n.peers = responderCache{core: c, area: &n.area, zones: &n.zones, replica: &n.replica, ballot: &n.ballot, queries: &n.queries, responders: make([][]responder, n.space.Zones())}
	n.fetcher = fetcher{core: c, replica: &n.replica, patches: &n.patches, ballot: &n.ballot, queries: &n.queries, dormant: &n.dormant}
	n.acts = actionRetrieval{core: c, hooks: &n.hooks, area: &n.area, zones: &n.zones, receipts: &n.receipts, known: &n.known, faults: &n.faults, store: &n.store, queries: &n.queries, updates: &n.updates}
	n.dormant = dormantStore{
		core: c, area: &n.area, zones: &n.zones, replica: &n.replica, store: &n.store, transfer: &n.transfer, static: map[state.ObjectID]*state.Object{},
		handOffs: handOffs{map[id.ID]outcome{}, map[state.ObjectID]bool{}, map[state.ObjectID]*state.Object{}},
	}
	n.transfer = transfer{
		core: c, hooks: &n.hooks, inbox: &n.inbox, area: &n.area, zones: &n.zones, replica: &n.replica, store: &n.store, dormant: &n.dormant, queries: &n.queries, updates: &n.updates,
		pushed: map[id.ID]bool{}, fetches: map[uint64]fetch{},
	}
	n.updates = updater{
		core: c, cfg: &n.cfg, hooks: &n.hooks, inbox: &n.inbox, area: &n.area, replica: &n.replica, store: &n.store, ballot: &n.ballot, queries: &n.queries, acts: &n.acts, dormant: &n.dormant, transfer: &n.transfer,
	}
	n.answers = answerer{core: c, hooks: &n.hooks, area: &n.area, replica: &n.replica, patches: &n.patches, store: &n.store, dormant: &n.dormant, transfer: &n.transfer}
	n.inbox = inbox{core: c}
	return n
}

// Self is the node's own contact, Home its place in the world.
func (n *Node) Self() *overlay.Contact { return n.self }

// Home is the node's place in the world.
func (n *Node) Home() geom.Point { return n.home }

// Overlay is the overlay node.
func (n *Node) Overlay() *overlay.Node { return n.overlay }

// World is the shape of the world.
func (n *Node) World() state.World { return n.world }

// Player is who plays here.
func (n *Node) Player() *state.Player { return n.cfg.Player }

// State is the node's part of the world, of the last update; nil: none.
func (n *Node) State() *state.Snapshot { return n.replica.state }

// Static returns the static objects that the node stores, ascending by ID.
func (n *Node) Static() []*state.Object {
	out := slices.Collect(maps.Values(n.dormant.static))
	slices.SortFunc(out, state.ByID)
	return out
}

// Ready reports whether the node has what it is responsible for.
func (n *Node) Ready() bool { return n.ready }
