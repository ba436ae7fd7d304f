package world

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
)

// flat is ground up to a height, with other blocks put in.
type flat struct {
	top  int32 // the first layer of air
	put  map[Pos]Block
	void bool // nothing is loaded
}

func (f flat) Block(p Pos) (Block, bool) {
	if b, ok := f.put[p]; ok {
		return b, true
	}
	switch {
	case f.void:
		return Air, false
	case p.Y < f.top:
		return Stone, true
	}
	return Air, true
}

func standing(x, y, z int) Body {
	return Body{Pos: Vec{fixed.Int(x) + fixed.One/2, fixed.Int(y), fixed.Int(z) + fixed.One/2}}
}

func TestWalkSpeeds(t *testing.T) {
	for _, c := range []struct {
		name    string
		buttons uint16
		mps     float64
	}{
		{"walk", ButtonForward, 4.3},
		{"sprint", ButtonForward | ButtonSprint, 5.6},
		{"sneak", ButtonForward | ButtonSneak, 1.3},
		{"back", ButtonBack, 4.3},
	} {
		w, b := flat{top: 10}, standing(0, 10, 0)
		var from fixed.Num
		for i := range 60 {
			if i == 40 {
				from = b.Pos.X
			}
			Step(w, &b, Input{Buttons: c.buttons, Yaw: east}, Survival)
		}
		if got := (b.Pos.X - from).Abs().Metres(); got < c.mps-0.01 || got > c.mps+0.01 {
			t.Errorf("%s: %.3f m/s, want %.1f", c.name, got, c.mps)
		}
		if b.Pos.Y != fixed.Int(10) || !b.OnGround {
			t.Errorf("%s: not on the ground: %+v", c.name, b)
		}
	}
}

func TestJumpHeight(t *testing.T) {
	w, b := flat{top: 10}, standing(0, 10, 0)
	Step(w, &b, Input{}, Survival)
	high := fixed.Num(0)
	for range 20 {
		Step(w, &b, Input{Buttons: ButtonJump}, Survival)
		high = max(high, b.Pos.Y-fixed.Int(10))
	}
	if m := high.Metres(); m < 1.24 || m > 1.26 {
		t.Errorf("jumps %.3f m, want 1.25", m)
	}
}

// run steps a body n times with the same input.
func run(w Blocks, b *Body, n int, in Input, mode Mode) (fell fixed.Num) {
	for range n {
		fell = max(fell, Step(w, b, in, mode))
	}
	return fell
}

const east = 16384

func TestStepsUpSlabsButNotBlocks(t *testing.T) {
	for _, c := range []struct {
		block Block
		rise  float64
	}{{StoneSlab, 0.5}, {Stone, 0}} {
		w := flat{top: 10, put: map[Pos]Block{}}
		for x := int32(3); x < 9; x++ {
			w.put[Pos{x, 10, 0}] = c.block
		}
		b := standing(0, 10, 0)
		run(w, &b, 25, Input{Buttons: ButtonForward, Yaw: east}, Survival)
		if got := (b.Pos.Y - fixed.Int(10)).Metres(); got != c.rise {
			t.Errorf("%v: rose %.2f m, want %.2f", c.block, got, c.rise)
		}
		if c.rise == 0 && (!b.Blocked || b.Pos.X+human.half != fixed.Int(3)) {
			t.Errorf("%v: stands at %.3f, not at the wall", c.block, b.Pos.X.Metres())
		}
	}
}

func TestJumpsOntoBlock(t *testing.T) {
	w := flat{top: 10, put: map[Pos]Block{}}
	for x := int32(3); x < 20; x++ {
		w.put[Pos{x, 10, 0}] = Stone
	}
	b := standing(0, 10, 0)
	run(w, &b, 30, Input{Buttons: ButtonForward | ButtonJump, Yaw: east}, Survival)
	run(w, &b, 15, Input{}, Survival)
	if b.Pos.Y != fixed.Int(11) {
		t.Errorf("at %.2f m", b.Pos.Y.Metres())
	}
}

func TestSneakingStaysOnTheEdge(t *testing.T) {
	w := flat{top: 0, put: map[Pos]Block{{0, 9, 0}: Stone}}
	for yaw := range 16 {
		b := standing(0, 10, 0)
		run(w, &b, 100, Input{Buttons: ButtonForward | ButtonSneak, Yaw: uint16(yaw * 4096)}, Survival)
		if b.Pos.Y != fixed.Int(10) {
			t.Errorf("yaw %d: fell to %.2f", yaw*4096, b.Pos.Y.Metres())
		}
		if d := b.Pos.Sub(standing(0, 10, 0).Pos); d.X.Abs()+d.Z.Abs() < fixed.One/2 {
			t.Errorf("yaw %d: did not come to the edge: %v", yaw*4096, d)
		}
	}
	b := standing(0, 10, 0)
	run(w, &b, 40, Input{Buttons: ButtonForward, Yaw: east}, Survival)
	if b.Pos.Y >= fixed.Int(10) {
		t.Error("walking does not fall off the edge")
	}
}

func TestFallDistance(t *testing.T) {
	for _, height := range []int{1, 3, 4, 10, 60} {
		w, b := flat{top: 10}, standing(0, 10+height, 0)
		fell := run(w, &b, 200, Input{}, Survival)
		if fell != fixed.Int(height) || b.Pos.Y != fixed.Int(10) {
			t.Errorf("fell %.2f of %d m to %.2f", fell.Metres(), height, b.Pos.Y.Metres())
		}
	}
}

func TestNoTunnelling(t *testing.T) {
	for _, v := range []Vec{{Y: -40 * fixed.One}, {X: 50 * fixed.One}, {Z: -90 * fixed.One}, {X: 1 << 40, Y: -(1 << 40), Z: 1 << 40}} {
		w := flat{top: 10, put: map[Pos]Block{}}
		for y := int32(10); y < 20; y++ { // walls 5 m away
			for i := int32(-5); i <= 5; i++ {
				w.put[Pos{5, y, i}], w.put[Pos{-5, y, i}] = Stone, Stone
				w.put[Pos{i, y, 5}], w.put[Pos{i, y, -5}] = Stone, Stone
			}
		}
		b := standing(0, 12, 0)
		b.Vel = v
		run(w, &b, 20, Input{}, Survival)
		if p := b.Pos; p.Y < fixed.Int(10) || p.X.Abs() > fixed.Int(6) || p.Z.Abs() > fixed.Int(6) {
			t.Errorf("speed %v: came out at %v", v, p.Block())
		}
	}
}

func TestUnloadedIsAWall(t *testing.T) {
	b := standing(0, 10, 0)
	before := b
	before.Yaw = east
	run(flat{void: true}, &b, 10, Input{Buttons: ButtonForward | ButtonJump, Yaw: east}, Survival)
	if b != before {
		t.Errorf("moved where nothing is loaded: %+v", b)
	}
}

func TestPushedOutOfBlocks(t *testing.T) {
	for name, at := range map[string]Pos{"feet": {0, 10, 0}, "head": {0, 11, 0}} {
		w := flat{top: 10, put: map[Pos]Block{at: Stone}}
		b := standing(0, 10, 0)
		run(w, &b, 3, Input{Buttons: ButtonForward, Yaw: east}, Survival)
		if solidIn(w, b.box(&human)) {
			t.Errorf("%s: still inside at %v", name, b.Pos)
		}
	}
	w := flat{top: 13} // buried by 3 m
	b := standing(0, 10, 0)
	run(w, &b, 3, Input{}, Survival)
	if b.Pos.Y != fixed.Int(13) {
		t.Errorf("buried: at %.2f", b.Pos.Y.Metres())
	}
}

// pool is water of a depth with its surface at y = 10 and a bank to the east at
// x = 3 that is some blocks higher.
func pool(bank int32) flat {
	w := flat{top: 5, put: map[Pos]Block{}}
	for y := int32(5); y < 10; y++ {
		for x := int32(-8); x < 3; x++ {
			for z := int32(-8); z < 8; z++ {
				w.put[Pos{x, y, z}] = Water
			}
		}
	}
	for y := int32(5); y < 10+bank; y++ {
		for x := int32(3); x < 40; x++ {
			for z := int32(-8); z < 8; z++ {
				w.put[Pos{x, y, z}] = Stone
			}
		}
	}
	return w
}

func TestSwimming(t *testing.T) {
	w, b := pool(0), standing(-4, 7, 0)
	run(w, &b, 60, Input{}, Survival)
	if b.Pos.Y != fixed.Int(5) || !b.InWater {
		t.Errorf("does not sink: %+v", b)
	}
	run(w, &b, 100, Input{Buttons: ButtonJump}, Survival)
	if y := b.Pos.Y.Metres(); y < 9 || y > 10.2 {
		t.Errorf("does not float: %.2f", y)
	}
}

func TestClimbsOutOfWater(t *testing.T) {
	for bank := int32(0); bank <= 2; bank++ {
		w, b := pool(bank), standing(-3, 8, 0)
		run(w, &b, 100, Input{Buttons: ButtonForward | ButtonJump, Yaw: east}, Survival)
		out := b.Pos.X > fixed.Int(3) && b.Pos.Y >= fixed.Int(int(10+bank))
		if want := bank <= 1; out != want {
			t.Errorf("bank %d m above the water's block: out = %v at %.2f %.2f", bank, out, b.Pos.X.Metres(), b.Pos.Y.Metres())
		}
	}
}

func TestLadder(t *testing.T) {
	w := flat{top: 10, put: map[Pos]Block{}}
	for y := int32(10); y < 16; y++ {
		w.put[Pos{1, y, 0}], w.put[Pos{0, y, 0}] = Stone, Ladder
	}
	for x := int32(2); x < 20; x++ {
		w.put[Pos{x, 15, 0}] = Stone
	}
	b := standing(0, 10, 0)
	run(w, &b, 70, Input{Buttons: ButtonForward, Yaw: east}, Survival)
	if b.Pos.Y < fixed.Int(16) || b.Pos.X < fixed.One {
		t.Errorf("did not climb up: %.2f %.2f", b.Pos.X.Metres(), b.Pos.Y.Metres())
	}
	b = standing(0, 14, 0)
	run(w, &b, 20, Input{Buttons: ButtonSneak}, Survival)
	if b.Pos.Y != fixed.Int(14) {
		t.Errorf("does not hold on: %.2f", b.Pos.Y.Metres())
	}
	if fell := run(w, &b, 60, Input{}, Survival); fell != 0 || b.Pos.Y != fixed.Int(10) {
		t.Errorf("slides down to %.2f, falls %.2f", b.Pos.Y.Metres(), fell.Metres())
	}
}

func TestFlying(t *testing.T) {
	w, b := flat{top: 10}, standing(0, 10, 0)
	run(w, &b, 20, Input{Buttons: ButtonFly | ButtonJump}, Creative)
	if y := b.Pos.Y.Metres(); y < 15 || !b.Flying {
		t.Errorf("flew to %.2f", y)
	}
	high := b.Pos.Y
	run(w, &b, 40, Input{Buttons: ButtonFly}, Creative)
	if b.Pos.Y-high > fixed.One*2 || b.Vel != (Vec{}) {
		t.Errorf("does not hover: %+v", b)
	}
	b = standing(0, 20, 0)
	run(w, &b, 40, Input{Buttons: ButtonFly}, Survival)
	if b.Pos.Y != fixed.Int(10) {
		t.Error("flies in survival")
	}
	b = standing(0, 8, 0)
	run(w, &b, 40, Input{Buttons: ButtonForward, Yaw: east}, Spectator)
	if b.Pos.X < fixed.Int(10) {
		t.Error("spectators do not pass through blocks")
	}
}

func TestIceIsSlippery(t *testing.T) {
	slide := func(ground Block) fixed.Num {
		w := flat{top: 9, put: map[Pos]Block{}}
		for x := int32(-2); x < 60; x++ {
			w.put[Pos{x, 9, 0}] = ground
		}
		b := standing(0, 10, 0)
		run(w, &b, 60, Input{Buttons: ButtonForward, Yaw: east}, Survival)
		from := b.Pos.X
		run(w, &b, 60, Input{Yaw: east}, Survival)
		return b.Pos.X - from
	}
	if ice, stone := slide(Ice), slide(Stone); ice < 4*stone || stone <= 0 {
		t.Errorf("slides %.2f m on ice, %.2f m on stone", ice.Metres(), stone.Metres())
	}
}

func TestSine(t *testing.T) {
	for angle, want := range map[uint16]fixed.Num{0: 0, 16384: 4096, 32768: 0, 49152: -4096} {
		if got := Sine(angle); got != want {
			t.Errorf("Sine(%d) = %d, want %d", angle, got, want)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	a := flatArea(AreaConfig{})
	body := standing(60, 10, 60)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Step(a, &body, Input{Buttons: ButtonForward | ButtonSprint, Yaw: uint16(i * 300)}, Survival)
	}
}
