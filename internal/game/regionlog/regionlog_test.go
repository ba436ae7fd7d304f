package regionlog

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

func seeds(n int) (out []uint64) {
	if s := os.Getenv("SEED"); s != "" {
		seed, _ := strconv.ParseUint(s, 10, 64)
		return []uint64{seed}
	}
	for i := range n {
		out = append(out, uint64(i+1))
	}
	return out
}

func keyOf(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func public(k ed25519.PrivateKey) [32]byte { return [32]byte(k.Public().(ed25519.PublicKey)) }

var (
	testWorld = id.Of([]byte("world"))
	hostKey   = keyOf("host")
	signing   = &Signing{World: testWorld, Key: public(hostKey), Sign: func(b []byte) [64]byte { return [64]byte(ed25519.Sign(hostKey, b)) }}
)

const top = 63 // y of the grass

func flat(pos world.ColumnPos) *world.Column {
	c := &world.Column{Pos: pos}
	for y := range top + 1 {
		for x := range world.ChunkSize {
			for z := range world.ChunkSize {
				b := world.Stone
				if y == top {
					b = world.Grass
				}
				c.Set(x, y, z, b)
			}
		}
	}
	return c
}

// play is a region in which players do things at random, and what its log says.
type play struct {
	a       *Area
	g       rng.Rand
	tick    uint64
	players []*player
	outs    []*Output
	extra   func(*Area) // once in the middle of a tick
	stay    bool        // nobody leaves
	build   bool        // chests and doors too
	built   []world.Pos // chests and doors, some of which have gone
	seen    seen
}

type player struct {
	key    ed25519.PrivateKey
	id     id.ID
	seq    uint32
	act    uint32
	number uint32
	prev   [32]byte
	nonce  [32]byte
}

func newPlay(seed uint64, players int, signed bool) *play {
	return newPlayOn(seed, players, signed, flat)
}

// air is a column of which a fuzzer does not spend its time reading.
func air(pos world.ColumnPos) *world.Column {
	c := &world.Column{Pos: pos}
	c.Set(3, top, 3, world.Grass)
	c.Set(3, top, 3, world.Air)
	return c
}

func newPlayOn(seed uint64, players int, signed bool, ground func(world.ColumnPos) *world.Column) *play {
	g := rng.New(seed, 77)
	w := &play{g: g, tick: 1000}
	w.a = NewArea(world.AreaConfig{Seed: seed, Spawn: world.Pos{X: 64, Y: top + 1, Z: 64}, Mobs: 8}, world.RegionPos{}, signed)
	for i := range world.Columns {
		w.a.SetColumn(ground(world.RegionPos{}.Column(i)))
	}
	for i := range players {
		p := &player{key: keyOf(fmt.Sprint("player ", i)), nonce: [32]byte{byte(i), 9}}
		p.id = id.Of(p.key.Public().(ed25519.PublicKey))
		w.players = append(w.players, p)
		mode := world.Survival
		if i%2 == 1 {
			mode = world.Creative
		}
		at := world.Vec{X: fixed.Int(10 + g.Intn(100)), Y: fixed.Int(top + 1), Z: fixed.Int(10 + g.Intn(100))}
		w.a.AddPlayer(world.NewPlayer(p.id, fmt.Sprint("P", i), mode, at))
	}
	w.a.Record(signing, func(o *Output) { w.outs = append(w.outs, o) })
	return w
}

// acts lets a player sign an act, and returns its command.
func (w *play) acts(p *player, act world.Act) world.Command {
	p.act++
	p.number++
	of := &inputlog.Session{World: testWorld, Key: public(p.key), Nonce: p.nonce}
	seg := &inputlog.Segment{Number: p.number, Tick: w.tick, Prev: p.prev, First: p.seq + 1, Acts: []inputlog.Act{signedAct(p.act, act)}}
	seg.Sign(of, p.key)
	p.prev = seg.Hash(of)
	w.a.Signed(of, seg.Append(nil), p.act, act)
	return world.Command{Player: p.id, Kind: world.CmdAct, Seq: p.act, After: p.seq, Act: act}
}

// step is a tick at random.
func (w *play) step() {
	w.tick += 1 + uint64(w.g.Intn(20)/19*w.g.Intn(30)) // now and then the machine is busy
	w.disturb()
	var cmds []world.Command
	for _, p := range w.players {
		at := w.a.Player(p.id)
		if at == nil {
			continue
		}
		for range w.g.Intn(3) {
			p.seq++
			in := world.Input{Buttons: uint16(w.g.Intn(1 << 9)), Yaw: uint16(w.g.Intn(1 << 16)), Pitch: int16(w.g.Intn(1<<15) - 1<<14)}
			if w.build && w.g.OneIn(20) {
				in.Pitch = math.MinInt16 // some client sends anything
			}
			cmds = append(cmds, world.Command{Player: p.id, Kind: world.CmdInput, Seq: p.seq, Input: in})
		}
		if w.g.OneIn(3) {
			near := at.Body.Pos.Block().Add(int32(w.g.Intn(5)-2), int32(w.g.Intn(4)-2), int32(w.g.Intn(5)-2))
			act := world.Act{
				Kind: world.ActKind(1 + w.g.Intn(int(world.ActRespawn))), At: near, Face: world.Face(w.g.Intn(6)), A: int64(w.g.Intn(9)), B: int64(w.g.Intn(9)),
			}
			if w.build {
				act = w.builds(at, act)
			}
			c := w.acts(p, act)
			c.Late = uint32(w.g.Intn(4))
			if w.g.OneIn(2) {
				w.look(w.a.Act([]world.Command{c}))
			} else {
				cmds = append(cmds, c)
			}
		}
	}
	if w.build {
		cmds = append(cmds, w.asked()...)
	}
	w.a.SetTimeOffset(int64(w.tick / 500 * 6000))
	w.look(w.a.Tick(w.tick, cmds))
	if w.build {
		w.equip()
	}
	if w.extra != nil {
		w.extra(w.a)
	}
	w.a.EndTick(machine.Time(w.tick) * 50_000_000)
}

// disturb is what else may change an area.
func (w *play) disturb() {
	g := &w.g
	switch g.Intn(60) {
	case 0:
		c := flat(world.ColumnPos{X: -1, Z: int32(g.Intn(4))})
		w.a.PutOutside(c)
	case 1:
		w.a.SetOutside(world.Pos{X: -1, Y: top + 1, Z: int32(g.Intn(128))}, world.Water)
	case 2:
		w.a.ClearOutside()
	case 3:
		w.a.AddMob(world.NewMob(uint64(g.Intn(1<<40)), world.Sheep, world.Vec{X: fixed.Int(30), Y: fixed.Int(top + 1), Z: fixed.Int(30)}))
	case 4:
		if m := w.a.Mobs(); len(m) > 0 {
			w.a.RemoveMob(m[0].Entity)
		}
	case 5:
		if it := w.a.Items(); len(it) > 0 {
			w.a.RemoveItem(it[0].Entity)
		}
	case 6:
		p := w.players[g.Intn(len(w.players))]
		if at := w.a.Player(p.id); at != nil {
			w.a.Freeze(p.id, !at.Frozen)
		}
	case 7:
		p := w.players[g.Intn(len(w.players))]
		if at := w.a.Player(p.id); at != nil {
			at.NewSession()
			at.Epoch++
			p.seq = 0
			w.a.Changed(at)
		}
	case 8:
		if w.stay {
			return
		}
		p := w.players[g.Intn(len(w.players))]
		if at := w.a.RemovePlayer(p.id); at != nil && g.OneIn(2) {
			w.a.AddPlayer(at)
		}
	case 9:
		w.a.GiveState()
	case 10:
		p := w.players[g.Intn(len(w.players))]
		m := &world.Remote{Kind: world.RemoteBreak, From: world.RegionPos{X: 1}, Player: p.id, At: world.Pos{X: 127, Y: top, Z: int32(g.Intn(128))}, Block: world.Grass}
		w.a.Act([]world.Command{w.remote(p, m)})
	}
}

// remote is an edit for which a neighbour asks, and signs it as its player does.
func (w *play) remote(p *player, m *world.Remote) world.Command {
	p.act++
	m.From, m.Player, m.Seq = world.RegionPos{X: 1}, p.id, p.act
	act := inputlog.Act{Seq: m.Seq, Kind: uint8(world.ActDig), At: m.At}
	switch m.Kind {
	case world.RemotePlace:
		act.Kind, act.At, act.Face = uint8(world.ActPlace), m.At.Add(0, -1, 0), uint8(m.Face)
	case world.RemoteOpen:
		act.Kind = uint8(world.ActOpen)
	}
	seg := &inputlog.Segment{Number: 1, Tick: w.tick, First: 1, Acts: []inputlog.Act{act}}
	nonce := [32]byte{7}
	of := &inputlog.Session{World: testWorld, Key: public(p.key), Nonce: nonce}
	seg.Sign(of, p.key)
	w.a.SignedRemote(of.Key, nonce, seg.Append(nil), act)
	return world.Command{Player: p.id, Kind: world.CmdRemote, Seq: m.Seq, Remote: m}
}

// replay follows a log from one of its states on.
func replay(outs []*Output, from int) (*Proof, error) {
	r, err := NewReplayer(outs[from].Checkpoint, outs[from].State)
	if err != nil {
		return nil, err
	}
	for _, o := range outs[from+1:] {
		if o.Number == 0 {
			break
		}
		if p, err := r.Entry(o.Entry, o.Checkpoint); p != nil || err != nil {
			return p, err
		}
	}
	return nil, nil
}

// TestLongHonest: whatever happens in a region, its log leads to what was signed, from
// each state that was given on.
func TestLongHonest(t *testing.T) {
	simtest.Long(t)
	var all seen
	for _, seed := range seeds(12) {
		all.add(testHonest(t, seed, 1500))
	}
	all.check(t)
}

func TestHonest(t *testing.T) {
	var all seen
	for _, seed := range seeds(3) {
		all.add(testHonest(t, seed, 400))
	}
	all.check(t)
}

func testHonest(t *testing.T, seed uint64, ticks int) seen {
	t.Helper()
	w := newPlay(seed, 6, seed%2 == 0)
	w.build = true
	for range ticks {
		w.step()
	}
	states := 0
	for i, o := range w.outs {
		if o.State == nil {
			continue
		}
		states++
		if p, err := replay(w.outs, i); p != nil || err != nil {
			what := ""
			if p != nil {
				f, err := p.Check()
				what = fmt.Sprint(f, err, p.To.Number)
			}
			t.Fatalf("seed %d, from output %d on: %v %s", seed, i, err, what)
		}
	}
	if states < 2 {
		t.Errorf("seed %d: only %d states were given", seed, states)
	}
	return w.seen
}

// TestLies: a change that the log does not have, or an act that its player has not
// signed, is proven with the next checkpoint, by a proof that survives being written
// down, and that no longer proves anything when it is changed.
func TestLies(t *testing.T) {
	at := world.Pos{X: 40, Y: top, Z: 40}
	for name, lie := range map[string]func(w *play, a *Area){
		"drops a block": func(w *play, a *Area) { a.Area.Revert([]world.BlockChange{{At: at, Was: world.Air, Now: world.Grass}}) },
		"invents one": func(w *play, a *Area) {
			a.Area.Revert([]world.BlockChange{{At: at, Was: world.GoldOre, Now: world.Grass}})
		},
		"grants an item": func(w *play, a *Area) {
			a.Player(w.players[0].id).Items[5] = world.Stack{Block: world.GoldOre, Count: 9}
		},
		"lets fly": func(w *play, a *Area) { a.Player(w.players[0].id).Body.Pos.Y += 5 * fixed.One },
		"heals":    func(w *play, a *Area) { a.Player(w.players[0].id).Mode = world.Creative },
		"forges an act": func(w *play, a *Area) {
			a.Act([]world.Command{{Player: w.players[0].id, Kind: world.CmdAct, Seq: 999, Act: world.Act{Kind: world.ActDrop, A: 1, B: 1}}})
		},
		"logs that it grants an item": func(w *play, a *Area) {
			p := a.Player(w.players[0].id)
			p.Items[5] = world.Stack{Block: world.GoldOre, Count: 9}
			a.Changed(p)
		},
		"logs that it heals": func(w *play, a *Area) {
			p := a.Player(w.players[0].id)
			p.Health, p.Food = 3, 2
			a.Changed(p)
		},
		"gives without an order": func(w *play, a *Area) {
			a.Act([]world.Command{{Player: w.players[0].id, Kind: world.CmdOrder, Seq: 1, Order: &world.Order{Kind: world.OrderGive, Block: world.GoldOre, Count: 9}}})
		},
		"gives more than was ordered": func(w *play, a *Area) {
			c := ordered(w.players[0].id, decision.Order{Kind: decision.Give, Text: "stone", Count: 1}, 7)
			c.Order.Count = 64
			a.Act([]world.Command{c})
		},
		"gives another what was ordered": func(w *play, a *Area) {
			c := ordered(w.players[1].id, decision.Order{Kind: decision.Give, Text: "stone", Count: 1}, 7)
			c.Player = w.players[0].id
			a.Act([]world.Command{c})
		},
		"moves somebody": func(w *play, a *Area) {
			a.Act([]world.Command{{Player: w.players[0].id, Kind: world.CmdOrder, Seq: 1, Order: &world.Order{Kind: world.OrderTeleport, At: world.Vec{X: fixed.Int(60), Y: fixed.Int(90), Z: fixed.Int(60)}}}})
		},
		"heals by no order": func(w *play, a *Area) {
			a.Act([]world.Command{{Player: w.players[0].id, Kind: world.CmdOrder, Seq: 1, Order: &world.Order{Kind: world.OrderHealth, Count: 20}}})
		},
		"goes back in time": func(w *play, a *Area) { a.Tick(w.tick-1, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newPlay(5, 3, true)
			w.a.Area.Player(w.players[0].id).Mode = world.Survival
			w.g, w.stay = rng.New(3), true
			for range 50 {
				w.step()
			}
			if w.a.Player(w.players[0].id) == nil {
				t.Fatal("the player has gone")
			}
			done := len(w.outs)
			w.extra = func(a *Area) { lie(w, a); w.extra = nil }
			for range Every + 2 {
				w.step()
			}
			p, err := replay(w.outs, 0)
			if p == nil {
				t.Fatalf("nothing is proven: %v", err)
			}
			if int(p.To.Number) > done+Every+1 {
				t.Errorf("proven with entry %d, the lie is in entry %d", p.To.Number, done)
			}
			again, err := DecodeProof(p.Append(nil))
			if err != nil {
				t.Fatal(err)
			}
			found, err := again.Check()
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s (%d bytes)", found, len(p.Append(nil)))
			forge(t, p)
		})
	}
}

// forge changes a proof so that it would be against somebody innocent.
func forge(t *testing.T, p *Proof) {
	t.Helper()
	less := *p
	less.Entries = p.Entries[:len(p.Entries)-1]
	other := *p
	other.Entries = slices.Clone(p.Entries)
	other.Entries[0] = append([]byte{evRingClear}, p.Entries[0]...)
	state := *p
	state.State = bytes.Clone(p.State)
	state.State[len(state.State)/2] ^= 1
	signed := *p
	to := *p.To
	to.Hashes[partItems][0] ^= 1
	signed.To = &to
	back := *p
	back.From, back.To = p.To, p.From
	for name, q := range map[string]*Proof{"an entry less": &less, "another entry": &other, "another state": &state, "another checkpoint": &signed, "the wrong order": &back} {
		if found, err := q.Check(); err == nil {
			t.Errorf("%s proves: %v", name, found)
		}
	}
}

// TestMixed: lost, repeated and swapped entries, and those of another log of the same
// host, prove nothing.
func TestMixed(t *testing.T) {
	for _, seed := range seeds(20) {
		g := rng.New(seed, 3)
		w, v := newPlay(seed, 2, false), newPlay(seed, 2, false)
		v.g = rng.New(seed, 5)
		for range 90 {
			w.step()
			v.step()
		}
		outs := slices.Clone(w.outs)
		for i := 1; i < len(outs); i++ {
			switch g.Intn(30) {
			case 0:
				outs = slices.Delete(outs, i, i+1)
			case 1:
				outs = slices.Insert(outs, i, outs[i])
			case 2:
				outs[i], outs[i-1+g.Intn(2)] = outs[i-1+g.Intn(2)], outs[i]
			case 3:
				outs[i] = v.outs[min(i, len(v.outs)-1)]
			}
		}
		for i := range outs {
			if outs[i].State == nil {
				continue
			}
			p, err := replay(outs, i)
			if p == nil {
				continue
			}
			if found, wrong := p.Check(); wrong == nil {
				t.Errorf("seed %d: an honest host is convicted: %v, %v", seed, found, err)
			}
		}
	}
}

// TestHonestProofs: a proof whose events lead to what was signed proves nothing.
func TestHonestProofs(t *testing.T) {
	w := newPlay(1, 3, true)
	for range 70 {
		w.step()
	}
	first := w.outs[0]
	p := &Proof{From: first.Checkpoint, State: first.State}
	for _, o := range w.outs[1:] {
		p.Entries = append(p.Entries, o.Entry)
		if p.To = o.Checkpoint; p.To != nil {
			break
		}
	}
	if found, err := p.Check(); !errors.Is(err, ErrHonest) {
		t.Errorf("%v, %v", found, err)
	}
	old := *p.From
	old.Version++
	signing.sign(&old)
	old.Version = Version + 1
	old.Signature = signing.Sign(old.text())
	to := *p.To
	to.Version = Version + 1
	to.Signature = signing.Sign(to.text())
	if _, err := (&Proof{From: &old, To: &to, State: p.State, Entries: p.Entries}).Check(); !errors.Is(err, ErrVersion) {
		t.Errorf("other rules: %v", err)
	}
}

// TestRulesVersion notices when the rules change: hosts of both versions would convict
// each other, so Version has to be raised together with this digest.
func TestRulesVersion(t *testing.T) {
	w := newPlay(9, 8, false)
	for range 600 {
		w.step()
	}
	digest := w.a.state(false).Hashes.Digest()
	const want = "12 ab0ed296b22a29c9"
	if got := fmt.Sprintf("%d %s", Version, hex.EncodeToString(digest[:8])); got != want {
		t.Errorf("the rules have changed: raise Version in doc.go, and write here %q", strings.TrimSpace(got))
	}
}
