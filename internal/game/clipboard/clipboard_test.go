package clipboard

import (
	"slices"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// house is a small box with what has a direction in it.
func house() *Box {
	b := New(2, 2, 3)
	for i := range b.Blocks {
		b.Blocks[i] = world.Block(i % 3)
	}
	b.Blocks[b.Index(0, 0, 0)], b.Blocks[b.Index(1, 0, 0)] = world.RedBedEast, world.RedBedEastHead
	b.Blocks[b.Index(1, 1, 2)], b.Blocks[b.Index(0, 1, 2)] = world.OakGate, Nothing
	return b
}

func TestTurns(t *testing.T) {
	b := house()
	r := b.Right()
	if r.X != 3 || r.Z != 2 || r.Blocks[r.Index(2, 0, 0)] != world.RedBedSouth || r.Blocks[r.Index(2, 0, 1)] != world.RedBedSouthHead {
		t.Errorf("a bed to the east is to the south after a quarter: %v", r)
	}
	if at := r.Index(0, 1, 1); r.Blocks[at] != world.OakGateTurned {
		t.Errorf("a gate: %v", r.Blocks[at])
	}
	if back := r.Right().Right().Right(); !slices.Equal(back.Blocks, b.Blocks) {
		t.Errorf("four quarters: %v, not %v", back, b)
	}
	for _, axis := range []byte("xyz") {
		m := b.Mirror(axis)
		if slices.Equal(m.Blocks, b.Blocks) || !slices.Equal(m.Mirror(axis).Blocks, b.Blocks) {
			t.Errorf("mirrored along %c: %v", axis, m)
		}
	}
	if m := b.Mirror('x'); m.Blocks[m.Index(1, 0, 0)] != world.RedBedWest || m.Blocks[m.Index(0, 0, 0)] != world.RedBedWestHead {
		t.Errorf("a mirrored bed: %v", m)
	}
	if b.Count() != len(b.Blocks)-1 {
		t.Errorf("%d blocks", b.Count())
	}
}

func TestParts(t *testing.T) {
	b, at := house(), world.Pos{X: 126, Y: 5, Z: 126}
	c := New(b.X, b.Y, b.Z)
	box := world.Zone{Min: at, Max: at.Add(1, 1, 2)}
	for _, z := range []int32{0, 1} {
		part := box.Common(world.RegionPos{Z: z}.Bounds())
		got, err := Decode(Encode(b.Cut(at, part)), Volume(part))
		if err != nil || !c.Put(at, part, got) {
			t.Fatalf("%v: %v", part, err)
		}
	}
	if !slices.Equal(b.Blocks, c.Blocks) {
		t.Errorf("%v, not %v", c, b)
	}
}

func TestHostileEncodings(t *testing.T) {
	for name, b := range map[string][]byte{
		"too few":           {3, 1},
		"too many":          {5, 1},
		"an empty run":      {0, 1, 4, 1},
		"cut off":           {4},
		"something behind":  {4, 1, 0},
		"no block":          {4, byte(world.Stick)},
		"a chest with loot": Encode(slices.Repeat([]world.Block{world.OldChest}, 4)),
		"a furnace on fire": Encode(slices.Repeat([]world.Block{world.FurnaceLit}, 4)),
		"bedrock":           {4, byte(world.Bedrock)},
	} {
		if got, err := Decode(b, 4); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(Encode(house().Blocks), 12)
	f.Add([]byte{4, 1}, 4)
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		got, err := Decode(b, n)
		if err == nil && (len(got) != n || len(Encode(got)) > len(b)) {
			t.Errorf("%d of %d blocks", len(got), n)
		}
		if err == nil {
			if again, err := Decode(Encode(got), n); err != nil || !slices.Equal(again, got) {
				t.Errorf("%v, not %v", again, got)
			}
		}
	})
}

// TestDirections: what has a direction turns with the box, and is itself again after four
// quarters, or two mirrors.
func TestDirections(t *testing.T) {
	for b, want := range map[world.Block][4]world.Block{ // to the right, along x, y, z
		world.OakStairs:            {world.OakStairsEast, world.OakStairs, world.OakStairsUpper, world.OakStairsSouth},
		world.BrickStairsUpperWest: {world.BrickStairsUpper, world.BrickStairsUpperEast, world.BrickStairsWest, world.BrickStairsUpperWest},
		world.OakSignSouth:         {world.OakSignWest, world.OakSignSouth, world.OakSignSouth, world.OakSign},
		world.OakSignUpperEast:     {world.OakSignUpperSouth, world.OakSignUpperWest, world.OakSignUpperEast, world.OakSignUpperEast},
		world.StoneSlab:            {world.StoneSlab, world.StoneSlab, world.StoneSlabUpper, world.StoneSlab},
		world.OakSlabUpper:         {world.OakSlabUpper, world.OakSlabUpper, world.OakSlab, world.OakSlabUpper},
		world.Stone:                {world.Stone, world.Stone, world.Stone, world.Stone},
	} {
		box := New(1, 1, 1)
		box.Blocks[0] = b
		if got := [4]world.Block{box.Right().Blocks[0], box.Mirror('x').Blocks[0], box.Mirror('y').Blocks[0], box.Mirror('z').Blocks[0]}; got != want {
			t.Errorf("%v: %v, not %v", b, got, want)
		}
		if got := box.Right().Right().Right().Right().Blocks[0]; got != b {
			t.Errorf("%v after four quarters: %v", b, got)
		}
		for _, axis := range []byte("xyz") {
			if got := box.Mirror(axis).Mirror(axis).Blocks[0]; got != b {
				t.Errorf("%v mirrored twice along %c: %v", b, axis, got)
			}
		}
	}
}
