package regionlog

import (
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"strconv"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
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
