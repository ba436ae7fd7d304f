package storagelab

import (
	"context"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/overlaylab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/mmve"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// storageNet is a simulated network of storage nodes whose players play.
type storageNet struct {
	run     storageRun
	sim     *sim.Sim
	space   overlay.Space
	rules   state.Rules
	metre   int32 // units of the world in a metre
	memo    *state.ReplayCache
	boot    *sim.Bootstrap[*overlay.Contact]
	begin   machine.Time   // t_0
	all     []*storageNode // everybody who may ever play
	started int
	traffic sim.Traffic // since t_0
	probe   storageProbe
	truth   *storageTruth // nil: nobody compares
	actions []*state.Action
	woken   map[int64][]*state.Object // characters by the update they are woken for
	// mind makes who plays at a node, coming at a time.
	mind func(s *storageNode, at machine.Time) storagePlayer
	// woke hears of a player who is announced for the step after t_of; nil: nobody.
	woke func(s *storageNode, of int64)
	// behave is what the k-th node to start does otherwise, nil if nothing; a nil
	// function: all are honest.
	behave func(k int, s *storageNode) storage.Behaviour
	// within is what a node runs in that does something otherwise; nil: the same.
	within func(s *storageNode, env machine.Env) machine.Env
	// acted hears of actions; nil: nobody.
	acted func(*state.Action)
	// disowned tells of actions that are not to count, of players who cheat; nil: all
	// count.
	disowned func(*state.Action) bool
}

type storageNode struct {
	*sim.Node
	self       *overlay.Contact
	player     *state.Player
	asleep     *state.Object // the character at t_0
	bed        geom.Point    // where it lies
	mind       storagePlayer
	gone       bool // its player has left the world
	seq        uint64
	last       machine.Time // of its player's actions
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
		memo: state.NewReplayCache(), begin: machine.Time(overlaylab.SetUp + storagePause), woken: map[int64][]*state.Object{},
	}
	n.boot = sim.NewBootstrap(n.sim, o.R, func(c *overlay.Contact) int { return n.space.Zone(c.Pos) })
	n.probe.net = n
	n.traffic.Carried = carried
	return n
}

// settle gives everybody who may ever play a place in a world.
func (n *storageNet) settle(shape state.World) (players []*state.Player) {
	draw := rng.New(n.run.Seed, 0x1d5)
	for k, p := range n.space.Raster(overlaylab.IDs, &draw) {
		self := &overlay.Contact{ID: id.Of(fmt.Appendf(nil, "node %d", k)), Pos: p}
		player := &state.Player{ID: self.ID, Home: state.Home(n.space, shape, p)}
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
	characters := map[*state.Player]*state.Object{}
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
func (n *storageNet) initial() []*state.Object {
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
		if n.within != nil && behaviour != nil {
			env = n.within(s, env)
		}
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
			Settings: part.Settings{Rules: n.rules, Updates: int64(n.run.updates()), Player: s.player},
			Protocol: n.run.Protocol, Cache: n.memo, Begin: n.begin, Probe: &n.probe, Interest: storageInterest * n.metre, Behaviour: behaviour,
			Where: func() (geom.Point, bool) { return n.where(s) },
		}, env)
	})
	if n.sim.Now() > n.update(1) {
		n.playSoon(s)
	}
	return s.Node
}

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
		at := machine.Time(n.sim.Rand().Intn(int(overlaylab.SetUp)))
		n.sim.At(at, func() { n.start() })
	}
	n.sim.At(machine.Time(overlaylab.SetUp), func() {
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
			lab.HugePages()
			each()
			lab.Progress(ctx, n.sim.Now().Sub(0), phases[len(phases)-1].Until.Sub(0))
		}
		p.Wall, p.Events = time.Since(begin), n.sim.Events()-events
	}
	return phases, nil
}

// churn is how nodes come and go, until the last two updates.
func (n *storageNet) churn() sim.Churn {
	return sim.Churn{
		Arrival: lab.Duration(n.run.IAD), Session: overlaylab.Session, Swing: float64(n.run.Swing) / 100,
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
