package node

import (
	"crypto/ed25519"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// The tests of whole nodes play on flat land, because terrain takes time.
const ground = 63 // y of the grass

var spawn = world.Pos{X: 120, Y: ground + 1, Z: 120} // near a corner of four regions

// flat is a job that makes a column of flat land.
type flat struct{ pos world.ColumnPos }

var flatChunks = func() (c world.Column) {
	for x := range world.ChunkSize {
		for z := range world.ChunkSize {
			for y := range ground {
				c.Set(x, y, z, world.Stone)
			}
			c.Set(x, ground, z, world.Grass)
		}
	}
	c.Compact()
	return c
}()

// Run implements machine.Work.
func (f flat) Run() (any, error) {
	c := flatChunks.Clone()
	c.Pos = f.pos
	return c, nil
}

// flatEnv gives a node flat land.
type flatEnv struct{ machine.Env }

func (e flatEnv) Do(queue string, tag uint64, job machine.Job) {
	if g, ok := job.(region.Generate); ok {
		job = flat{g.Column}
	}
	e.Env.Do(queue, tag, job)
}

// Backlog implements machine.Backlogger.
func (e flatEnv) Backlog(to machine.Peer) (waiting, limit int) { return machine.Backlog(e.Env, to) }

// testConfig is a world on flat land without mobs.
func testConfig(epoch machine.Time) Config {
	return Config{
		Lobby:  lobby.Config{Name: "test", Epoch: epoch, Spawn: spawn, Mode: uint8(world.Creative)},
		Region: region.Config{Epoch: epoch, Rules: world.AreaConfig{Spawn: spawn}, Hibernate: 3 * time.Second},
	}
}

// session is the part of a player's session that all test players share: it
// enters the world, follows its home, and knows what was acknowledged. It is a
// machine.Machine but for what embeds it.
type session struct {
	env  machine.Env
	node machine.Peer
	name string

	local      bool   // on the machine of its node
	orders     bool   // signs orders though it is not local
	invitation []byte // the admission that it shows
	link       bool
	home       world.RegionPos
	epoch      uint32
	in         bool
	left       bool
	entries    int
	pos        world.Vec
	ack        uint32 // of inputs
	seq        uint32 // of inputs
	acts       region.Acts
	takes      bool         // the home takes acts
	unheard    bool         // it answers as if it had not got the last Enter
	askedAt    machine.Time // when acts were last asked for again
	results    map[uint32]*region.ActResult
	columns    map[world.ColumnPos]*world.Column
	items      world.Inventory
	refused    []string
	told       []string        // by regions and the lobby, for the player to read
	waits      []lobby.Waiting // why it does not get on, as its node says

	operator bool // as the home region says
	mode     world.Mode

	signs bool // what it does
	words *inputlog.Builder
	nonce [32]byte

	admitted bool
	tap      func(machine.Message) // sees what it hears, may be nil
	watching map[world.RegionPos]uint8
	present  map[string]bool // who is in the world, as the lobby says
}

func newSession(env machine.Env, node machine.Peer, name string) session {
	return session{
		env: env, node: node, name: name,
		results: map[uint32]*region.ActResult{}, columns: map[world.ColumnPos]*world.Column{},
		watching: map[world.RegionPos]uint8{}, present: map[string]bool{},
	}
}

// key is the player's.
func (s *session) key() ed25519.PrivateKey {
	seed := sha256.Sum256([]byte("player " + s.name))
	return ed25519.NewKeyFromSeed(seed[:])
}

// player is who plays: only of those who command anybody the key matters.
func (s *session) player() id.ID {
	if s.local || s.orders || s.signs {
		return id.Of(s.key().Public().(ed25519.PublicKey))
	}
	return id.Of([]byte("player " + s.name))
}

// sign is what was proposed, signed.
func (s *session) sign(proposal []byte) []byte {
	if o, err := decision.DecodeOrder(proposal); err == nil {
		o.Sign(s.key())
		return o.Append(nil)
	}
	d, err := decision.Decode(proposal)
	if err != nil {
		panic(err)
	}
	d.Sign(s.key())
	return d.Append(nil)
}

func (s *session) say(m machine.Message) { s.env.Send(s.node, m) }

func (s *session) tell(r world.RegionPos, m machine.Message) { s.say(&region.To{Region: r, Msg: m}) }

func (s *session) OnLink(_ machine.Peer, ev machine.LinkEvent) {
	s.link, s.in, s.takes, s.admitted = ev == machine.LinkUp, false, false, false
	s.acts.Discard() // nobody waits for them any more
	if s.link && s.signs {
		s.beginWords()
	}
	clear(s.watching)
	if s.link {
		s.say(&lobby.Enter{Player: s.player(), Name: s.name, Local: s.local, Invitation: s.invitation})
	}
}

func (s *session) OnDone(uint64, any, error) {}

// receive takes a message of the node.
func (s *session) receive(m machine.Message) {
	if s.tap != nil {
		s.tap(m)
	}
	switch m := m.(type) {
	case *lobby.Admitted:
		s.home, s.admitted = m.Home, true
		s.enter(m)
	case *lobby.Waiting:
		s.waits = append(s.waits, *m)
	case *lobby.Players:
		if m.Full {
			clear(s.present)
		}
		for _, p := range m.List {
			s.present[p.Name] = p.Present
		}
	case *region.Self:
		s.operator, s.mode = m.Operator, world.Mode(m.Mode)
	case *lobby.Propose:
		s.say(&lobby.Signed{Statement: s.sign(m.Statement)})
	case *lobby.NewHost:
		s.say(&lobby.Enter{Player: s.player(), Name: s.name, Local: s.local, Invitation: s.invitation, Resume: s.admitted})
	case *region.NewHost:
		s.newHost(m.Region)
	case *region.Moved:
		s.moved(m)
	case *region.Entered:
		s.in, s.takes, s.home, s.epoch, s.pos = true, true, m.Region, m.Epoch, m.Position
		if !s.signs { // a client goes on counting
			s.seq, s.ack = 0, 0
		}
		s.entries++
		s.askAgain()
	case *region.Left:
		s.in, s.left = false, true
	case *region.Frame:
		if m.Own.HasAck {
			s.ack = m.Own.Ack
		}
		if m.Own.Corrected {
			s.pos = m.Own.Position
		}
	case *region.Columns:
		for _, c := range m.Columns {
			s.columns[c.Column.Pos] = c.Column
		}
	case *region.ActResult:
		if s.acts.Complete(m) {
			s.results[m.Seq] = m
		} else if m.Region == s.home && slices.ContainsFunc(s.acts.Resend(), func(a *region.Act) bool { return a.Seq == m.Seq }) {
			s.unheard = true
		}
	case *region.Inventory:
		for _, slot := range m.Slots {
			s.items[slot.Slot] = world.Stack{Block: slot.Block, Count: uint8(slot.Count)}
		}
	case *lobby.Chat:
		s.told = append(s.told, m.Text)
	case *region.Notice:
		s.told = append(s.told, m.Code+": "+m.Text)
	case *lobby.Refused:
		s.refused = append(s.refused, string(m.Code))
	case *region.Refused:
		s.refused = append(s.refused, m.Code)
	}
}

// newHost enters and watches anew, as client.Session does.
func (s *session) newHost(r world.RegionPos) {
	if s.home == r && s.admitted {
		s.enter(&lobby.Admitted{Player: s.player(), Entity: 7, Name: s.name, Mode: uint8(world.Creative)})
	}
	if rate := s.watching[r]; rate != 0 {
		s.watch(r, region.RateNone)
		s.watch(r, rate)
	}
}

func (s *session) enter(a *lobby.Admitted) {
	s.takes, s.unheard = false, false
	m := &region.Enter{Player: a.Player, Entity: a.Entity, Name: a.Name, Mode: a.Mode, Operator: a.Operator, New: a.New}
	if s.signs {
		m.Key, m.Nonce = [32]byte(s.key().Public().(ed25519.PublicKey)), s.nonce
	}
	s.tell(s.home, s.acts.Enter(m))
}

func (s *session) moved(m *region.Moved) {
	switch m.Reason {
	case region.MovedHandover:
		if m.Epoch >= s.epoch {
			s.home, s.epoch = m.To, m.Epoch
			if s.takes {
				s.askAgain()
			}
		}
	case region.MovedElsewhere:
		s.home = m.To
		s.enter(&lobby.Admitted{Player: s.player(), Entity: 7, Name: s.name, Mode: uint8(world.Creative)})
	}
}

// step sends one body step.
func (s *session) step(in world.Input) {
	s.seq++
	s.tell(s.home, &region.Inputs{Player: s.player(), First: s.seq, Steps: []region.Step{in}, Pos: s.pos})
	if s.signs {
		s.signStep(in)
	}
}

func (s *session) act(kind world.ActKind, at world.Pos, face world.Face, a, b int) uint32 {
	m := &region.Act{Player: s.player(), After: s.seq, Kind: uint8(kind), Pos: at, Face: uint8(face), A: uint64(a), B: uint32(b)}
	if s.signs {
		s.signAct(m)
	}
	m = s.acts.Ask(m)
	if s.takes {
		s.tell(s.home, m)
	}
	return m.Seq
}

// askLate asks again for what has had no answer for long.
func (s *session) askLate() {
	if s.takes && s.acts.Pending() > 0 && s.env.Now().Sub(s.askedAt) > 5*time.Second {
		s.askedAt = s.env.Now()
		if s.unheard {
			s.newHost(s.home)
		}
		s.askAgain()
	}
}

// askAgain asks for what has no answer, as client.Session does.
func (s *session) askAgain() {
	for _, m := range s.acts.Resend() {
		s.tell(s.home, m)
	}
}

// watch watches all columns of a region each tick.
func (s *session) watch(r world.RegionPos, rate uint8) {
	w := &region.Watch{}
	for i := range w.Rates {
		w.Rates[i] = rate
	}
	s.watching[r] = rate
	s.tell(r, w)
}

// wanderer walks about at random, builds and breaks. Wanderers do not touch
// each other's places, so each knows what must be where.
type wanderer struct {
	session
	index, of int
	rand      rng.Rand
	quiet     bool
	turn      world.Input
	brick     world.Block
	slot      int  // that it has it in
	hold      bool // it is there
	edits     map[world.Pos]*edit
	pending   map[uint32]world.Pos
	crossed   map[world.RegionPos]bool
	heard     machine.Time // the home, about the body
	acted     int          // acts acknowledged since it last came in
	drive     func()       // lives instead, may be nil
	last      machine.Time // when something came from the home
}

// actsFrom numbers the acts of a session that may have been started again, under
// the same name: fifty a second are enough.
func actsFrom(env machine.Env) region.Acts {
	return region.ActsAbove(uint32(env.Now().Sub(singleNodeStart).Seconds() * 50))
}

// edit is what a wanderer knows of a place.
type edit struct {
	block  world.Block // last acknowledged
	sure   bool        // nothing was on its way since that might have happened or not
	asking world.Block
}

const (
	timerStep = iota + 1
	timerReconnect
)

// wandererName gives each wanderer a name of its own: none looks like another, for
// the lobby refuses look-alikes (wire.Skeleton).
func wandererName(index int) string {
	const letters = "abcdefghjkmnpqrstuvwxyz" // without i: it looks like l
	return strings.Repeat(letters[index%len(letters):][:1], 1+index/len(letters)) + "-wanderer"
}

func newWanderer(env machine.Env, node machine.Peer, index, of int) *wanderer {
	s := newSession(env, node, wandererName(index))
	s.acts = actsFrom(env)
	return &wanderer{
		session: s, index: index, of: of, rand: *env.Rand(), brick: world.Bricks,
		edits: map[world.Pos]*edit{}, pending: map[uint32]world.Pos{}, crossed: map[world.RegionPos]bool{},
	}
}

func (w *wanderer) Start() {
	w.env.Open(w.node)
	w.env.SetTimer(w.env.Now().Add(region.TickLength), machine.Timer{Kind: timerStep})
}

func (w *wanderer) OnLink(p machine.Peer, ev machine.LinkEvent) {
	w.session.OnLink(p, ev)
	if ev == machine.LinkUp {
		return
	}
	for _, at := range w.pending {
		w.edits[at].sure = false
	}
	clear(w.pending)
	w.hold = false
	w.env.SetTimer(w.env.Now().Add(500*time.Millisecond), machine.Timer{Kind: timerReconnect})
}

func (w *wanderer) OnMessage(_ machine.Peer, m machine.Message) {
	w.receive(m)
	switch m := m.(type) {
	case *region.ActResult:
		w.answered(m)
	case *region.Entered:
		w.acted = 0
		w.session.watch(m.Region, region.RateEvery)
	case *region.Frame:
		if m.Region == w.home && m.Own.HasAck && w.takes {
			w.heard = w.env.Now()
		}
	}
	w.last = w.env.Now()
}

func (w *wanderer) answered(m *region.ActResult) {
	at, ok := w.pending[m.Seq]
	if !ok {
		return
	}
	if w.results[m.Seq] != m {
		return // it answers an Enter of before
	}
	delete(w.pending, m.Seq)
	if e := w.edits[at]; m.OK {
		e.block, e.sure = e.asking, true
		w.acted++
	}
}

func (w *wanderer) OnTimer(t machine.Timer) {
	switch t.Kind {
	case timerReconnect:
		if !w.link {
			w.env.Open(w.node)
		}
	case timerStep:
		w.env.SetTimer(w.env.Now().Add(region.TickLength), t)
		if w.in && w.link {
			w.live()
		}
		w.askLate()
		if w.admitted && w.env.Now().Sub(w.heard) > 5*time.Second { // as client.Session.recover
			w.heard = w.env.Now()
			w.newHost(w.home)
		}
	}
}

// live is one step of a wanderer's life.
func (w *wanderer) live() {
	w.crossed[w.home] = true
	if w.drive != nil {
		w.drive()
		return
	}
	if w.rand.OneIn(40) || w.turn.Buttons == 0 {
		w.turn = world.Input{Buttons: world.ButtonForward | world.ButtonSprint, Yaw: uint16(w.rand.Uint64())}
		if w.rand.OneIn(3) {
			w.turn.Buttons |= world.ButtonJump
		}
		w.comeBack()
	}
	in := w.turn
	if w.quiet {
		in.Buttons = 0
	}
	w.step(in)
	switch {
	case w.quiet:
	case !w.hold:
		w.hold = true
		w.act(world.ActPick, world.Pos{}, 0, int(w.brick), w.slot)
	case w.rand.OneIn(8) && len(w.pending) < 3:
		w.build()
	}
}

// comeBack turns towards the spawn when that is far away.
func (w *wanderer) comeBack() {
	d := spawn.Centre().Sub(w.pos)
	if max(d.X.Abs(), d.Z.Abs()) > 40*fixed.One {
		w.turn.Yaw = world.Angle(d.X, d.Z)
	}
}

// build places or breaks something near.
func (w *wanderer) build() {
	at := w.pos.Block().Add(int32(w.rand.Intn(7)-3), 0, int32(w.rand.Intn(7)-3))
	at.Y = ground + 1
	if int(at.X+3*at.Z)%w.of != w.index {
		return
	}
	e := w.edits[at]
	if e == nil {
		e = &edit{sure: true}
		w.edits[at] = e
	}
	for _, p := range w.pending {
		if p == at {
			return // one at a time, or the last one cannot be known
		}
	}
	var seq uint32
	if e.block == w.brick && e.sure {
		e.asking = world.Air
		seq = w.act(world.ActDig, at, 1, 0, 0)
	} else {
		e.asking = w.brick
		seq = w.act(world.ActPlace, at.Add(0, -1, 0), 1, w.slot, 0)
	}
	w.pending[seq] = at
}
