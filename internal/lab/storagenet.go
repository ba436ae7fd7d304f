package lab

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/storage/mmve"
)

// The scenario of the thesis' storage tests (6.4.1): ten minutes in which the
// nodes start, then churn that keeps their number; three minutes later the world
// begins, six updates follow, without churn in the last two intervals, and an
// idle minute.
const (
	storagePause    = 3 * time.Minute
	storageUpdates  = 6
	storageQuiet    = 2 // intervals without churn
	storageInterval = 5 * storage.DefaultLMax
	storageIdle     = time.Minute
	storageInterest = 100             // metres, the radius that players look at
	storagePing     = 3 * time.Second // by which silent failures are noticed, if there are any
)

// storageRun is one simulation of the storage, as a value.
type storageRun struct {
	Nodes int
	R     int // zones
	IAD   int // mean time between two arrivals, in seconds; 0: the thesis' own for so many nodes
	Seed  uint64
	// Updates is how many follow; 0: the thesis' six.
	Updates int
	// Swing is by how many per cent arrivals rise and fall in the course of a day.
	Swing int
	// Silent is how many per cent of the nodes fail silently instead of leaving.
	Silent int
	// Still: once all have come, nobody comes or goes.
	Still bool
	// Check compares what is found and stored with a sequential replay.
	Check bool
	// Protocol is what the nodes do beyond the thesis' protocol.
	Protocol storage.Protocol
	// NPCs is how many there are; 0: the thesis' number.
	NPCs int
}

func (o storageRun) updates() int {
	if o.Updates == 0 {
		return storageUpdates
	}
	return o.Updates
}

func (o storageRun) name() string {
	s := fmt.Sprintf("storage-n%d-r%d-iad%d-u%d", o.Nodes, o.R, o.IAD, o.updates())
	if o.Check {
		s += "-checked"
	}
	if o.Protocol != storage.ProtocolThesis {
		s += "-" + o.Protocol.String()
	}
	if o.Swing > 0 {
		s += fmt.Sprintf("-swing%d", o.Swing)
	}
	if o.Silent > 0 {
		s += fmt.Sprintf("-silent%d", o.Silent)
	}
	if o.NPCs > 0 {
		s += fmt.Sprintf("-npcs%d", o.NPCs)
	}
	return fmt.Sprintf("%s-seed%d", s, o.Seed)
}

// storageIAD is the thesis' inter-arrival time for a number of nodes (6.4.1),
// between them what keeps the number at sessions of two hours.
func storageIAD(nodes int) int {
	for _, p := range [][2]int{{200, 25}, {400, 17}, {600, 11}, {800, 9}, {1000, 7}} {
		if p[0] == nodes {
			return p[1]
		}
	}
	return max(1, 7200/nodes)
}

// storageNet is a simulated network of storage nodes whose players play.
type storageNet struct {
	run     storageRun
	sim     *sim.Sim
	space   overlay.Space
	rules   storage.Rules
	metre   int32 // units of the world in a metre
	memo    *storage.Memo
	boot    *sim.Bootstrap[*overlay.Contact]
	begin   machine.Time   // t_0
	all     []*storageNode // everybody who may ever play
	started int
	traffic sim.Traffic // since t_0
	probe   storageProbe
	truth   *storageTruth // nil: nobody compares
	actions []*storage.Action
	woken   map[int64][]*storage.Object // characters by the update they are woken for
	// mind makes who plays at a node, coming at a time.
	mind func(s *storageNode, at machine.Time) storagePlayer
	// woke hears of a player who is announced for the step after t_of; nil: nobody.
	woke func(s *storageNode, of int64)
	// behave is what the k-th node to start does otherwise, nil if nothing; a nil
	// function: all are honest.
	behave func(k int, s *storageNode) storage.Behaviour
	// acted hears of actions; nil: nobody.
	acted func(*storage.Action)
}

// storagePlayer decides what a character does.
type storagePlayer interface {
	Next() machine.Time               // when to ask for an action
	Act() []byte                      // its body; nil: none now
	Place(at machine.Time) geom.Point // where the character is
}

type storageNode struct {
	*sim.Node
	self       *overlay.Contact
	player     *storage.Player
	asleep     *storage.Object // the character at t_0
	bed        geom.Point      // where it lies
	mind       storagePlayer
	gone       bool // its player has left the world
	seq        uint64
	came, left machine.Time
}

// machine returns what the node runs, nil if it has left or has not come.
func (n *storageNode) machine() *storage.Node {
	if n.Node == nil {
		return nil
	}
	m, _ := n.Machine().(*storage.Node)
	return m
}

// newStorageNet returns a network that keeps the thesis' world.
func newStorageNet(o storageRun) *storageNet {
	n := newBareStorageNet(o)
	n.populate()
	return n
}

// newBareStorageNet returns a network without a world.
func newBareStorageNet(o storageRun) *storageNet {
	if o.IAD == 0 {
		o.IAD = storageIAD(o.Nodes)
	}
	in := sim.ThesisInternet()
	in.Clocks = sim.ThesisClocks()
	if o.Silent > 0 {
		in.Ping = storagePing
	}
	n := &storageNet{
		run: o, sim: sim.NewWith(o.Seed, sim.Config{Internet: in}), space: overlay.SpaceFor(o.R),
		memo: storage.NewMemo(), begin: machine.Time(setUp + storagePause), woken: map[int64][]*storage.Object{},
	}
	n.boot = sim.NewBootstrap(n.sim, o.R, func(c *overlay.Contact) int { return n.space.Zone(c.Pos) })
	n.probe.net = n
	n.traffic.Carried = carried
	return n
}

// settle gives everybody who may ever play a place in a world.
func (n *storageNet) settle(shape storage.World) (players []*storage.Player) {
	draw := rng.New(n.run.Seed, 0x1d5)
	for k, p := range n.space.Raster(overlayIDs, &draw) {
		self := &overlay.Contact{ID: id.Of(fmt.Appendf(nil, "node %d", k)), Pos: p}
		player := &storage.Player{ID: self.ID, Home: storage.Home(n.space, shape, p)}
		players = append(players, player)
		n.all = append(n.all, &storageNode{self: self, player: player})
	}
	return players
}

// populate makes the thesis' world.
func (n *storageNet) populate() {
	shape := mmve.New(mmve.Config{Seed: n.run.Seed, NPCs: 1}, nil).World()
	w := mmve.New(mmve.Config{Seed: n.run.Seed, NPCs: n.run.NPCs}, n.settle(shape))
	n.rules, n.metre = w, 100
	n.mind = func(s *storageNode, at machine.Time) storagePlayer { return w.NewMind(s.player, at, s.bed) }
	characters := map[*storage.Player]*storage.Object{}
	for _, o := range n.initial() {
		if o.Player != nil {
			characters[o.Player] = o
		}
	}
	for _, s := range n.all {
		s.asleep = characters[s.player]
		s.bed = s.asleep.Pos
	}
}

// initial is the world at t_0.
func (n *storageNet) initial() []*storage.Object {
	side := n.rules.World().Side
	return n.rules.Initial(geom.Rect{Max: geom.Point{X: side, Y: side}})
}

// update is t_i.
func (n *storageNet) update(i int64) machine.Time {
	return n.begin.Add(time.Duration(i) * storageInterval)
}

// start starts the next node, or returns nil if all places are taken.
func (n *storageNet) start() *sim.Node {
	if n.started == len(n.all) {
		return nil
	}
	s := n.all[n.started]
	n.started++
	s.came = n.sim.Now()
	var behaviour storage.Behaviour
	if n.behave != nil {
		behaviour = n.behave(n.started-1, s)
	}
	s.Node = n.sim.AddAs(s.self.Peer(), func(env machine.Env) machine.Machine {
		return storage.New(storage.Config{
			Overlay: overlay.Config{
				Self: s.self, Space: n.space, Seek: n.boot.Seek,
				Announce: func(on bool) machine.Job {
					if !on {
						s.left = n.sim.Now()
					}
					return n.boot.Announce(s.self, on)
				},
			},
			Rules: n.rules, Protocol: n.run.Protocol, Memo: n.memo, Begin: n.begin, Updates: int64(n.run.updates()),
			Player: s.player, Probe: &n.probe, Interest: storageInterest * n.metre, Behaviour: behaviour,
			Where: func() (geom.Point, bool) { return n.where(s) },
		}, env)
	})
	if n.sim.Now() > n.update(1) {
		n.playSoon(s)
	}
	return s.Node
}

// where is the place of a node's character; its player looks around from the
// interval after it came into the world.
func (n *storageNet) where(s *storageNode) (geom.Point, bool) {
	if s.mind == nil || s.gone || n.sim.Now().Sub(s.came) < storageInterval {
		return geom.Point{}, false
	}
	return s.mind.Place(n.sim.Now()), n.sim.Now() > n.update(2)
}

// playSoon lets a player who has come late into the world, once its node is
// ready.
func (n *storageNet) playSoon(s *storageNode) {
	n.sim.At(n.sim.Now().Add(time.Second), func() { n.playReady(s) })
}

// playReady lets a player into the world, later if its node is not ready: what it
// said would reach nobody.
func (n *storageNet) playReady(s *storageNode) {
	switch m := s.machine(); {
	case m == nil || s.gone || n.sim.Now() > n.update(int64(n.run.updates())-1):
	case m.Ready():
		n.play(s)
	default:
		n.playSoon(s)
	}
}

// play lets a node's player come into the world.
func (n *storageNet) play(s *storageNode) {
	s.Call(func() {
		m := s.machine()
		m.Activate(s.bed)
		after, _ := m.Activation()
		n.sim.At(after.Add(50*time.Millisecond), func() {
			if s.gone {
				return
			}
			s.mind = n.mind(s, n.sim.Now())
			n.goOn(s)
		})
		of := int64(after.Sub(n.begin) / storageInterval)
		n.woken[of] = append(n.woken[of], s.asleep)
		if n.woke != nil {
			n.woke(s, of)
		}
	})
}

// goOn lets a player act when it wants to.
func (n *storageNet) goOn(s *storageNode) {
	at := s.mind.Next()
	if at > n.update(int64(n.run.updates())) {
		return
	}
	n.sim.At(at, func() {
		if s.machine() == nil || s.gone {
			return
		}
		if body := s.mind.Act(); body != nil {
			n.act(s, at, body)
		}
		n.goOn(s)
	})
}

func (n *storageNet) act(s *storageNode, at machine.Time, body []byte) {
	s.seq++
	a := &storage.Action{Player: s.player, Seq: s.seq, At: at, Body: body, Size: actionHead + len(body)}
	n.actions = append(n.actions, a)
	if n.acted != nil {
		n.acted(a)
	}
	s.Call(func() { s.machine().Act(a) })
}

// leave lets a node's player go out of the world, to sleep where it stands (thesis
// 5.4.1), before the node stops, or fails: who switches off does so by leaving the game.
func (n *storageNet) leave(node *sim.Node) {
	i := slices.IndexFunc(n.all[:n.started], func(s *storageNode) bool { return s.Node == node })
	s := n.all[i]
	s.gone = true
	if m, plays := s.mind.(interface{ Leave() []byte }); plays && n.sim.Now() < n.update(int64(n.run.updates())) {
		n.act(s, n.sim.Now(), m.Leave())
	}
}

// actionHead is what an action takes besides its body: with the thesis' world,
// whose bodies take 10, the thesis' 30 bytes (6.4.1).
const actionHead = mmve.ActionSize - 10

// phases of a run.
type storagePhase struct {
	Name   string
	Until  machine.Time
	Wall   time.Duration
	Events uint64
}

// do runs the scenario; each is called after every simulated second.
func (n *storageNet) do(ctx context.Context, each func()) ([]storagePhase, error) {
	for range n.run.Nodes {
		at := machine.Time(n.sim.Rand().Intn(int(setUp)))
		n.sim.At(at, func() { n.start() })
	}
	n.sim.At(machine.Time(setUp), func() {
		if n.run.Still {
			return
		}
		for _, s := range n.live() { // "normal churn kicks in"
			n.session(s.Node)
		}
		n.sim.Churn(n.churn())
	})
	n.sim.At(n.begin, func() { n.sim.Watch(&n.traffic) })
	n.sim.At(n.update(1).Add(20*time.Millisecond), func() {
		for _, s := range n.live() {
			n.playReady(s)
		}
	})
	phases := []storagePhase{
		{Name: "set-up", Until: n.begin},
		{Name: "updates", Until: n.update(int64(n.run.updates()))},
		{Name: "idle", Until: n.update(int64(n.run.updates())).Add(storageIdle)},
	}
	for i := range phases {
		p := &phases[i]
		begin, events := time.Now(), n.sim.Events()
		for n.sim.Now() < p.Until {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			n.sim.Run(min(time.Second, p.Until.Sub(n.sim.Now())))
			hugePages()
			each()
			progress(ctx, n.sim.Now().Sub(0), phases[len(phases)-1].Until.Sub(0))
		}
		p.Wall, p.Events = time.Since(begin), n.sim.Events()-events
	}
	return phases, nil
}

// churn is how nodes come and go, until the last two updates.
func (n *storageNet) churn() sim.Churn {
	return sim.Churn{
		Arrival: time.Duration(n.run.IAD) * time.Second, Session: overlaySession, Swing: float64(n.run.Swing) / 100,
		Until: n.update(int64(n.run.updates()) - storageQuiet), Come: n.start, Leave: n.leave,
		Fail: float64(n.run.Silent) / 100, Idle: 2 * storageInterval,
	}
}

func (n *storageNet) session(node *sim.Node) {
	if node != nil && !n.run.Still {
		n.sim.Session(node, n.churn())
	}
}

func (n *storageNet) live() (out []*storageNode) {
	for _, s := range n.all[:n.started] {
		if s.machine() != nil {
			out = append(out, s)
		}
	}
	return out
}
