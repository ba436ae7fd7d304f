package world

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
)

// TestPlacedAs: stairs rise away from whoever places them, signs look at them or hang at a
// wall, and slabs and stairs hang from above if the upper half of a side is meant. All of
// them are carried as one kind.
func TestPlacedAs(t *testing.T) {
	east, north := Pos{22, 10, 20}, Pos{20, 10, 18}
	for name, c := range map[string]struct {
		item    Block
		at      Pos
		face    Face
		b       int64
		becomes Block
	}{
		"stairs to the east":    {OakStairs, east, FaceUp, 0, OakStairsEast},
		"stairs to the north":   {BrickStairs, north, FaceUp, 1, BrickStairs},
		"stairs that hang":      {OakStairs, east, FaceWest, 1, OakStairsUpperEast},
		"stairs at a wall":      {OakStairs, east, FaceWest, 0, OakStairsEast},
		"slab":                  {StoneSlab, east, FaceUp, 0, StoneSlab},
		"slab at a wall":        {StoneSlab, east, FaceWest, 0, StoneSlab},
		"slab that hangs":       {OakSlab, east, FaceWest, 1, OakSlabUpper},
		"sign that looks west":  {OakSign, east, FaceUp, 0, OakSignWest},
		"sign that looks south": {OakSign, north, FaceUp, 0, OakSignSouth},
		"sign at a wall":        {OakSign, east, FaceWest, 0, OakSignUpperWest},
	} {
		a := flatArea(AreaConfig{Seed: 2})
		against := c.at.Next(c.face ^ 1)
		if c.face >= FaceNorth {
			a.columns[against.Column().Index()].Set(int(against.X&31), int(against.Y), int(against.Z&31), Stone)
		}
		p := guest("ada", 20, 10, 20)
		p.Items = Inventory{{c.item, 1}}
		a.AddPlayer(p)
		if got := a.doAct(t, p, Act{Kind: ActPlace, At: against, Face: c.face, B: c.b}); got != Done || p.Items.Count(c.item) != 0 {
			t.Errorf("%s: %q", name, got)
			continue
		}
		mustBe(t, a, c.at, c.becomes)
		if c.becomes.Carried() != c.item || Info(c.becomes).Drop != c.item {
			t.Errorf("%s: carried as %v, leaves %v", name, c.becomes.Carried(), Info(c.becomes).Drop)
		}
		p.Settle(&Remote{Kind: RemotePlace, Block: c.becomes, Code: Occupied})
		if n := p.Items.Count(c.item); n != 1 {
			t.Errorf("%s: refused by a neighbour it comes back as %d of one", name, n)
		}
	}
}

// TestSignFalls with what it stands on or hangs at.
func TestSignFalls(t *testing.T) {
	for _, sign := range []Block{OakSignWest, OakSignUpperWest} {
		a := flatArea(AreaConfig{})
		at := Pos{22, 11, 20}
		behind := signBehind(at, sign)
		for p, b := range map[Pos]Block{at: sign, behind: Stone} {
			a.columns[p.Column().Index()].Set(int(p.X&31), int(p.Y), int(p.Z&31), b)
		}
		p := guest("ada", 20, 10, 20)
		p.Mode = Creative
		a.AddPlayer(p)
		if got := a.doAct(t, p, Act{Kind: ActDig, At: behind, Face: FaceUp}); got != Done {
			t.Fatal(got)
		}
		for range 3 {
			a.Tick(a.tick+1, nil)
		}
		mustBe(t, a, at, Air)
	}
}

// TestStairsAreWalkedUp without a jump, and are a wall from behind.
func TestStairsAreWalkedUp(t *testing.T) {
	for stairs, want := range map[Block]fixed.Num{OakStairsEast: fixed.Int(11), OakStairsWest: fixed.Int(10)} {
		a := flatArea(AreaConfig{})
		a.columns[0].Set(5, 10, 5, stairs)
		body := Body{Pos: SpawnFeet(Pos{3, 10, 5})}
		high := fixed.Num(0)
		for range 30 {
			Step(a, &body, Input{Buttons: ButtonForward, Yaw: 1 << 14}, Survival)
			high = max(high, body.Pos.Y)
		}
		if high != want {
			t.Errorf("%v: came %v high, want %v", stairs, high, want)
		}
	}
}
