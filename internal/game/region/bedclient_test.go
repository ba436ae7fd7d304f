package region

import (
	"bytes"
	"crypto/ed25519"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// client is a session that believes what it is told.
type client struct {
	b      *bed
	peer   machine.Peer
	player id.ID
	name   string
	home   world.RegionPos
	epoch  uint32
	online bool
	stuck  bool

	entered  *Entered
	views    map[world.RegionPos]*frame.View
	columns  map[world.ColumnPos]*world.Column
	ticks    map[world.RegionPos]uint64
	results  map[uint32]*ActResult
	selves   []*Self
	items    world.Inventory
	selected uint8
	chest    *Container // the last that was told
	signs    *Signs     // likewise
	other    []machine.Message
	frames   int
	bytes    int
	acked    uint32
	owned    []world.RegionPos // regions whose frames acknowledged, in order
	seq      uint32
	acts     Acts
	body     world.Vec
	dec      frame.Frame
	skip     bool // does not decode: for benchmarks
	tap      func(*Frame)
	heard    func(*ActResult)
	deaf     bool // answers to acts get lost

	key   ed25519.PrivateKey // of a client that signs
	nonce [32]byte
	log   *inputlog.Builder
	sent  []*Segment
}

func (b *bed) client(name string) *client {
	c := &client{
		b: b, name: name, player: id.Of([]byte(name)), peer: machine.Peer{ID: id.Of([]byte("session " + name))},
		views: map[world.RegionPos]*frame.View{}, columns: map[world.ColumnPos]*world.Column{},
		ticks: map[world.RegionPos]uint64{}, results: map[uint32]*ActResult{},
	}
	b.clients[c.peer] = c
	b.order = append(b.order, c)
	if b.signed {
		c.key = ed25519.NewKeyFromSeed(bytes.Repeat([]byte(name), 32)[:32])
		c.player = id.Of(c.key.Public().(ed25519.PublicKey))
		c.begin(1)
	}
	return c
}

// begin begins a session of a client that signs, on a link of its own.
func (c *client) begin(n byte) {
	delete(c.b.clients, c.peer)
	c.peer = machine.Peer{ID: id.Of(append([]byte(c.name), n))}
	c.b.clients[c.peer] = c
	c.nonce = [32]byte{n}
	c.log = inputlog.NewBuilder(c.session(), c.key)
	c.acts, c.seq = Acts{}, 0
}

func (c *client) session() inputlog.Session {
	return inputlog.Session{World: bedWorld, Key: [32]byte(c.key.Public().(ed25519.PublicKey)), Nonce: c.nonce}
}

func (c *client) send(pos world.RegionPos, m machine.Message) { c.b.deliver(pos, c.peer, m) }

// enter comes into the world and waits for it.
func (c *client) enter() *client {
	c.b.Helper()
	c.online = false
	c.send(c.home, c.enterMsg())
	c.b.until(c.name+" enters", func() bool { return c.online })
	return c
}

func (c *client) enterMsg() *Enter {
	m := &Enter{
		Player: c.player, Entity: 1000 + uint32(c.player[0])<<8 + uint32(c.player[1]), Name: c.name, Mode: uint8(world.Creative), New: true,
	}
	if c.key != nil {
		m.Key, m.Nonce = c.session().Key, c.nonce
	}
	return c.acts.Enter(m)
}

// watch watches all columns of a region at a rate.
func (c *client) watch(pos world.RegionPos, rate uint8) {
	var w Watch
	for i := range w.Rates {
		w.Rates[i] = rate
	}
	c.send(pos, &w)
}

func (c *client) receive(m machine.Message) {
	switch m := m.(type) {
	case *Frame:
		c.frame(m)
	case *Columns:
		for _, col := range m.Columns {
			c.columns[col.Column.Pos] = col.Column.Clone()
		}
	case *Entered:
		c.entered, c.online, c.home, c.epoch, c.body = m, true, m.Region, m.Epoch, m.Position
		c.b.after(0, c.askAgain)
	case *Moved:
		if m.Reason == MovedReplaced {
			c.other = append(c.other, m)
			return
		}
		if m.Epoch >= c.epoch {
			c.home, c.epoch = m.To, m.Epoch
		}
		if m.Reason == MovedElsewhere {
			c.b.after(0, func() { c.send(m.To, c.enterMsg()) })
		} else {
			c.b.after(0, c.askAgain)
		}
	case *ActResult:
		if c.heard != nil {
			c.heard(m)
		}
		if !c.deaf && c.acts.Complete(m) {
			c.results[m.Seq] = m
		}
	case *Self:
		c.selves = append(c.selves, m)
	case *Inventory:
		for _, s := range m.Slots {
			c.items[s.Slot] = world.Stack{Block: s.Block, Count: uint8(s.Count)}
		}
		c.selected = m.Selected
	case *Container:
		c.chest = m
	case *Signs:
		c.signs = m
	default:
		c.other = append(c.other, m)
	}
}

func (c *client) frame(m *Frame) {
	c.frames++
	c.bytes += len(m.Cells)
	if m.Own.HasAck {
		c.acked = m.Own.Ack
		if len(c.owned) == 0 || c.owned[len(c.owned)-1] != m.Region {
			c.owned = append(c.owned, m.Region)
		}
	}
	if m.Own.Corrected {
		c.body = m.Own.Position
	}
	if c.tap != nil {
		c.tap(m)
	}
	if c.skip {
		return
	}
	if m.Tick <= c.ticks[m.Region] {
		c.b.Errorf("%s: frame of tick %d after %d", c.name, m.Tick, c.ticks[m.Region])
	}
	c.ticks[m.Region] = m.Tick
	if err := c.dec.DecodeCells(m.Cells); err != nil {
		c.b.Fatalf("%s: %v", c.name, err)
	}
	v := c.views[m.Region]
	if v == nil {
		v = &frame.View{}
		c.views[m.Region] = v
	}
	v.Apply(&c.dec)
	for i := range c.dec.Cells {
		cell := &c.dec.Cells[i]
		pos := m.Region.Column(int(cell.Index))
		for _, bl := range cell.Blocks {
			col := c.columns[pos]
			if col == nil {
				c.b.Fatalf("%s: blocks of %v before the column", c.name, pos)
			}
			p := frame.PlaceIn(pos, bl.Place)
			col.Set(int(p.X&31), int(p.Y), int(p.Z&31), bl.Block)
		}
	}
}

// sees returns the entities that the client sees in a region, by their number.
func (c *client) sees(pos world.RegionPos) map[uint64]frame.Seen {
	out := map[uint64]frame.Seen{}
	if v := c.views[pos]; v != nil {
		v.Each(func(_ uint8, _ uint32, s *frame.Seen) { out[s.Entity] = *s })
	}
	return out
}

// walk sends one body step.
func (c *client) walk(buttons uint16, yaw uint16) {
	c.seq++
	step := Step{Buttons: buttons, Yaw: yaw}
	c.send(c.home, &Inputs{Player: c.player, First: c.seq, Steps: []Step{step}, NoPos: true})
	if c.log != nil {
		c.log.Step(c.seq, step, c.b.tick())
		if c.log.Due(c.b.tick()) {
			m := &Segment{c.player, c.log.Sign(c.b.tick()).Append(nil)}
			c.sent = append(c.sent, m)
			c.send(c.home, m)
		}
	}
}

// tick is that of the world.
func (b *bed) tick() uint64 { return TickAt(b.now, 0) }

// sign signs an act that is asked for next.
func (c *client) sign(a *Act) []byte {
	return c.log.Act(inputlog.Act{
		Seq: c.acts.Next(), Kind: a.Kind, At: a.Pos, Face: a.Face, A: a.A, B: a.B, Text: a.Text,
	}, c.b.tick()).Append(nil)
}

// walkFor walks for a number of ticks, one step each.
func (c *client) walkFor(ticks int, buttons uint16, yaw uint16) {
	for range ticks {
		c.walk(buttons, yaw)
		c.b.run(TickLength)
	}
}

func (c *client) act(a Act) uint32 {
	a.Player = c.player
	if a.After == 0 {
		a.After = c.seq
	}
	if c.log != nil {
		a.Proof = c.sign(&a)
	}
	m := c.acts.Ask(&a)
	if m == nil {
		c.b.Fatalf("%s: too many acts have no answer", c.name)
	}
	if c.online {
		c.send(c.home, m)
	}
	return m.Seq
}

// askAgain asks for what has no answer.
func (c *client) askAgain() {
	for _, m := range c.acts.Resend() {
		c.send(c.home, m)
	}
}

// place puts the block of hot bar slot 0 on top of a block.
func (c *client) place(at world.Pos) uint32 {
	return c.act(Act{Kind: uint8(world.ActPlace), Pos: at, Face: uint8(world.FaceUp)})
}

// hold puts a block into the hot bar (creative).
func (c *client) hold(b world.Block) {
	c.act(Act{Kind: uint8(world.ActPick), A: uint64(b), B: 0})
}

// homeOf returns the player's home and its region; nil if it is nowhere. It fails
// the test if the player is in two regions.
func (b *bed) homeOf(player id.ID) (*Region, *playerSession) {
	var r *Region
	var found *playerSession
	for _, pos := range b.awake {
		h := b.regions[pos]
		if got := h.r.sessions.players[player]; got != nil && got.handover == nil {
			if found != nil {
				b.Errorf("a player is at home in %v and %v", r.Pos(), pos)
			}
			r, found = h.r, got
		}
	}
	return r, found
}

// teleport puts a player somewhere by an order.
func (b *bed) teleport(c *client, at world.Vec) {
	b.wants(c.home, b.ordered(c.player, decision.Order{Kind: decision.Teleport, At: at}))
}

// startAt comes into the world at a region.
func (c *client) startAt(home world.RegionPos) *client {
	c.b.Helper()
	c.home = home
	return c.enter()
}

// keyed returns a player in the world whose id is of a key, which it can sign with.
func keyed(b *bed) (*client, ed25519.PrivateKey) {
	b.Helper()
	c, key := b.client("ada"), ed25519.NewKeyFromSeed([]byte("the key of Ada, who has 32 bytes"))
	c.player = id.Of(key.Public().(ed25519.PublicKey))
	c.enter()
	b.run(time.Second)
	return c, key
}

// atBorderWith returns a builder with more items, who reaches over the eastern border.
func atBorderWith(b *bed, items map[string]uint16) *client {
	b.Helper()
	c := builder(b, "ada")
	c.watch(there, RateEvery)
	for name, n := range items {
		b.wants(here, b.ordered(c.player, decision.Order{Kind: decision.Give, Text: name, Count: n}))
	}
	b.teleport(c, metres(126.5, flatTop+1, 64.5))
	b.run(time.Second)
	return c
}

// do acts, and the act has to be accepted.
func (c *client) do(a Act) {
	c.b.Helper()
	seq := c.act(a)
	c.b.run(time.Second)
	if res := c.results[seq]; res == nil || !res.OK {
		c.b.Fatalf("%+v: %+v", a, res)
	}
}

// slotOf is the first slot in which the player carries something.
func (c *client) slotOf(want world.Block) uint64 {
	c.b.Helper()
	_, h := c.b.homeOf(c.player)
	for i, s := range h.p.Items {
		if s.Count > 0 && s.Block == want {
			return uint64(i)
		}
	}
	c.b.Fatalf("no %v", want)
	return 0
}

// cross walks over the border until the player is at home there.
func (c *client) cross(home world.RegionPos) {
	c.b.Helper()
	yaw := map[world.RegionPos]uint16{there: east, here: east + 1<<15}[home]
	c.b.until("the player has crossed", func() bool {
		c.walkFor(1, world.ButtonForward, yaw)
		r, _ := c.b.homeOf(c.player)
		return r != nil && r.Pos() == home
	})
	c.b.run(time.Second)
}

// dropAhead throws planks to the east.
func (c *client) dropAhead(n uint32) {
	c.look(east, 0)
	c.b.run(100 * time.Millisecond)
	c.drop(n)
}
