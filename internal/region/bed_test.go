package region

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// bed is a test bed for regions: virtual time, a network with delay, a disk
// that can fail or crash, sessions that mirror what they are told. Everything
// is deterministic.
type bed struct {
	testing.TB
	now     machine.Time
	seq     uint64
	events  []bedEvent
	regions map[world.RegionPos]*host
	clients map[machine.Peer]*client
	order   []*client
	hall    []machine.Message
	disk    map[string]map[string][]byte
	life    int // raised by a crash

	delay    time.Duration // of messages between parts
	sync     time.Duration // of a write
	late     time.Duration // of timers
	diskErr  error         // writes fail with it
	written  int
	trace    [32]byte
	traceBuf []byte
	lose     func(machine.Message) bool // messages between parts that get lost
	awake    []world.RegionPos
}

type bedEvent struct {
	at   machine.Time
	seq  uint64
	life int
	do   func()
}

const flatTop = 63 // y of the grass

// secondEpoch is the epoch of a player who came into the world at its beginning,
// when its clock showed an hour, and has had one handover since.
const secondEpoch = uint64(time.Hour/time.Second) + 2

func newBed(t testing.TB) *bed {
	return &bed{
		TB: t, now: machine.Time(time.Hour), regions: map[world.RegionPos]*host{}, clients: map[machine.Peer]*client{},
		disk: map[string]map[string][]byte{}, delay: time.Millisecond, sync: 2 * time.Millisecond,
	}
}

func (b *bed) after(d time.Duration, do func()) {
	b.seq++
	e := bedEvent{b.now.Add(d), b.seq, b.life, do}
	i, _ := slices.BinarySearchFunc(b.events, e, func(x, y bedEvent) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.seq, y.seq))
	})
	b.events = slices.Insert(b.events, i, e)
}

// step runs the next event until end.
func (b *bed) step(end machine.Time) bool {
	if len(b.events) == 0 || b.events[0].at > end {
		b.now = end
		return false
	}
	e := b.events[0]
	b.events = b.events[1:]
	b.now = e.at
	if e.life == b.life {
		e.do()
	}
	return true
}

func (b *bed) run(d time.Duration) {
	for end := b.now.Add(d); b.step(end); {
	}
}

// until runs until cond holds; it fails the test if that takes too long.
func (b *bed) until(what string, cond func() bool) {
	b.Helper()
	end := b.now.Add(30 * time.Second)
	for !cond() {
		if !b.step(end) {
			b.Fatalf("%s: not within 30 s", what)
		}
	}
}

// host is a region with its driver.
type host struct {
	b     *bed
	r     *Region
	pos   world.RegionPos
	queue []func()
	rand  rng.Rand
}

func (b *bed) cfg(pos world.RegionPos) Config {
	return Config{Pos: pos, Rules: world.AreaConfig{Seed: 1, Spawn: world.Pos{X: 64, Y: flatTop + 1, Z: 64}}}
}

// region returns the region at pos, waking it if need be.
func (b *bed) region(pos world.RegionPos) *host {
	h := b.regions[pos]
	if h == nil {
		h = &host{b: b, pos: pos}
		h.r = New(b.cfg(pos), h)
		b.regions[pos] = h
		b.awake = append(b.awake, pos)
		h.r.Start()
	}
	return h
}

func (h *host) after() {
	if h.r.Asleep() && h.b.regions[h.pos] == h {
		delete(h.b.regions, h.pos)
		h.b.awake = slices.DeleteFunc(h.b.awake, func(p world.RegionPos) bool { return p == h.pos })
	}
}

func (h *host) alive() bool { return h.b.regions[h.pos] == h }

func (h *host) Now() machine.Time { return h.b.now }
func (h *host) Rand() *rng.Rand   { return &h.rand }
func (h *host) Open(machine.Peer) {}
func (h *host) Close(machine.Peer) {
}

func (h *host) SetTimer(at machine.Time, t machine.Timer) {
	h.b.after(at.Sub(h.b.now)+h.b.late, func() {
		if h.alive() {
			h.r.OnTimer(t)
			h.after()
		}
	})
}

func (h *host) Send(to machine.Peer, m machine.Message) {
	b := h.b
	b.note(m)
	from := PeerOf(h.pos)
	if pos, ok := RegionOf(to); ok {
		if b.lose != nil && b.lose(m) {
			return
		}
		m = overBytes(m)
		b.after(b.delay, func() { b.deliver(pos, from, m) })
		return
	}
	if to == Hall {
		b.hall = append(b.hall, m)
		return
	}
	if c := b.clients[to]; c != nil {
		c.receive(m)
	}
}

// Backlog makes host a machine.Backlogger.
func (h *host) Backlog(to machine.Peer) (waiting, limit int) {
	if c := h.b.clients[to]; c != nil && c.stuck {
		return 100, 100
	}
	return 0, 100
}

func (b *bed) deliver(pos world.RegionPos, from machine.Peer, m machine.Message) {
	h := b.region(pos)
	h.r.OnMessage(from, m)
	h.after()
}

// Do keeps one queue for the disk and none for the rest.
func (h *host) Do(queue string, tag uint64, job machine.Job) {
	b := h.b
	done := func(result any, err error) {
		if h.alive() {
			h.r.OnDone(tag, result, err)
			h.after()
		}
	}
	switch j := job.(type) {
	case Generate:
		b.after(time.Millisecond, func() { done(flatColumn(j.Column), nil) })
	case machine.DiskRead:
		h.enqueue(func() { done(b.read(j), nil) }, 0)
	case machine.DiskWrite:
		h.enqueue(func() {
			err := b.diskErr
			if err == nil {
				b.apply(j)
			}
			done(nil, err)
		}, b.sync)
	}
}

func (h *host) enqueue(do func(), d time.Duration) {
	h.queue = append(h.queue, do)
	if len(h.queue) == 1 {
		h.next(d)
	}
}

func (h *host) next(d time.Duration) {
	h.b.after(d, func() {
		do := h.queue[0]
		do()
		h.queue = h.queue[1:]
		if len(h.queue) > 0 {
			h.next(h.b.sync)
		}
	})
}

func (b *bed) read(j machine.DiskRead) (out []machine.KV) {
	for _, k := range slices.Sorted(maps.Keys(b.disk[j.Space])) {
		if strings.HasPrefix(k, string(j.Prefix)) {
			out = append(out, machine.KV{Key: []byte(k), Value: bytes.Clone(b.disk[j.Space][k])})
		}
	}
	return out
}

func (b *bed) apply(w machine.DiskWrite) {
	b.written++
	sp := b.disk[w.Space]
	if sp == nil {
		sp = map[string][]byte{}
		b.disk[w.Space] = sp
	}
	for _, p := range w.DeletePrefix {
		maps.DeleteFunc(sp, func(k string, _ []byte) bool { return strings.HasPrefix(k, string(p)) })
	}
	for _, k := range w.Delete {
		delete(sp, string(k))
	}
	for _, kv := range w.Put {
		sp[string(kv.Key)] = bytes.Clone(kv.Value)
	}
}

// crash ends all regions at once, as kill -9 does; what was not written yet is
// lost. Sessions hear nothing.
func (b *bed) crash() {
	b.life++
	b.regions = map[world.RegionPos]*host{}
	b.awake = nil
	for _, c := range b.order {
		c.online = false
	}
}

// note adds a message to the trace.
func (b *bed) note(m machine.Message) {
	b.traceBuf = append(b.traceBuf[:0], b.trace[:]...)
	b.traceBuf = binary.AppendVarint(b.traceBuf, int64(b.now))
	switch m := m.(type) {
	case *Frame:
		b.traceBuf = fmt.Appendf(b.traceBuf, "%v %+v", m.Tick, m.Own)
		b.traceBuf = append(b.traceBuf, m.Cells...)
	case *Columns:
		for _, c := range m.Columns {
			_, b.traceBuf = c.Column.AppendPayload(b.traceBuf)
		}
	case *RemoteEdit:
		b.traceBuf = fmt.Appendf(b.traceBuf, "%+v", *m.Remote)
	case *RemoteEditDone:
		b.traceBuf = fmt.Appendf(b.traceBuf, "%+v", *m.Remote)
	case *Forward:
		b.traceBuf = fmt.Appendf(b.traceBuf, "%T", m.Msg)
	case *ActResult:
		plain := *m
		if plain.Did = nil; m.Did != nil {
			b.traceBuf = fmt.Appendf(b.traceBuf, "%+v", *m.Did)
		}
		b.traceBuf = fmt.Appendf(b.traceBuf, "%+v", plain)
	default:
		b.traceBuf = fmt.Appendf(b.traceBuf, "%T %+v", m, m)
	}
	b.trace = sha256.Sum256(b.traceBuf)
}

// flat is stone with a layer of grass.
var flat = func() *world.Column {
	c := &world.Column{}
	for x := range world.ChunkSize {
		for z := range world.ChunkSize {
			for y := range flatTop {
				c.Set(x, y, z, world.Stone)
			}
			c.Set(x, flatTop, z, world.Grass)
		}
	}
	c.Compact()
	return c
}()

func flatColumn(p world.ColumnPos) *world.Column {
	c := flat.Clone()
	c.Pos = p
	return c
}

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
}

func (b *bed) client(name string) *client {
	c := &client{
		b: b, name: name, player: id.Of([]byte(name)), peer: machine.Peer{ID: id.Of([]byte("session " + name))},
		views: map[world.RegionPos]*frame.View{}, columns: map[world.ColumnPos]*world.Column{},
		ticks: map[world.RegionPos]uint64{}, results: map[uint32]*ActResult{},
	}
	b.clients[c.peer] = c
	b.order = append(b.order, c)
	return c
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
	return c.acts.Enter(&Enter{
		Player: c.player, Entity: 1000 + uint32(c.player[0])<<8 + uint32(c.player[1]), Name: c.name, Mode: uint8(world.Creative), New: true,
	})
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
		if !c.deaf && c.acts.Ended(m) {
			c.results[m.Seq] = m
		}
	case *Self:
		c.selves = append(c.selves, m)
	case *Inventory:
		for _, s := range m.Slots {
			c.items[s.Slot] = world.Stack{Block: s.Block, Count: uint8(s.Count)}
		}
		c.selected = m.Selected
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
	c.send(c.home, &Inputs{Player: c.player, First: c.seq, Steps: []Step{{Buttons: buttons, Yaw: yaw}}, NoPos: true})
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
	for _, m := range c.acts.Again() {
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

// home returns the player's home and its region; nil if it is nowhere. It fails
// the test if the player is in two regions.
func (b *bed) homeOf(player id.ID) (*Region, *home) {
	var r *Region
	var found *home
	for _, pos := range b.awake {
		h := b.regions[pos]
		if got := h.r.homes[player]; got != nil && got.out == nil {
			if found != nil {
				b.Errorf("a player is at home in %v and %v", r.Pos(), pos)
			}
			r, found = h.r, got
		}
	}
	return r, found
}

// block reads a block where it is decided.
func (b *bed) block(p world.Pos) world.Block {
	got, _ := b.region(p.Region()).r.area.Block(p)
	return got
}

// teleport puts a player somewhere by an order.
func (b *bed) teleport(c *client, at world.Vec) {
	b.deliver(c.home, Hall, &Order{Player: c.player, Kind: Teleport, Position: at})
}

func metres(x, y, z float64) world.Vec {
	n := func(v float64) fixed.Num { return fixed.Num(v * float64(fixed.One)) }
	return world.Vec{X: n(x), Y: n(y), Z: n(z)}
}

var errDisk = errors.New("simulated disk error")
