package world

import (
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
)

// The physics of bodies. Lengths are in 1/4096 m, speeds in 1/4096 m per tick
// of 1/20 s, factors in 1/4096ths. Only + − × and floor division by powers of
// two (and one exact division in sine) are used and every product stays below
// 2^53, so that the browser's port (web, physics) computes the same numbers.
// docs/world.md lists the constants with their units in metres and seconds.
const (
	maxSpeed = 8 * fixed.One // 160 m/s: bounds the work of a step

	gravity   = 328  // 0.08 m/tick²
	airDrag   = 4014 // 0.98: falling ends at 78 m/s
	jumpSpeed = 1720 // 0.42 m/tick: 1.25 m high
	stepUp    = 2048 // walks up half a block without a jump

	groundGrip = 2236 // share of speed kept on the ground, 0.546
	iceGrip    = 3654 // 0.892
	airGrip    = 3727 // 0.91

	waterDrag    = 3277 // 0.8
	waterGravity = 82   // 0.02 m/tick²: sinks at 1.6 m/s
	waterRise    = 164  // 0.04 m/tick² while jump is held: rises at 1.6 m/s
	waterHop     = 1229 // 0.3 m/tick: onto a bank level with the water
	waterLeap    = 2048 // 0.5 m/tick: onto one a block higher, while jump is held
	waterDeep    = 1638 // swims when water is 0.4 m above the feet
	waterTop     = 3584 // a source is 7/8 m high

	climbSpeed = 819 // 0.2 m/tick up, before gravity: 2.4 m/s
	climbSlip  = 614 // 0.15 m/tick: 3 m/s down and sideways at the most

	flyGrip = 2867 // 0.7

	edgeStep = 205 // 0.05 m: how finely sneaking feels for an edge
	pushUp   = 4   // blocks that a body is lifted at most when it is buried

	ceiling = (Height + 64) * fixed.One // feet come no higher
)

// Step moves a player's body by one tick of 1/20 s. It returns how far the body
// had fallen if it landed in this step, otherwise 0.
//
// In a place that is not loaded a body stands still. What is not loaded around
// it is a wall.
func Step(w Blocks, b *Body, in Input, mode Mode) (fell fixed.Num) {
	return step(w, b, in, mode, &human)
}

func step(w Blocks, b *Body, in Input, mode Mode, h *build) (fell fixed.Num) {
	b.Yaw, b.Pitch = in.Yaw, max(in.Pitch, -math.MaxInt16) // what a save can hold
	b.Vel = Vec{limit(b.Vel.X), limit(b.Vel.Y), limit(b.Vel.Z)}
	if mode != Creative {
		in.Buttons &^= ButtonFly
	}
	wish := wishOf(in)
	if mode == Spectator {
		drift(b, in, wish)
		return 0
	}
	if !place(w, b, in, h) {
		return 0
	}
	b.Flying = in.Buttons&ButtonFly != 0
	b.Sprinting = in.Buttons&(ButtonForward|ButtonBack|ButtonSprint) == ButtonForward|ButtonSprint && !b.Sneaking
	b.InWater = !b.Flying && inWater(w, b.Pos)
	b.Climbing = !b.Flying && !b.InWater && climbable(w, b.Pos)
	switch {
	case b.Flying:
		fly(b, in, wish, h)
	case b.InWater:
		swim(b, in, wish, h)
	default:
		walk(w, b, in, wish, h)
	}
	return advance(w, b, in, wish, h)
}

// place finds out whether the body can be where it is and how tall it is there,
// and gets it out of blocks that have been put where it was. It reports whether
// the body can move.
func place(w Blocks, b *Body, in Input, h *build) bool {
	if _, ok := w.Block(b.Pos.Block()); !ok {
		b.Vel = Vec{}
		return false
	}
	sneak := in.Buttons&(ButtonSneak|ButtonFly) == ButtonSneak
	b.Sneaking = false
	if stand := b.box(h); solidIn(w, stand) {
		b.Sneaking = true
		if crouch := b.box(h); solidIn(w, crouch) && !pushOut(w, b, crouch) {
			b.Vel = Vec{}
			return false
		}
		b.Sneaking = sneak || solidIn(w, boxAt(b.Pos, h.half, h.height))
		return true
	}
	b.Sneaking = sneak
	return true
}

// pushOut moves a body that overlaps something solid to the nearest free place
// beside or above, and reports whether there is one.
func pushOut(w Blocks, b *Body, c box) bool {
	ways := [4]Vec{
		{X: fixed.Int(int((c.x1 - 1).Floor())) - c.x1},
		{X: fixed.Int(int(c.x0.Floor())+1) - c.x0},
		{Z: fixed.Int(int((c.z1 - 1).Floor())) - c.z1},
		{Z: fixed.Int(int(c.z0.Floor())+1) - c.z0},
	}
	best, found := Vec{}, false
	for _, way := range ways {
		nearer := !found || way.X.Abs()+way.Z.Abs() < best.X.Abs()+best.Z.Abs()
		if nearer && !solidIn(w, c.shift(way.X, 0, way.Z)) {
			best, found = way, true
		}
	}
	up := half - c.y0.Frac()%half
	for ; up <= pushUp*fixed.One; up += half {
		if found && best.X.Abs()+best.Z.Abs() <= up {
			break
		}
		if !solidIn(w, c.shift(0, up, 0)) {
			best, found = Vec{Y: up}, true
			break
		}
	}
	b.Pos = b.Pos.Add(best)
	b.Fall = 0
	return found
}

// fly sets the speed of a flying body.
func fly(b *Body, in Input, wish Vec, h *build) {
	speed := h.fly
	if in.Buttons&ButtonSprint != 0 {
		speed = h.flyFast
	}
	rise := fixed.Num(0)
	if in.Buttons&ButtonJump != 0 {
		rise += h.rise
	}
	if in.Buttons&ButtonSneak != 0 {
		rise -= h.rise
	}
	b.Vel = Vec{
		toward(b.Vel.X, fixed.Mul(wish.X, speed), flyGrip),
		toward(b.Vel.Y, rise, flyGrip),
		toward(b.Vel.Z, fixed.Mul(wish.Z, speed), flyGrip),
	}
}

// swim sets the speed of a body in water.
func swim(b *Body, in Input, wish Vec, h *build) {
	speed := h.swim
	if b.Sprinting {
		speed += h.swim / 2
	}
	b.Vel.X = toward(b.Vel.X, fixed.Mul(wish.X, speed), waterDrag)
	b.Vel.Z = toward(b.Vel.Z, fixed.Mul(wish.Z, speed), waterDrag)
	if in.Buttons&ButtonJump != 0 {
		b.Vel.Y += waterRise
	}
	if in.Buttons&ButtonSneak != 0 {
		b.Vel.Y -= waterGravity
	}
}

// walk sets the speed of a body on the ground, in the air or on a ladder.
func walk(w Blocks, b *Body, in Input, wish Vec, h *build) {
	speed, grip := h.walk, fixed.Num(airGrip)
	switch {
	case b.Sneaking:
		speed = h.sneak
	case b.Sprinting:
		speed = h.sprint
	}
	if b.OnGround {
		grip = groundGrip
		under := b.Pos
		under.Y -= fixed.One / 8
		if ground, _ := w.Block(under.Block()); ground == Ice {
			grip = iceGrip
		}
		if in.Buttons&ButtonJump != 0 {
			b.Vel.Y = jumpSpeed
		}
	}
	b.Vel.X = toward(b.Vel.X, fixed.Mul(wish.X, speed), grip)
	b.Vel.Z = toward(b.Vel.Z, fixed.Mul(wish.Z, speed), grip)
	if b.Climbing {
		b.Vel.X = b.Vel.X.Clamp(-climbSlip, climbSlip)
		b.Vel.Z = b.Vel.Z.Clamp(-climbSlip, climbSlip)
		b.Vel.Y = max(b.Vel.Y, -climbSlip)
		if in.Buttons&ButtonSneak != 0 {
			b.Vel.Y = max(b.Vel.Y, 0) // holds on
		}
		if in.Buttons&ButtonJump != 0 {
			b.Vel.Y = climbSpeed
		}
	}
}

// advance moves the body by its speed as far as blocks allow, and changes the
// speed by what it met, by gravity and by drag.
func advance(w Blocks, b *Body, in Input, wish Vec, h *build) (fell fixed.Num) {
	want := b.Vel
	if b.OnGround && b.Sneaking && in.Buttons&ButtonSneak != 0 && want.Y <= 0 {
		want = stayOn(w, b.box(h), want)
	}
	c := b.box(h)
	got := slide(w, c, want)
	landed := want.Y < 0 && got.Y != want.Y
	if (got.X != want.X || got.Z != want.Z) && (b.OnGround || landed) && !b.Flying {
		if high, ok := slideUp(w, c, want, got); ok {
			got, landed = high, true
		}
	}
	b.Blocked = got.X != want.X || got.Z != want.Z
	if got.X != b.Vel.X {
		b.Vel.X = 0
	}
	if got.Z != b.Vel.Z {
		b.Vel.Z = 0
	}
	if got.Y != b.Vel.Y {
		b.Vel.Y = 0
	}
	b.Pos = b.Pos.Add(got)
	b.Pos.Y = min(b.Pos.Y, ceiling)
	b.OnGround = landed
	fell = b.falls(got.Y)
	b.after(w, in, wish, h)
	return fell
}

// falls counts how far the body falls and returns it when it lands.
func (b *Body) falls(dy fixed.Num) (fell fixed.Num) {
	switch {
	case b.Flying || b.InWater || b.Climbing:
		b.Fall = 0
	case b.OnGround:
		fell, b.Fall = b.Fall-min(dy, 0), 0
	case dy < 0:
		b.Fall -= dy
	}
	return fell
}

// after changes the upward speed for the next step: gravity and drag, climbing
// a ladder and getting out of water where a wall was met.
func (b *Body) after(w Blocks, in Input, wish Vec, h *build) {
	pushes := b.Blocked && (wish.X != 0 || wish.Z != 0)
	switch {
	case b.Flying:
	case b.InWater:
		b.Vel.Y = scale(b.Vel.Y, waterDrag) - waterGravity
		if pushes {
			b.hop(w, in, wish, h)
		}
	default:
		if (b.Climbing || h.climbs) && pushes {
			b.Vel.Y = climbSpeed
		}
		b.Vel.Y = scale(b.Vel.Y-gravity, airDrag)
	}
}

// hop lifts a swimmer who pushes against a bank, if there is room on it.
func (b *Body) hop(w Blocks, in Input, wish Vec, h *build) {
	ahead := b.box(h).shift(fixed.Mul(wish.X, 512), 0, fixed.Mul(wish.Z, 512)) // 1/8 m
	switch {
	case !solidIn(w, ahead.shift(0, 2458, 0)): // 0.6 m
		b.Vel.Y = max(b.Vel.Y, waterHop)
	case in.Buttons&ButtonJump != 0 && !solidIn(w, ahead.shift(0, 6554, 0)): // 1.6 m
		b.Vel.Y = max(b.Vel.Y, waterLeap)
	}
}

// slide moves a box along y, x and z in turn and returns how far it came.
func slide(w Blocks, c box, d Vec) Vec {
	var got Vec
	got.Y = sweepY(w, c, d.Y)
	c = c.shift(0, got.Y, 0)
	got.X = sweepX(w, c, d.X)
	c = c.shift(got.X, 0, 0)
	got.Z = sweepZ(w, c, d.Z)
	return got
}

// slideUp tries the same half a block higher and then down again, and reports
// whether that comes further than got.
func slideUp(w Blocks, c box, d, got Vec) (Vec, bool) {
	up := sweepY(w, c, stepUp)
	c = c.shift(0, up, 0)
	var high Vec
	high.X = sweepX(w, c, d.X)
	c = c.shift(high.X, 0, 0)
	high.Z = sweepZ(w, c, d.Z)
	c = c.shift(0, 0, high.Z)
	high.Y = up + sweepY(w, c, -up)
	further := high.X*high.X+high.Z*high.Z > got.X*got.X+got.Z*got.Z
	return high, further && high.Y > 0
}

// stayOn shortens a sneaking body's way so that something stays under its feet.
func stayOn(w Blocks, c box, d Vec) Vec {
	for d.X != 0 && !solidIn(w, c.shift(d.X, -stepUp, 0)) {
		d.X = shorter(d.X)
	}
	for d.Z != 0 && !solidIn(w, c.shift(0, -stepUp, d.Z)) {
		d.Z = shorter(d.Z)
	}
	for d.X != 0 && d.Z != 0 && !solidIn(w, c.shift(d.X, -stepUp, d.Z)) {
		d.X, d.Z = shorter(d.X), shorter(d.Z)
	}
	return d
}

func shorter(d fixed.Num) fixed.Num {
	switch {
	case d > edgeStep:
		return d - edgeStep
	case d < -edgeStep:
		return d + edgeStep
	}
	return 0
}

// drift moves a spectator: like flying, through everything.
func drift(b *Body, in Input, wish Vec) {
	fly(b, in, wish, &human)
	b.Pos = b.Pos.Add(b.Vel)
	edge := fixed.Int(Limit - 1)
	b.Pos.X = b.Pos.X.Clamp(-edge, edge)
	b.Pos.Y = b.Pos.Y.Clamp(0, ceiling)
	b.Pos.Z = b.Pos.Z.Clamp(-edge, edge)
	b.Flying, b.OnGround, b.InWater, b.Climbing = true, false, false, false
	b.Sneaking, b.Sprinting, b.Blocked, b.Fall = false, false, false, 0
}
