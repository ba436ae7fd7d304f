package storage

import (
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// Constants of the thesis' evaluation (6.4.1, 3.3).
const (
	// DefaultLMax is l_max, the assumed greatest latency of a message.
	DefaultLMax = 2 * time.Second
	// DefaultDeviation is t_d, how far clocks are from the true time.
	DefaultDeviation = 10 * time.Millisecond
)

// Config is a node's settings.
type Config struct {
	Overlay overlay.Config // its Events are the storage's
	Rules   Rules
	// Protocol is what the network does beyond the thesis' protocol.
	Protocol Protocol
	// Wire is whether messages travel as bytes (see brief.go); Secret makes the
	// numbers of retrievals, which nobody else can tell beforehand then.
	Wire   bool
	Secret []byte
	// Memo is what nodes of a simulation share; nil: the node has its own.
	Memo *Memo
	// Begin is t_0, when the world begins as Rules.Initial has it (5.3.6).
	Begin machine.Time
	// Updates is after how many updates the world stands still; 0: never.
	Updates int64
	// LMax and Deviation are l_max and t_d; 0: the defaults.
	LMax, Deviation time.Duration
	// Player is who plays at this node; nil: nobody.
	Player *Player
	// Where tells where the player's character is, so that its surroundings as
	// far as Interest are looked at once in an interval; nil: never.
	Where    func() (geom.Point, bool)
	Interest int32
	// Check tells whether an action's signature is its player's; nil: they are
	// not looked at.
	Check func(*Action) bool
	// SignReceipt signs a receipt of this node, CheckReceipt tells whether one's
	// signature is its storer's; nil: they are not signed, not looked at.
	SignReceipt  func(*Receipt)
	CheckReceipt func(*Receipt) bool
	// SignBatch signs what this node's player has done in an interval, CheckBatch
	// tells whether a batch bears its player's signature; nil: they are not signed,
	// not looked at.
	SignBatch  func(*Batch) []byte
	CheckBatch func(*Batch, []byte) bool
	// Events hears what the player's node finds out; nil: nobody.
	Events Events
	// Behaviour is what a dishonest node does otherwise; nil: an honest one.
	Behaviour Behaviour
	// Probe measures; nil: nobody.
	Probe Probe
}

// Events are the results that go up. They are called inside a handler and must
// not call the node.
type Events interface {
	// Looked: what lies around the player's character at t_of. Nil if it could
	// not be found out. Confidence is the share of zones that agree.
	Looked(seen *Snapshot, confidence float64)
	// Updated: the node has replayed its part of the world to t_of.
	Updated(s *Snapshot)
}

// Behaviour is what a node of an attacker does instead of what is right. Each
// method is given the honest answer, which it must not change; nil: no answer.
type Behaviour interface {
	// Intercept sees every message before the node does; true: the node does
	// not get it.
	Intercept(n *Node, from machine.Peer, m machine.Message) bool
	// Answer is given the answer to a retrieval of an area.
	Answer(n *Node, by *overlay.Contact, q *Retrieve, honest *Result) *Result
	// AnswerActions is given the answer to a retrieval of actions.
	AnswerActions(n *Node, by *overlay.Contact, q *RetrieveActions, honest *ActionsResult) *ActionsResult
	// Keep reports whether an action is stored.
	Keep(n *Node, a *Action) bool
	// Push is given what a neighbour that has joined gets.
	Push(n *Node, to *overlay.Contact, honest *Push) *Push
}

// Timers; those of the overlay are below.
const (
	timerCycle uint16 = 100 + iota
	timerQuery
	timerStatic
	timerPushes
	timerFetch
	timerDeposit
	timerHurry
	timerInsist
	timerPins
	timerWake
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

// upcall is something the overlay has reported: a message, or that the
// neighbourhood has changed.
type upcall struct {
	unicast *overlay.Unicast
	came    machine.Time // of a unicast: when it came to the node
	area    *overlay.Areacast
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

// ears hears the overlay's events: they are handled when its handler is over.
type ears Node

func (e *ears) Joined()        { e.upcalls = append(e.upcalls, upcall{}) }
func (e *ears) Neighbourhood() { e.upcalls = append(e.upcalls, upcall{}) }
func (e *ears) Received(m *overlay.Unicast, came machine.Time) {
	e.upcalls = append(e.upcalls, upcall{unicast: m, came: came})
}

func (e *ears) ReceivedArea(m *overlay.Areacast) { e.upcalls = append(e.upcalls, upcall{area: m}) }
func (e *ears) Report(v overlay.Evidence) {
	if e.cfg.Overlay.Events != nil {
		e.cfg.Overlay.Events.Report(v)
	}
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

// Start implements machine.Machine.
func (n *Node) Start() {
	n.overlay.Start()
	n.startCycle()
	n.drain()
}

// Stop leaves the network.
func (n *Node) Stop() {
	n.lastDeposits()
	n.farewell()
	n.stopped = true
	n.overlay.Stop()
}

// OnMessage implements machine.Machine.
func (n *Node) OnMessage(from machine.Peer, m machine.Message) {
	if b := n.cfg.Behaviour; b != nil && b.Intercept(n, from, m) {
		n.drain()
		return
	}
	n.overlay.OnMessage(from, m)
	n.drain()
}

// OnLink implements machine.Machine.
func (n *Node) OnLink(peer machine.Peer, ev machine.LinkEvent) {
	n.overlay.OnLink(peer, ev)
	n.drain()
}

// OnDone implements machine.Machine.
func (n *Node) OnDone(tag uint64, result any, err error) {
	n.overlay.OnDone(tag, result, err)
	n.drain()
}

// OnTimer implements machine.Machine.
func (n *Node) OnTimer(t machine.Timer) {
	if n.stopped {
		return
	}
	switch t.Kind {
	case timerCycle:
		n.onCycle(t)
	case timerQuery:
		if q := n.query(t.Arg); q != nil {
			n.conclude(q)
		}
	case timerDeposit:
		n.deposit(int64(t.Arg))
	case timerHurry:
		n.askOn(int64(t.Arg))
	case timerInsist:
		n.insist(int64(t.Arg))
	case timerWake:
		if n.waking.Of == int64(t.Arg) {
			n.sayWake()
		}
	case timerPins:
		if q := n.query(t.Arg); q != nil {
			n.askAgain(q)
		}
	case timerFetch:
		if q := n.query(t.Arg); q != nil {
			n.fetchOn(q, t.Gen)
		}
	case timerStatic:
		n.fetchStatic(t)
	case timerPushes:
		n.takeOver()
	default:
		n.overlay.OnTimer(t)
	}
	n.drain()
}

// drain handles what the overlay has reported; doing so may make it report more.
func (n *Node) drain() {
	if n.busy {
		return
	}
	n.busy = true
	for len(n.upcalls) > 0 || n.moved && !n.stopped && n.overlay.Stable() {
		for i := 0; i < len(n.upcalls); i++ {
			n.handle(n.upcalls[i])
		}
		clear(n.upcalls)
		n.upcalls = n.upcalls[:0]
		if n.moved && !n.stopped && n.overlay.Stable() {
			n.resettle()
		}
	}
	n.busy = false
}

func (n *Node) handle(u upcall) {
	switch {
	case n.stopped:
	case u.unicast != nil:
		n.onUnicast(u)
	case u.area != nil:
		n.onArea(u)
	default:
		n.around, n.moved = nil, true
	}
}

// onUnicast takes a message for the node. Until its neighbours have pushed what
// it is responsible for, only what is meant for itself is handled (5.4.1).
func (n *Node) onUnicast(u upcall) {
	m := u.unicast
	switch body := m.Body.(type) {
	case *Result:
		n.onResult(m.Origin, body)
	case *ActionsResult:
		n.onActionsResult(m.Origin, body)
	case *Push:
		n.onPush(m.Origin, body)
	case *Fetch:
		if !n.hold(u) {
			n.onFetch(m.Origin, body)
		}
	case *Retrieve:
		if !n.hold(u) {
			n.probe(Arrival(body.Kind), n.hops(m))
			n.onRetrieve(m.Origin, body)
		}
	case *Seek:
		n.onSeek(m.Origin, body)
	case *Sought:
		n.onSought(body)
	case *Blocks:
		n.onBlocks(m.Origin, body)
	case *Deposit:
		if !n.hold(u) {
			n.probe(ArrivedStore, n.hops(m))
			n.onDeposit(m.Origin, body, u.came)
		}
	case *Receipt:
		n.onReceipt(m.Origin, body)
	case *Certified:
		n.onCertified(m.Origin, body)
	case *Exchange:
		if !n.hold(u) {
			n.onExchange(body)
		}
	case *Better:
		n.overlay.Introduce(body.Node)
	case *RetrieveActions:
		if !n.hold(u) {
			n.probe(Arrival(ForActions), n.hops(m))
			n.onRetrieveActions(m.Origin, body)
		}
	case *Store:
		if !n.hold(u) {
			n.probe(ArrivedStore, n.hops(m))
			n.onStore(body, u.came)
		}
	case *Wake:
		if !n.hold(u) {
			n.onWake(m.Origin, body)
		}
	}
}

func (n *Node) onArea(u upcall) {
	if q, ok := u.area.Body.(*Retrieve); ok && !n.hold(u) {
		n.probe(Arrival(q.Kind), u.area.Hops)
		n.onRetrieve(u.area.Origin, q)
	}
}

// maxHeld bounds what waits for neighbours' data.
const maxHeld = 4096

// hold lets a message wait while the node does not have what it needs to answer.
func (n *Node) hold(u upcall) bool {
	if n.ready {
		return false
	}
	if len(n.held) < maxHeld {
		n.held = append(n.held, u)
	}
	return true
}

// hops is how many links a message has come over: the first does not count in
// the message itself.
func (n *Node) hops(m *overlay.Unicast) uint8 {
	if m.Origin.ID == n.self.ID {
		return 0
	}
	return m.Hops + 1
}

func (n *Node) probe(k Arrival, hops uint8) {
	if n.cfg.Probe != nil {
		n.cfg.Probe.Arrived(k, int(hops))
	}
}
