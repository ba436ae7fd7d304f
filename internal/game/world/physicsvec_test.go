package world

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// testdata/physics.json holds vectors for ports of Step (the browser's): patches
// of terrain, inputs, and the body after each step. Run with -update to write it
// anew.
var update = flag.Bool("update", false, "rewrite the files under testdata")

const physicsFile = "testdata/physics.json"

type physicsFileJSON struct {
	About string        `json:"about"`
	Cases []physicsCase `json:"cases"`
}

// physicsCase is a run of a body. Lengths are in 1/4096 m except for blocks.
type physicsCase struct {
	Name   string     `json:"name"`
	Mode   Mode       `json:"mode"`
	Floor  int32      `json:"floor"`  // below this height all is stone
	Loaded [4]int32   `json:"loaded"` // x0 z0 x1 z1 of what is loaded, upper bounds exclusive
	Blocks [][4]int32 `json:"blocks"` // x y z block; all else above the floor is air
	Start  [7]int64   `json:"start"`  // x y z vx vy vz flags
	Inputs [][4]int32 `json:"inputs"` // buttons yaw pitch, how many times
	Bodies [][7]int64 `json:"bodies"` // after each step, as Start
}

const physicsAbout = "x y z vx vy vz in 1/4096 m (per tick); flags: 1 on ground, 2 flying, 4 in water, 8 climbing, 16 sneaking, 32 sprinting, 64 blocked sideways. Below y = 0 is bedrock, from y = 256 on air."

// physicsPatch is the terrain of a case.
type physicsPatch struct {
	c   *physicsCase
	put map[Pos]Block
}

func (w physicsPatch) Block(p Pos) (Block, bool) {
	l := w.c.Loaded
	switch b, ok := w.put[p]; {
	case p.Y < 0:
		return Bedrock, true
	case p.Y >= Height:
		return Air, true
	case p.X < l[0] || p.Z < l[1] || p.X >= l[2] || p.Z >= l[3]:
		return Air, false
	case ok:
		return b, true
	case p.Y < w.c.Floor:
		return Stone, true
	}
	return Air, true
}

func (c *physicsCase) patch() physicsPatch {
	w := physicsPatch{c, map[Pos]Block{}}
	for _, b := range c.Blocks {
		w.put[Pos{b[0], b[1], b[2]}] = Block(b[3])
	}
	return w
}

func (b *Body) vector() [7]int64 {
	flags := packFlags([]bool{b.OnGround, b.Flying, b.InWater, b.Climbing, b.Sneaking, b.Sprinting, b.Blocked})
	return [7]int64{
		int64(b.Pos.X), int64(b.Pos.Y), int64(b.Pos.Z),
		int64(b.Vel.X), int64(b.Vel.Y), int64(b.Vel.Z), int64(flags),
	}
}

// run fills in Bodies.
func (c *physicsCase) run(t *testing.T) {
	w := c.patch()
	b := Body{OnGround: c.Start[6]&1 != 0}
	b.Pos = Vec{fixed.Num(c.Start[0]), fixed.Num(c.Start[1]), fixed.Num(c.Start[2])}
	b.Vel = Vec{fixed.Num(c.Start[3]), fixed.Num(c.Start[4]), fixed.Num(c.Start[5])}
	c.Bodies = nil
	inside := true
	for _, in := range c.Inputs {
		for range in[3] {
			Step(w, &b, Input{uint16(in[0]), uint16(in[1]), int16(in[2])}, c.Mode)
			now := c.Mode != Spectator && solidIn(w, b.box(&human))
			if now && !inside {
				t.Errorf("%s: got into something solid at step %d", c.Name, len(c.Bodies))
			}
			inside = now
			c.Bodies = append(c.Bodies, b.vector())
		}
	}
}

func physicsCases() []physicsCase {
	const open = 1000
	everywhere := [4]int32{-open, -open, open, open}
	on := func(x, y, z int64) [7]int64 { return [7]int64{x*4096 + 2048, y * 4096, z*4096 + 2048} }
	const f, b, l, r = int32(ButtonForward), int32(ButtonBack), int32(ButtonLeft), int32(ButtonRight)
	const jump, sneak, sprint, fly = int32(ButtonJump), int32(ButtonSneak), int32(ButtonSprint), int32(ButtonFly)
	cases := []physicsCase{
		{Name: "walk in all directions", Inputs: [][4]int32{{f, 0, 0, 10}, {b, 5000, 0, 10}, {l, 30000, 0, 10}, {r, 60000, 0, 10}, {f | l, 1234, 0, 10}, {0, 0, 0, 15}}},
		{Name: "sprint and jump", Inputs: [][4]int32{{f | sprint | jump, 20000, 0, 60}}},
		{Name: "sneak at an edge", Blocks: box4(-1, 9, -1, 1, 10, 1, Stone), Inputs: [][4]int32{{f | sneak, 16384, 0, 30}, {f | l | sneak, 9000, 0, 50}, {f, 9000, 0, 30}}},
		{Name: "slabs and blocks", Floor: 10, Blocks: append(box4(2, 10, -2, 4, 11, 3, StoneSlab), box4(4, 10, -2, 9, 11, 3, Stone)...), Inputs: [][4]int32{{f, 16384, 0, 40}, {f | jump, 49152, 0, 30}}},
		{Name: "swim and climb the bank", Floor: 5, Blocks: append(box4(-4, 5, -2, 3, 10, 3, Water), box4(3, 5, -2, 6, 11, 3, Dirt)...), Inputs: [][4]int32{{0, 0, 0, 20}, {f, 16384, 0, 20}, {f | jump, 16384, 0, 60}, {f | sprint | jump, 49152, 0, 40}}},
		{Name: "flowing water", Floor: 9, Blocks: append(box4(0, 9, 0, 2, 10, 2, Water4), [4]int32{2, 9, 0, int32(Water1)}), Inputs: [][4]int32{{f, 16384, 0, 40}}},
		{Name: "ladder", Floor: 10, Blocks: append(box4(0, 10, 0, 1, 15, 1, Ladder), box4(1, 10, 0, 2, 15, 1, Stone)...), Inputs: [][4]int32{{f, 16384, 0, 30}, {sneak, 0, 0, 10}, {0, 0, 0, 10}, {jump, 0, 0, 40}, {f, 16384, 0, 30}}},
		{Name: "ice", Floor: 9, Blocks: box4(-3, 9, -3, 12, 10, 4, Ice), Inputs: [][4]int32{{f | sprint, 16384, 0, 30}, {0, 0, 0, 50}}},
		{Name: "fall fast", Floor: 10, Start: [7]int64{2048, 4096 * 120, 2048, 900, -30000, -70000, 0}, Inputs: [][4]int32{{f, 7, 0, 50}}},
		{Name: "low ceiling", Floor: 10, Blocks: append(box4(2, 12, -2, 5, 13, 3, Stone), box4(2, 11, -2, 5, 12, 3, StoneSlab)...), Inputs: [][4]int32{{f | sneak, 16384, 0, 60}, {f, 16384, 0, 60}, {jump, 0, 0, 20}}},
		{Name: "stairs", Floor: 10, Blocks: [][4]int32{
			{1, 10, 0, int32(OakStairsEast)}, {2, 10, 0, int32(Stone)}, {2, 11, 0, int32(OakStairsEast)}, {3, 11, 0, int32(Stone)},
			{3, 14, 0, int32(OakStairsUpperEast)}, {4, 10, 0, int32(Stone)}, {4, 11, 0, int32(OakStairsWest)}, {5, 10, 0, int32(OakStairsSouth)}, {6, 10, 0, int32(BrickStairs)},
		}, Inputs: [][4]int32{{f, 16384, 0, 40}, {f | jump, 16384, 0, 15}, {f, 49152, 0, 20}, {f | sneak, 16384, 0, 30}, {f | l, 49152, 0, 30}}},
		{Name: "below slabs and stairs that hang", Floor: 10, Blocks: append(append(box4(1, 11, -2, 3, 12, 3, OakSlabUpper), box4(3, 11, -2, 4, 12, 3, OakStairsUpperEast)...), box4(-3, 10, -2, -1, 11, 3, StoneSlabUpper)...), Inputs: [][4]int32{{f | sneak, 16384, 0, 60}, {f, 16384, 0, 40}, {f | jump, 49152, 0, 60}}},
		{Name: "buried", Floor: 12, Inputs: [][4]int32{{f, 16384, 0, 5}}},
		{Name: "a block in the way", Floor: 10, Blocks: [][4]int32{{0, 10, 0, int32(Stone)}, {-1, 11, 0, int32(Stone)}}, Inputs: [][4]int32{{f, 16384, 0, 10}}},
		{Name: "fly", Mode: Creative, Floor: 10, Blocks: box4(6, 10, -3, 7, 30, 4, Glass), Inputs: [][4]int32{{fly | jump, 0, 0, 20}, {fly | f | sprint, 16384, 0, 20}, {fly | sneak | b, 16384, 0, 20}, {0, 0, 0, 20}}},
		{Name: "spectator", Mode: Spectator, Floor: 100, Inputs: [][4]int32{{f | sprint, 16384, 0, 20}, {jump, 0, 0, 10}, {sneak, 0, 0, 10}}},
		{Name: "the end of what is loaded", Floor: 10, Loaded: [4]int32{-3, -3, 3, 3}, Inputs: [][4]int32{{f | sprint, 10000, 0, 30}, {f | jump, 40000, 0, 40}}},
		{Name: "nothing loaded", Loaded: [4]int32{50, 50, 51, 51}, Start: [7]int64{2048, 4096 * 10, 2048, 100, 200, 300, 1}, Inputs: [][4]int32{{f, 0, 0, 5}}},
	}
	for i := range cases {
		c := &cases[i]
		if c.Loaded == ([4]int32{}) {
			c.Loaded = everywhere
		}
		if c.Floor == 0 && c.Blocks == nil {
			c.Floor = 10
		}
		if c.Start == ([7]int64{}) {
			c.Start = on(0, 10, 0)
		}
	}
	for seed := range uint64(12) {
		cases = append(cases, randomCase(seed))
	}
	return cases
}

// box4 lists a cuboid of blocks.
func box4(x0, y0, z0, x1, y1, z1 int32, b Block) (out [][4]int32) {
	for y := y0; y < y1; y++ {
		for z := z0; z < z1; z++ {
			for x := x0; x < x1; x++ {
				out = append(out, [4]int32{x, y, z, int32(b)})
			}
		}
	}
	return out
}

// randomCase is a body tumbling about in a heap of random blocks.
func randomCase(seed uint64) physicsCase {
	r := rng.New(seed, 0x9ec)
	kinds := []Block{Stone, Stone, StoneSlab, Water, Water3, Ladder, Ice, OakSlab, TallGrass, Cactus, Glass}
	c := physicsCase{
		Name: fmt.Sprintf("random %d", seed), Mode: Mode(seed % 4 / 3), Floor: 4,
		Loaded: [4]int32{-6, -6, 7, 7},
	}
	density := 10 + r.Intn(25) // of 100
	for y := int32(4); y < 10; y++ {
		for z := int32(-6); z < 7; z++ {
			for x := int32(-6); x < 7; x++ {
				if r.Intn(100) < density {
					c.Blocks = append(c.Blocks, [4]int32{x, y, z, int32(kinds[r.Intn(len(kinds))])})
				}
			}
		}
	}
	c.Start = [7]int64{2048, 12 * 4096, 2048, int64(r.Intn(4000) - 2000), int64(r.Intn(4000) - 2000), int64(r.Intn(4000) - 2000), 0}
	for n := 0; n < 160; {
		times := 1 + r.Intn(12)
		buttons := int32(r.Uint64() & 0x7f) // all but flying
		if r.Intn(3) > 0 {
			buttons &^= int32(ButtonBack | ButtonSneak)
		}
		if c.Mode == Creative && r.Intn(2) == 0 {
			buttons |= int32(ButtonFly)
		}
		c.Inputs = append(c.Inputs, [4]int32{buttons, int32(r.Uint64() & 0xffff), int32(r.Intn(30000) - 15000), int32(times)})
		n += times
	}
	return c
}

func TestPhysicsVectors(t *testing.T) {
	file := physicsFileJSON{About: physicsAbout, Cases: physicsCases()}
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\"about\":%q,\n\"cases\":[\n", physicsAbout)
	for i := range file.Cases {
		file.Cases[i].run(t)
		one, err := json.Marshal(file.Cases[i])
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			out.WriteString(",\n")
		}
		out.Write(one)
	}
	out.WriteString("\n]}\n")
	if *update {
		if err := os.WriteFile(physicsFile, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(physicsFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, out.Bytes()) {
		t.Errorf("%s is not what Step computes: if the change is wanted, run with -update and change the browser's port", physicsFile)
	}
}

// FuzzStep lets a body tumble through random blocks: it never gets into
// something solid and never moves faster than the limit.
func FuzzStep(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		c := randomCase(seed)
		c.run(t)
		for i := 1; i < len(c.Bodies); i++ {
			for axis := range 3 {
				if d := c.Bodies[i][axis] - c.Bodies[i-1][axis]; d > int64(maxSpeed) || d < -int64(maxSpeed) {
					t.Errorf("moved %d in step %d", d, i)
				}
			}
		}
	})
}
