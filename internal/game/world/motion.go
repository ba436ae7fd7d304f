package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/fixed"

// Arithmetic and sensing of Step.

// scale returns v·f rounded towards zero, so that what slows down comes to rest.
func scale(v, f fixed.Num) fixed.Num {
	if v < 0 {
		return -fixed.Mul(-v, f)
	}
	return fixed.Mul(v, f)
}

// toward moves a speed towards another, keeping a share of the difference.
func toward(v, to, keep fixed.Num) fixed.Num { return to + scale(v-to, keep) }

func limit(v fixed.Num) fixed.Num { return v.Clamp(-maxSpeed, maxSpeed) }

// Sine returns the sine of an angle (65536 is a full turn) in 1/4096ths, by
// Bhaskara's formula: 16·a·(π−a) / (5π² − 4·a·(π−a)). It is exact at 0°,
// 30° and 90° and never off by more than 0.17 %. Numerator and denominator are below
// 2^45, so that a division in doubles, rounded down, gives the same.
func Sine(angle uint16) fixed.Num {
	a := fixed.Num(angle & 0x7fff)
	p := a * (0x8000 - a)
	s := 16 * p * fixed.One / (5*0x40000000 - 4*p)
	if angle >= 0x8000 {
		return -s
	}
	return s
}

// Cosine returns the cosine of an angle in 1/4096ths.
func Cosine(angle uint16) fixed.Num { return Sine(angle + 0x4000) }

// Angle returns the yaw in which (dx, dz) lies, to about a quarter of a degree.
// It is for mobs and pushes; Step does without it.
func Angle(dx, dz fixed.Num) uint16 {
	ax, az := dx.Abs(), dz.Abs()
	if ax == 0 && az == 0 {
		return 0
	}
	r := min(ax, az) * fixed.One / max(ax, az) // tangent of the angle to the nearer axis
	turn := (r*8192 + r*(fixed.One-r)/fixed.One*2848) >> fixed.Shift
	if ax > az {
		turn = 16384 - turn
	}
	if dz > 0 {
		turn = 32768 - turn
	}
	if dx < 0 {
		turn = 65536 - turn
	}
	return uint16(turn)
}

// wishOf returns the horizontal direction that the buttons ask for, of length
// 1 (4096) or zero.
func wishOf(in Input) Vec {
	forward := button(in, ButtonForward) - button(in, ButtonBack)
	right := button(in, ButtonRight) - button(in, ButtonLeft)
	if forward == 0 && right == 0 {
		return Vec{}
	}
	sin, cos := Sine(in.Yaw), Cosine(in.Yaw)
	wish := Vec{X: forward*sin + right*cos, Z: right*sin - forward*cos}
	if forward != 0 && right != 0 {
		wish.X, wish.Z = scale(wish.X, 2896), scale(wish.Z, 2896) // 1/√2
	}
	return wish
}

func button(in Input, bit uint16) fixed.Num {
	if in.Buttons&bit != 0 {
		return 1
	}
	return 0
}

// inWater reports whether a body with its feet at p swims, in water or lava.
func inWater(w Blocks, p Vec) bool {
	p.Y += waterDeep
	return underWater(w, p)
}

// underWater reports whether the point p is in water or lava.
func underWater(w Blocks, p Vec) bool {
	b, _ := w.Block(p.Block())
	level := b.FluidLevel()
	if level == 0 {
		return false
	}
	if p.Y.Frac() < waterTop/FluidFull*fixed.Num(level) {
		return true
	}
	above, _ := w.Block(p.Block().Add(0, 1, 0))
	return above.FluidLevel() > 0
}

// climbable reports whether a body with its feet at p can hold on to a ladder.
func climbable(w Blocks, p Vec) bool {
	b, _ := w.Block(p.Block())
	return Info(b).Climbable
}
