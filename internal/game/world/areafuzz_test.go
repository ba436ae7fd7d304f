package world

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// copyOf returns a region with the blocks of another, cheaply.
func copyOf(from *Area, cfg AreaConfig) *Area {
	a := NewArea(cfg, from.pos, nil)
	for i := range Columns {
		a.SetColumn(from.Column(i).Clone())
	}
	return a
}

// FuzzCommands lets three players do anything at all. Nothing panics, nobody
// ends inside of blocks or with more than there is room for.
func FuzzCommands(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte("place and break, walk and fall, craft and hit and respawn"))
	f.Add(bytes.Repeat([]byte{3, 0, 9, 1, 2, 7, 130, 22, 1, 0, 0}, 40))
	hills := hillArea(AreaConfig{})
	f.Fuzz(func(t *testing.T, data []byte) {
		a := copyOf(hills, AreaConfig{Seed: 1, Spawn: Pos{20, 14, 20}, Mobs: 6})
		a.SetTimeOffset(atNight)
		names := []string{"a", "b", "c"}
		for i, name := range names {
			p := guest(name, 60+2*i, 20, 60)
			p.Mode = Mode(i % 2)
			a.AddPlayer(p)
		}
		next := func() int64 {
			if len(data) == 0 {
				return 0
			}
			b := int64(data[0])
			data = data[1:]
			return b
		}
		for tick := uint64(1); len(data) > 0 && tick < 400; tick++ {
			var cmds []Command
			for len(data) > 0 && len(cmds) < 3 {
				player := id.Of([]byte(names[next()%3]))
				c := Command{Player: player, Kind: CommandKind(next() % 4), Seq: uint32(tick)}
				fuzzCommand(a, &c, next)
				cmds = append(cmds, c)
			}
			a.Tick(tick, cmds)
		}
		ticks(a, 30)
		checkSound(t, a)
	})
}

func fuzzCommand(a *Area, c *Command, next func() int64) {
	at := Pos{64, 12, 64}
	if p := a.Player(c.Player); p != nil {
		at = p.Body.Pos.Block()
	}
	at = at.Add(int32(next()%9-4), int32(next()%9-4), int32(next()%9-4))
	switch c.Kind {
	case CmdInput:
		c.Input = Input{uint16(next()), uint16(next() << 8), int16(next() << 7)}
	case CmdAct:
		c.Act = Act{Kind: ActKind(next() % 13), At: at, Face: Face(next() % 7), A: next() - 10, B: next() - 10}
		if c.Act.Kind == ActHit && len(a.mobs) > 0 {
			c.Act.A = int64(a.mobs[0].Entity)
		}
	case CmdOrder:
		c.Order = &Order{Kind: OrderKind(next() % 8), At: Vec{fixed.Int(int(next())) << (next() % 20), fixed.Int(int(next())), fixed.Int(int(next()))},
			Block: Block(next()), Count: int(next()), Mode: Mode(next() % 3)}
	case CmdRemote:
		c.Remote = &Remote{Kind: RemoteKind(next() % 4), At: at, Block: Block(next() % int64(BlockCount)), Player: c.Player}
	}
}

func checkSound(t *testing.T, a *Area) {
	t.Helper()
	for _, p := range a.players {
		for i, s := range p.Items {
			if s.Count > MaxStack || s.Count > 0 && !s.Block.Known() || s.Count == 0 && s.Block != Air {
				t.Errorf("slot %d holds %+v", i, s)
			}
		}
		if p.Health > MaxHealth || p.Air > MaxAir || p.Selected >= HotBar {
			t.Errorf("%+v", p)
		}
		q, err := DecodePlayer(p.AppendBinary(nil))
		if err != nil {
			t.Fatal(err)
		}
		q.Handle, q.Buttons = p.Handle, p.Buttons
		if !reflect.DeepEqual(q, p) {
			t.Errorf("saved as %+v, was %+v", q, p)
		}
	}
	for _, m := range a.mobs {
		if _, err := DecodeMob(m.AppendBinary(nil)); err != nil {
			t.Error(err)
		}
	}
	for _, it := range a.items {
		if _, err := DecodeItem(it.AppendBinary(nil)); err != nil {
			t.Error(err)
		}
	}
}

func FuzzDecodePlayer(f *testing.F) {
	p := guest("a", 20, 10, 20)
	f.Add(p.AppendBinary(nil))
	p.Dig = Dig{Active: true, At: Pos{1, 2, 3}, Need: 9, Done: 4}
	p.Homes = []Home{{"home", Pos{4, 5, -6}}}
	f.Add(p.AppendBinary(nil))
	ground := flatArea(AreaConfig{})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := DecodePlayer(b)
		if err != nil {
			return
		}
		again, err := DecodePlayer(p.AppendBinary(nil))
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%+v became %+v: %v", p, again, err)
		}
		a := copyOf(ground, AreaConfig{})
		a.AddPlayer(p)
		ticks(a, 3)
	})
}

func FuzzLoadRest(f *testing.F) {
	a := flatArea(AreaConfig{Seed: 1})
	mobAt(a, Sheep, 64, 10, 64)
	mobAt(a, Stalker, 60, 10, 64)
	put(a, Pos{30, 10, 30}, Water)
	ticks(a, 100)
	f.Add(a.AppendRest(nil))
	ground := flatArea(AreaConfig{})
	f.Fuzz(func(t *testing.T, b []byte) {
		a := copyOf(ground, AreaConfig{})
		if a.LoadRest(b) != nil {
			return
		}
		first := a.AppendRest(nil)
		if err := a.LoadRest(first); err != nil || !bytes.Equal(a.AppendRest(nil), first) {
			t.Errorf("read back differently: %v", err)
		}
		ticks(a, 3)
	})
}
