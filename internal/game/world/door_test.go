package world

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

func (a *Area) does(p *Player, act Act) Refusal {
	code := Refusal("later")
	if c := a.Act([]Command{{Player: p.ID, Kind: CmdAct, Seq: 1, Act: act}}); len(c.Results) > 0 {
		code = c.Results[0].Code
	}
	for range placeEvery {
		a.walkOn(p, 1)
	}
	return code
}

// withDoor returns an area with a door that a player has placed to its east.
func withDoor(t *testing.T) (a *Area, p *Player, at Pos) {
	t.Helper()
	a = flatArea(AreaConfig{Seed: 2})
	p = guest("ada", 20, 10, 20)
	p.Items = Inventory{{OakDoor, 2}}
	a.AddPlayer(p)
	a.walkOn(p, 1)
	at = Pos{22, 10, 20}
	if code := a.does(p, Act{Kind: ActPlace, At: at.Next(FaceDown), Face: FaceUp}); code != Done {
		t.Fatalf("placing: %q", code)
	}
	return a, p, at
}

// TestDoor: a door that is closed bars the way, one that is open does not, and both
// halves are always alike.
func TestDoor(t *testing.T) {
	a, p, at := withDoor(t)
	closed := OakDoor.with(pack.Turned) // across the way of who came from the west
	mustBe(t, a, at, closed)
	mustBe(t, a, at.Next(FaceUp), closed.with(pack.Upper))
	way := func() bool { return !solidIn(&a.regionBlocks, blockBox(at, Stone)) }
	if way() || p.Items[0].Count != 1 {
		t.Errorf("open: %v, %v in the hand", way(), p.Items[0])
	}
	for i, half := range []Pos{at, at.Next(FaceUp), at} {
		if code := a.does(p, Act{Kind: ActOpen, At: half}); code != Done {
			t.Fatalf("turn %d: %q", i, code)
		}
		flip := uint8(pack.Open * (1 - i%2))
		mustBe(t, a, at, closed.with(flip))
		mustBe(t, a, at.Next(FaceUp), closed.with(flip|pack.Upper))
		if way() != (i%2 == 0) {
			t.Errorf("turn %d: open: %v", i, way())
		}
	}
	a.walkOn(p, 1)
	mustBe(t, a, at, closed.with(pack.Open))

	q := guest("bob", 22, 10, 20)
	a.AddPlayer(q)
	if code := a.does(p, Act{Kind: ActOpen, At: at}); code != Occupied {
		t.Errorf("closing it onto somebody: %q", code)
	}
	p.Body.Pos.X -= 8 << 12
	if code := a.does(p, Act{Kind: ActOpen, At: at}); code != TooFar {
		t.Errorf("from afar: %q", code)
	}
}

// TestDoorFalls: whichever half is broken, or if the ground is, one door is left.
func TestDoorFalls(t *testing.T) {
	for what, off := range map[string]int32{"lower half": 0, "upper half": 1, "ground": -1} {
		a, p, at := withDoor(t)
		if off < 0 {
			put(a, at.Next(FaceDown), Air)
		} else {
			a.does(p, Act{Kind: ActDig, At: at.Add(0, off, 0), Face: FaceUp})
		}
		for range 60 {
			a.walkOn(p, 1)
		}
		mustBe(t, a, at, Air)
		mustBe(t, a, at.Next(FaceUp), Air)
		if n := p.Items.Count(OakDoor); n != 2 {
			t.Errorf("%s: has %d doors", what, n)
		}
	}
}

// TestDoorNeeds: a door is not placed where a half of it finds no room, or no ground.
func TestDoorNeeds(t *testing.T) {
	for what, c := range map[string]struct {
		put  Pos
		b    Block
		code Refusal
	}{
		"no room above": {Pos{22, 11, 20}, Stone, NotReplaceable},
		"no ground":     {Pos{22, 9, 20}, StoneSlab, NotAllowed},
	} {
		a := flatArea(AreaConfig{})
		p := guest("ada", 20, 10, 20)
		p.Items = Inventory{{OakDoor, 1}}
		a.AddPlayer(p)
		put(a, c.put, c.b)
		if code := a.does(p, Act{Kind: ActPlace, At: Pos{22, 9, 20}, Face: FaceUp}); code != c.code || p.Items[0].Count != 1 {
			t.Errorf("%s: %q, %v", what, code, p.Items[0])
		}
	}
}

// TestGatesAndTrapdoors: what is one block opens as doors do, needs nothing to stand on,
// and does not close on whoever stands in it.
func TestGatesAndTrapdoors(t *testing.T) {
	for _, item := range []Block{OakGate, OakTrapdoor} {
		t.Run(item.String(), func(t *testing.T) {
			a, p, at := withDoor(t)
			p.Items = Inventory{{item, 9}}
			at = at.Add(0, 0, 2)
			if code := a.does(p, Act{Kind: ActPlace, At: at.Next(FaceDown), Face: FaceUp}); code != Done || p.Items[0].Count != 8 {
				t.Fatalf("placing: %q, %v", code, p.Items[0])
			}
			closed, _ := a.Block(at)
			if !closed.Solid() || closed != item && closed != item.with(pack.Turned) {
				t.Fatalf("it is %v", closed)
			}
			if code := a.does(p, Act{Kind: ActOpen, At: at}); code != Done {
				t.Fatalf("opening: %q", code)
			}
			mustBe(t, a, at, closed.with(pack.Open))
			if closed.with(pack.Open).Solid() || Info(closed.with(pack.Open)).Climbable != (item == OakTrapdoor) {
				t.Error("an open one bars the way")
			}
			q := guest("bob", int(at.X), int(at.Y), int(at.Z))
			a.AddPlayer(q)
			if code := a.does(p, Act{Kind: ActOpen, At: at}); code != Occupied {
				t.Errorf("closing on bob: %q", code)
			}
			a.RemovePlayer(q.ID)
			if code := a.does(p, Act{Kind: ActOpen, At: at}); code != Done {
				t.Errorf("closing: %q", code)
			}
			mustBe(t, a, at, closed)
			if fullSolid(closed) || fullSolid(OakFence) {
				t.Error("a torch would stand on it")
			}
			p.Mode = Creative
			put(a, at.Next(FaceDown), Air)
			a.walkOn(p, 5)
			mustBe(t, a, at, closed)
		})
	}
}

// TestMobsStayInFences: no mob's way leads over a fence or a gate, closed, or ends on one.
func TestMobsStayInFences(t *testing.T) {
	a := flatArea(AreaConfig{})
	for i := range int32(5) {
		for _, at := range []Pos{{20 + i, 10, 20}, {20 + i, 10, 24}, {20, 10, 20 + i}, {24, 10, 20 + i}} {
			put(a, at, OakFence)
		}
	}
	put(a, Pos{22, 10, 20}, OakGate)
	from, to := Pos{22, 10, 22}, Pos{30, 10, 22}
	leaves := func() bool {
		at := from
		for range 4 {
			a.paths.left = 1
			var path [pathKeep]Pos
			if n := a.paths.findPath(at, to, &path); n > 0 {
				at = path[n-1]
			}
		}
		return max(abs32(at.X-22), abs32(at.Z-22)) > 2
	}
	if leaves() {
		t.Error("a mob leaves")
	}
	put(a, Pos{22, 10, 20}, OakGate.with(pack.Open))
	if !leaves() {
		t.Error("a mob does not leave through the open gate")
	}
}
