package world

import (
	"fmt"
	"math"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// TestMischief lets a crowd run about in generated terrain, dig holes, pour
// water and heap up sand. Nobody ends inside of blocks, and when they leave the
// region comes to rest.
func TestMischief(t *testing.T) {
	ends := uint64(6000)
	if testing.Short() {
		ends = 1500
	}
	a := wildArea(t, 3, AreaConfig{Mobs: 24, Protect: 4})
	for i := range 40 {
		p := guest(fmt.Sprint("player ", i), 0, 0, 0)
		p.Mode = Mode(i % 3 / 2)
		backToSpawn(a, p, i)
		a.AddPlayer(p)
	}
	for tick := uint64(1); tick <= ends; tick++ {
		c := a.Tick(tick, mischief(a, tick))
		for i, p := range c.Leavers {
			backToSpawn(a, p, i)
		}
		if tick%50 != 0 {
			continue
		}
		for _, p := range a.players {
			if !p.Arriving && solidIn(a, p.Body.box(&human)) {
				t.Errorf("tick %d: %s is inside of something at %v", tick, p.Name, p.Body.Pos.Block())
			}
		}
	}
	checkSound(t, a)
	for len(a.players) > 0 {
		a.RemovePlayer(a.players[0].ID)
	}
	ticks(a, 2*(growMin+growSpread))
	if n := len(a.updates.due); n > 50 {
		t.Errorf("%d block ticks are left", n)
	}
}

func backToSpawn(a *Area, p *Player, i int) {
	at := a.cfg.Spawn.Centre()
	p.moveTo(at.Add(Vec{X: fixed.Int(i%8*9 - 36), Z: fixed.Int(i/8*9 - 20)}))
}

func mischief(a *Area, tick uint64) (cmds []Command) {
	kinds := []Block{Water, Sand, Torch, Stone, Dirt, Gravel, Grass}
	for i, p := range a.Players() {
		way := rng.New(1, uint64(i), tick/30)
		in := Input{uint16(way.Uint64() & 0x5d), uint16(way.Uint64()), 0} // all but backwards, sneaking, flying
		cmds = append(cmds, Command{Player: p.ID, Kind: CmdInput, Seq: uint32(tick), Input: in})
		r := rng.New(2, uint64(i), tick)
		if p.Items[0].Count < 3 {
			p.Items[0] = Stack{kinds[r.Intn(len(kinds))], 90}
		}
		if !r.OneIn(8) {
			continue
		}
		act := scriptAct(a, p, &r)
		switch {
		case p.Dead():
			act.Kind = ActRespawn
		case act.Kind == ActPlace:
			act.A = 0
		}
		cmds = append(cmds, Command{Player: p.ID, Kind: CmdAct, Seq: uint32(tick), Act: act})
	}
	return cmds
}

// TestSavesCanBeRead: whatever a client sends, its player's save can be read again.
func TestSavesCanBeRead(t *testing.T) {
	a := flatArea(AreaConfig{})
	p := guest("ada", 20, 10, 20)
	p.Mode = Survival
	a.AddPlayer(p)
	a.walkOn(p, 1)
	for i, c := range []Command{
		{Kind: CmdInput, Seq: p.LastSeq + 1, Input: Input{Buttons: math.MaxUint16, Yaw: math.MaxUint16, Pitch: math.MinInt16}},
		{Kind: CmdAct, Seq: 1, After: p.LastSeq + 1, Act: Act{Kind: ActDig, At: Pos{21, 9, 20}, Face: faceCount}},
		{Kind: CmdAct, Seq: 2, After: p.LastSeq + 1, Act: Act{Kind: ActDig, At: Pos{21, 9, 20}, Face: FaceUp}},
	} {
		c.Player = p.ID
		a.Act([]Command{c})
		if _, err := DecodePlayer(p.AppendBinary(nil)); err != nil {
			t.Errorf("after command %d: %v", i, err)
		}
	}
	if p.Dig.Seq != 2 {
		t.Errorf("digs %+v", p.Dig)
	}
}
