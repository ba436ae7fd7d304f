package region

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// bed is a test bed for regions: virtual time, a network with delay, a disk
// that can fail or crash, sessions that mirror what they are told. Everything
// is deterministic.
type bed struct {
	log       *decision.Log
	operators map[id.ID]bool
	visitors  map[id.ID]bool // as the lobby says of those who are handed over
	testing.TB
	now      machine.Time
	seq      uint64
	events   []bedEvent
	regions  map[world.RegionPos]*host
	clients  map[machine.Peer]*client
	order    []*client
	lobby    []machine.Message
	drops    bool              // the dead leave what they carry
	signed   bool              // players sign what they do
	denies   bool              // the lobby says of no player that it is at home where it is said to be
	mute     bool              // the lobby says nothing
	requests []machine.Message // what the lobby wants of players, by tag
	lastTag  uint64
	lastSeq  uint64 // of orders
	disk     map[string]map[string][]byte
	life     int // raised by a crash

	delay    time.Duration // of messages between parts
	sync     time.Duration // of a write
	late     time.Duration // of timers
	diskErr  error         // writes fail with it
	written  int
	trace    [32]byte
	traceBuf []byte
	lose     func(machine.Message) bool // messages between parts that get lost
	awake    []world.RegionPos
	tampered bool // areas were changed behind the regions' backs: logs are not replayed
	replayed int  // entries of logs
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
	return &bed{log: decision.New(bedWorld, [32]byte(operatorKey.Public().(ed25519.PublicKey))), visitors: map[id.ID]bool{}, operators: map[id.ID]bool{id.Of(operatorKey.Public().(ed25519.PublicKey)): true},
		TB: t, now: machine.Time(time.Hour), regions: map[world.RegionPos]*host{}, clients: map[machine.Peer]*client{},
		disk: map[string]map[string][]byte{}, requests: make([]machine.Message, 1<<16), delay: time.Millisecond, sync: 2 * time.Millisecond,
	}
}

// bothWays runs a test in a world in which players sign what they do, and in one in
// which they need not.
func bothWays(t *testing.T, test func(t *testing.T, newBed func(testing.TB) *bed)) {
	for _, signed := range []bool{false, true} {
		t.Run(fmt.Sprintf("signed %v", signed), func(t *testing.T) {
			test(t, func(tb testing.TB) *bed {
				b := newBed(tb)
				b.signed = signed
				return b
			})
		})
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
	dead  bool // it has crashed: what it has not written is lost
}

func (b *bed) cfg(pos world.RegionPos) Config {
	return Config{
		Pos: pos, Rules: world.AreaConfig{Seed: 1, Spawn: world.Pos{X: 64, Y: flatTop + 1, Z: 64}, Drops: b.drops},
		World: bedWorld, Signed: b.signed, Rights: b.rights, Lands: b.landsIn,
		Land:    func(owner id.ID, name string) *decision.Statement { return b.log.Current(decision.Land, owner, name) },
		Setting: b.log.SettingStatement, Warp: b.log.Warp, Number: b.log.Number,
	}
}

// region returns the region at pos, waking it if need be.
func (b *bed) region(pos world.RegionPos) *host {
	h := b.regions[pos]
	if h == nil {
		h = &host{b: b, pos: pos}
		h.r = New(b.cfg(pos), h)
		b.follow(h.r)
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
	if to == Lobby {
		if c, ok := m.(*Claim); ok {
			if !b.mute {
				b.after(0, func() {
					b.deliver(c.Region, Lobby, &Claimed{c.Player, c.From, c.Epoch, !b.denies, b.visitors[c.Player]})
				})
			}
			return
		}
		if n, ok := m.(*NotHere); ok && b.requests[n.Tag] != nil {
			b.after(b.delay, func() { b.deliver(n.To, Lobby, b.requests[n.Tag]) })
			return
		}
		b.lobby = append(b.lobby, m)
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

// wants lets the lobby want something of a player that it believes to be at a region.
func (b *bed) wants(at world.RegionPos, m machine.Message) {
	b.lastTag++
	switch m := m.(type) {
	case *Order:
		m.Tag = b.lastTag
	case *Locate:
		m.Tag = b.lastTag
	}
	b.requests[b.lastTag] = m
	b.deliver(at, Lobby, m)
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
	case machine.Work: // a signature
		result, err := j.Run()
		b.after(time.Millisecond, func() { done(result, err) })
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
		if h.dead {
			return
		}
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

// crashOne is crash of one region. A message that comes then wakes it anew.
func (b *bed) crashOne(pos world.RegionPos) {
	if h := b.regions[pos]; h != nil {
		h.dead = true
		delete(b.regions, pos)
		b.awake = slices.DeleteFunc(b.awake, func(p world.RegionPos) bool { return p == pos })
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

// block reads a block where it is decided.
func (b *bed) block(p world.Pos) world.Block {
	got, _ := b.region(p.Region()).r.area.Block(p)
	return got
}

func metres(x, y, z float64) world.Vec {
	n := func(v float64) fixed.Num { return fixed.Num(v * float64(fixed.One)) }
	return world.Vec{X: n(x), Y: n(y), Z: n(z)}
}

var errDisk = errors.New("simulated disk error")
