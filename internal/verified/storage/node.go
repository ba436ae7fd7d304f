package storage

import (
	"iter"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/actions"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/dormant"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/replica"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/retrieval"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/transfer"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/vote"
)

// Node is one participant: an overlay node and its part of the world. It passes
// messages and timers to its components; each has its own state, and its struct
// names the components that it uses.
type Node struct {
	part     part.Part
	cfg      Config
	hooks    hooks
	inbox    inbox
	area     placement.Area
	zones    placement.Electorate
	known    placement.Acquaintances
	actions  *actions.Actions
	replica  *replica.Replica
	patches  replica.Patches
	queries  *retrieval.Retrievals
	dormant  *dormant.Store
	transfer *transfer.Transfer
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
	n := newNode(part.Part{
		Env: env, Space: cfg.Overlay.Space, World: cfg.Rules.World(), Cache: cfg.Cache,
		Time: state.NewTiming(cfg.Begin, cfg.LMax, cfg.Deviation), Self: cfg.Overlay.Self,
	}, cfg)
	n.part.Places = state.NewMapping(n.part.Space, n.part.World)
	n.part.Reach = n.part.World.Reach(n.part.Time.Interval())
	n.part.Zone = n.part.Space.Zone(n.part.Self.Pos)
	n.part.Home = n.part.Places.World(n.part.Self.Pos)
	oc := cfg.Overlay
	oc.Events = (*eventQueue)(n)
	n.part.Overlay = overlay.New(oc, env)
	return n
}

// newNode gives each component those that it uses.
func newNode(shared part.Part, cfg Config) *Node {
	n := &Node{part: shared, cfg: cfg}
	c := &n.part
	c.Cfg, c.Hardened = &n.cfg.Settings, cfg.Protocol == ProtocolHardened
	n.hooks = hooks{&n.cfg, n}
	n.area = placement.Area{Part: c}
	n.zones = placement.AllPresent(c)
	n.known = placement.Acquaintances{Part: c, Area: &n.area, Reported: func(zone int) iter.Seq[*overlay.Contact] { return n.queries.Reported(zone) }}
	n.actions = actions.New(c, actions.Surroundings{
		Area: &n.area, Zones: &n.zones, Known: &n.known, Hooks: &n.hooks, Fault: cfg.Fault, Complete: n.updates.update, WillCompute: n.updates.willCompute,
	})
	n.replica = replica.New(c, &n.area)
	n.patches = replica.Patches{Part: c, Replica: n.replica}
	n.dormant = dormant.New(c, dormant.Surroundings{
		Area: &n.area, Zones: &n.zones, Replica: n.replica, Actions: &n.actions.Store, Known: &n.known,
		Responders: func(zone int) []*overlay.Contact { return n.queries.Direct(zone) },
		Fetching:   func(p geom.Point) bool { return n.transfer.Fetching(p) },
	})
	n.queries = retrieval.New(c, retrieval.Surroundings{
		Area: &n.area, Zones: &n.zones, Replica: n.replica, Patches: &n.patches,
		Ballot: vote.New(c, &n.area, &n.zones, n.replica), Static: n.dormant, Ended: n.retrieved,
	})
	n.transfer = transfer.New(c, transfer.Surroundings{
		Area: &n.area, Zones: &n.zones, Replica: n.replica, Actions: &n.actions.Store, Dormant: n.dormant, Retrievals: n.queries,
		Push: n.hooks.push, MakeInitial: n.updates.makeInitial, CatchUp: n.updates.catchUp, HandleDeferred: n.inbox.handleDeferred,
	})
	n.updates = updater{
		Part: c, cfg: &n.cfg, hooks: &n.hooks, inbox: &n.inbox, area: &n.area, replica: n.replica, store: &n.actions.Store, queries: n.queries, acts: &n.actions.Retrieval, dormant: n.dormant, transfer: n.transfer,
	}
	n.answers = answerer{Part: c, hooks: &n.hooks, area: &n.area, replica: n.replica, patches: &n.patches, store: &n.actions.Store, dormant: n.dormant, transfer: n.transfer}
	n.inbox = inbox{Part: c}
	return n
}

// retrieved takes the result of a retrieval of an area.
func (n *Node) retrieved(q *retrieval.Query, out vote.Outcome, votes int) {
	n.hooks.retrievedArea(q, out, votes)
	n.updates.onOutcome(q, out, votes)
}

// Self is the node's own contact, Home its place in the world.
func (n *Node) Self() *overlay.Contact { return n.part.Self }

// Home is the node's place in the world.
func (n *Node) Home() geom.Point { return n.part.Home }

// Overlay is the overlay node.
func (n *Node) Overlay() *overlay.Node { return n.part.Overlay }

// World is the shape of the world.
func (n *Node) World() state.World { return n.part.World }

// Player is who plays here.
func (n *Node) Player() *state.Player { return n.cfg.Player }

// State is the node's part of the world, of the last update; nil: none.
func (n *Node) State() *state.Snapshot { return n.replica.State }

// Static returns the static objects that the node stores, ascending by ID.
func (n *Node) Static() []*state.Object {
	return n.dormant.All()
}

// Ready reports whether the node has what it is responsible for.
func (n *Node) Ready() bool { return n.part.Ready }
