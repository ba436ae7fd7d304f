package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/fixed"

// Body is what moves: the state that Step advances. Flags are results of the
// last step; only Pos, Vel and OnGround of them bear on the next one.
type Body struct {
	Pos   Vec    // the middle of the feet
	Vel   Vec    // per tick
	Yaw   uint16 // 65536 is a full turn; 0 looks towards −z, 16384 towards +x
	Pitch int16  // same unit, up is positive

	OnGround  bool
	Flying    bool
	InWater   bool
	Climbing  bool
	Sneaking  bool // also when there is no room to stand
	Sprinting bool
	Blocked   bool // a wall stopped it sideways

	Fall fixed.Num // how far it has fallen since it last stood
}

// Mode is what a player may do.
type Mode uint8

// The modes, numbered as on the wire.
const (
	Survival Mode = iota
	Creative
	Spectator // flies through blocks, touches nothing
)

// Buttons of an Input, numbered as on the wire.
const (
	ButtonForward uint16 = 1 << iota
	ButtonBack
	ButtonLeft
	ButtonRight
	ButtonJump
	ButtonSneak
	ButtonSprint
	ButtonFly
)

// Input is what a player does in one step.
type Input struct {
	Buttons uint16
	Yaw     uint16
	Pitch   int16
}

// build is the shape and the strength of a kind of body. Lengths are in
// 1/4096 m, speeds in 1/4096 m per tick.
type build struct {
	half         fixed.Num // half the width
	height       fixed.Num
	sneakHeight  fixed.Num
	eye          fixed.Num
	sneakEye     fixed.Num
	walk, sprint fixed.Num
	sneak, swim  fixed.Num
	fly, flyFast fixed.Num
	rise         fixed.Num // up and down, while flying
	climbs       bool      // up walls
}

// human is the build of players: 0.6 m × 1.8 m.
var human = build{
	half: 1228, height: 7372, sneakHeight: 6144, // 1.8 m, 1.5 m
	eye: 6635, sneakEye: 5202, // 1.62 m, 1.27 m
	walk: 881, sprint: 1147, // 4.3 m/s, 5.6 m/s
	sneak: 266, swim: 450, // 1.3 m/s, 2.2 m/s
	fly: 2232, flyFast: 4465, rise: 1536, // 10.9 m/s, 21.8 m/s, 7.5 m/s
}

// Eye returns where a player's eyes are.
func (b *Body) Eye() Vec { return b.eyeOf(&human) }

func (b *Body) eyeOf(h *build) Vec {
	up := h.eye
	if b.Sneaking {
		up = h.sneakEye
	}
	return Vec{b.Pos.X, b.Pos.Y + up, b.Pos.Z}
}

// box returns the space that the body takes at its place.
func (b *Body) box(h *build) box {
	tall := h.height
	if b.Sneaking {
		tall = h.sneakHeight
	}
	return boxAt(b.Pos, h.half, tall)
}
