package storage_test

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// bed is a simulated network of storage nodes with a toy world, and the
// sequential replay of what its players do.
type bed struct {
	t       *testing.T
	seed    uint64
	sim     *sim.Sim
	space   overlay.Space
	places  []geom.Point
	boot    *sim.Bootstrap[*overlay.Contact]
	rand    rng.Rand
	toy     *toy
	memo    *state.ReplayCache
	begin   machine.Time
	nodes   []*member
	actions []*state.Action
	woken   map[int64][]*state.Object
	truth   map[int64][]*state.Object // the world at t_i
	reports []storage.Report
	failed  int
	// protocol is what all nodes follow; wire: as real nodes do, each by itself.
	protocol storage.Protocol
	wire     bool
	hops     [messages.Kinds + 1][]int
	// behave gives some nodes a behaviour.
	behave func(n int) storage.Behaviour
	// sent hears of what a node sends; nil: nobody does.
	sent func(n *storage.Node, m machine.Message)
}

// wiretap is a node's environment that tells the bed what is sent.
type wiretap struct {
	machine.Env
	m *member
}

func (w wiretap) Send(to machine.Peer, m machine.Message) {
	w.m.bed.sent(w.m.node(), m)
	w.Env.Send(to, m)
}

type member struct {
	*sim.Node
	bed    *bed
	self   *overlay.Contact
	player *state.Player
	bedAt  geom.Point // where its character sleeps
	pos    geom.Point
	awake  bool
	seq    uint64
	looked []*state.Snapshot
}

func (m *member) node() *storage.Node {
	n, _ := m.Machine().(*storage.Node)
	return n
}

func (m *member) Looked(s *state.Snapshot, _ float64) { m.looked = append(m.looked, s) }
func (m *member) Updated(*state.Snapshot)             {}

func (b *bed) Retrieved(r storage.Report)          { b.reports = append(b.reports, r) }
func (b *bed) BatchSigned(*state.Batch)            {}
func (b *bed) Failed(*storage.Node, int64)         { b.failed++ }
func (b *bed) Arrived(k storage.Arrival, hops int) { b.hops[k] = append(b.hops[k], hops) }

// interval is the thesis' 5·l_max with l_max = 2 s.
const interval = 5 * storage.DefaultLMax

func newBed(t *testing.T, seed uint64, r, nodes int, begin time.Duration) *bed {
	in := sim.ThesisInternet()
	in.Clocks = sim.ThesisClocks()
	b := &bed{
		t: t, seed: seed, space: overlay.SpaceFor(r), rand: rng.New(seed, 77), memo: state.NewReplayCache(),
		sim: sim.NewWith(seed, sim.Config{Internet: in}), toy: newToy(600),
		begin: machine.Time(begin), woken: map[int64][]*state.Object{}, truth: map[int64][]*state.Object{},
	}
	b.boot = sim.NewBootstrap(b.sim, r, func(c *overlay.Contact) int { return b.space.Zone(c.Pos) })
	b.places = b.space.Raster(500, &b.rand)
	for i := range b.places { // everybody who may ever play has a character
		self := &overlay.Contact{ID: id.Of(fmt.Appendf(nil, "storage node %d", i)), Pos: b.places[i]}
		m := &member{bed: b, self: self, player: &state.Player{ID: self.ID, Home: state.Home(b.space, b.toy.World(), self.Pos)}}
		m.bedAt = b.toy.join(m.player)
		m.pos = m.bedAt
		b.nodes = append(b.nodes, m)
	}
	b.truth[0] = b.toy.all
	for i := range nodes {
		b.sim.At(machine.Time(b.rand.Intn(int(begin/2))), func() { b.start(i) })
	}
	return b
}

func (b *bed) start(i int) {
	m := b.nodes[i]
	m.Node = b.sim.AddAs(m.self.Peer(), func(env machine.Env) machine.Machine {
		cfg := storage.Config{
			Overlay: overlay.Config{
				Self: m.self, Space: b.space, Seek: b.boot.Seek,
				Announce: func(on bool) machine.Job { return b.boot.Announce(m.self, on) },
			},
			Settings: part.Settings{Rules: b.toy, Player: m.player}, Protocol: b.protocol, Cache: b.memo, Begin: b.begin, Probe: b, Events: m,
			Where:    func() (geom.Point, bool) { return m.pos, m.awake },
			Interest: 10_000,
		}
		if b.wire {
			cfg.Wire, cfg.Cache = true, nil
		}
		if b.behave != nil {
			cfg.Behaviour = b.behave(i)
		}
		if b.sent != nil {
			env = wiretap{env, m}
		}
		return storage.New(cfg, env)
	})
}

func (b *bed) live() (out []*member) {
	for _, m := range b.nodes {
		if m.Node != nil && m.node() != nil {
			out = append(out, m)
		}
	}
	return out
}

func (b *bed) until(at machine.Time) { b.sim.Run(at.Sub(b.sim.Now())) }

// update is t_i.
func (b *bed) update(i int64) machine.Time { return b.begin.Add(time.Duration(i) * interval) }

// activate wakes a member's character for the update t_of, at that time.
func (b *bed) activate(m *member, of int64) {
	for _, o := range b.toy.all {
		if o.Player == m.player {
			b.woken[of] = append(b.woken[of], b.toy.Activate(m.player, m.bedAt, o))
		}
	}
	m.Call(func() { m.node().Activate(m.bedAt) })
	m.act(b.update(of).Add(time.Second), []byte{wakeUp})
	m.awake = true
}

// act lets a member's character do something at a time.
func (m *member) act(at machine.Time, body []byte) {
	m.seq++
	a := &state.Action{Player: m.player, Seq: m.seq, At: at, Body: body, Size: 30}
	m.bed.sim.At(at, func() {
		if n := m.node(); n != nil {
			m.bed.actions = append(m.bed.actions, a)
			m.Call(func() { n.Act(a) })
		}
	})
}

// play lets all who are awake walk and shout in the interval after t_of.
func (b *bed) play(of int64) {
	for _, m := range b.live() {
		if !m.awake {
			continue
		}
		t := b.update(of).Add(time.Duration(b.rand.Intn(int(interval-time.Second))) + time.Second/2)
		if b.rand.OneIn(2) {
			m.act(t, []byte{shout})
			continue
		}
		body := []byte{walk, 0, 0, 0, 0}
		dx, dy := b.rand.Intn(8000)-4000, b.rand.Intn(8000)-4000
		binary.LittleEndian.PutUint16(body[1:], uint16(int16(dx)))
		binary.LittleEndian.PutUint16(body[3:], uint16(int16(dy)))
		m.act(t, body)
		m.pos = b.toy.inside(m.pos, int32(dx), int32(dy))
	}
}

// replay continues the sequential replay until t_of.
func (b *bed) replay(of int64) {
	if of == 0 {
		return
	}
	var acts []*state.Action
	for _, a := range b.actions {
		if a.At > b.update(of-1) && a.At <= b.update(of) {
			acts = append(acts, a)
		}
	}
	b.truth[of] = b.toy.replayAll(b.truth[of-1], b.woken[of-1], acts, b.update(of-1), b.update(of))
}

// agree compares every node's part of the world with the sequential replay and
// returns how many differ from it.
func (b *bed) agree(of int64) (wrong int) {
	for _, m := range b.live() {
		if why := b.differs(m, of); why != "" {
			if wrong++; wrong <= 3 {
				b.t.Logf("seed %d, t_%d, node %s: %s", b.seed, of, m.self.ID.Short(), why)
			}
		}
	}
	return wrong
}

func (b *bed) differs(m *member, of int64) string {
	s := m.node().State()
	if s == nil {
		return "no state"
	}
	if s.Of != of {
		return fmt.Sprintf("state of t_%d", s.Of)
	}
	want := map[state.ObjectID]*state.Object{}
	for _, o := range b.truth[of] {
		if !o.Static && s.Knows(o.Pos, b.toy.World()) {
			want[o.ID] = o
		}
	}
	got, size := s.Objects(&s.Cover, b.toy.World(), nil), 0
	for _, o := range got {
		size += o.Size
		w := want[o.ID]
		if w == nil {
			return fmt.Sprintf("object %d should not be there", o.ID)
		}
		if w.Digest != o.Digest {
			return fmt.Sprintf("object %d is wrong", o.ID)
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d of %d objects", len(got), len(want))
	}
	if counted := s.SizeOf(&s.Cover, b.toy.World()); counted != size {
		return fmt.Sprintf("the objects take %d bytes, %d were counted", size, counted)
	}
	return ""
}

// zonesHold reports how many objects of the world are missing in some zone in which
// there are nodes.
func (b *bed) zonesHold(of int64) (missing int) {
	return b.zonesHoldOf(of, func(*state.Object) bool { return true })
}

// zonesHoldOf is the same about some objects.
func (b *bed) zonesHoldOf(of int64, want func(*state.Object) bool) (missing int) {
	held := map[int]map[state.ObjectID]bool{}
	for _, m := range b.live() {
		z := b.space.Zone(m.self.Pos)
		if held[z] == nil {
			held[z] = map[state.ObjectID]bool{}
		}
		if s := m.node().State(); s != nil && s.Of == of {
			for _, o := range s.Objects(&s.Cover, b.toy.World(), nil) {
				held[z][o.ID] = true
			}
		}
		for _, o := range m.node().Static() {
			held[z][o.ID] = true
		}
	}
	for _, o := range b.truth[of] {
		for _, h := range held {
			if want(o) && !h[o.ID] {
				missing++
				break
			}
		}
	}
	return missing
}

// after draws a time within d.
func (b *bed) after(d time.Duration) time.Duration { return time.Duration(b.rand.Intn(int(d))) }

// playAll lets all players act in an update; they come into the world in the first.
func (b *bed) playAll(of int64) {
	b.until(b.update(of))
	if of == 1 {
		for _, m := range b.live() {
			b.activate(m, of)
		}
	}
	b.play(of)
}

// settle waits until an update is over, and replays it.
func (b *bed) settle(of int64) {
	b.until(b.update(of).Add(3*storage.DefaultLMax + time.Second))
	b.replay(of)
}

// runUpdates runs updates in which nothing else happens, and replays them.
func (b *bed) runUpdates(first, last int64) {
	for of := first; of <= last; of++ {
		b.until(b.update(of))
		b.replay(of)
	}
	b.until(b.update(last).Add(5 * time.Second))
}

// worldIsWhole checks that all nodes have the right state, and all zones every object.
func (b *bed) worldIsWhole(of int64) {
	b.t.Helper()
	if n := b.agree(of); n > 0 {
		b.t.Errorf("%d of %d nodes have a wrong state", n, len(b.live()))
	}
	if n := b.zonesHold(of); n > 0 {
		b.t.Errorf("%d objects are missing in some zone", n)
	}
}

// any is some node that lives.
func (b *bed) any() *member {
	live := b.live()
	return live[b.rand.Intn(len(live))]
}
