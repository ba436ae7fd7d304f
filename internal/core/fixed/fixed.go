// Package fixed is the fixed-point arithmetic of the world: one unit is
// 1/4096 m. Go may fuse a float multiply and add on some CPUs, so nothing that
// must be the same on every machine uses floats.
//
// Values stay below 2^31 in magnitude (524 km) and products below 2^53, so that
// a browser computes the very same numbers in doubles.
package fixed

// Num is a length, a speed (per tick) or a ratio in 1/4096ths.
type Num int64

// Shift is the number of fraction bits and One is 1 m.
const (
	Shift     = 12
	One   Num = 1 << Shift
)

// Int returns n metres.
func Int(n int) Num { return Num(n) << Shift }

// Ratio returns num/den rounded towards zero; for constants in code.
func Ratio(num, den int64) Num { return Num(num << Shift / den) }

// Mul returns a·b rounded towards minus infinity.
func Mul(a, b Num) Num { return (a * b) >> Shift }

// Floor returns the block coordinate that holds n.
func (n Num) Floor() int32 { return int32(n >> Shift) }

// Frac returns the part of n above Floor, in [0, One).
func (n Num) Frac() Num { return n & (One - 1) }

// Abs returns the magnitude of n.
func (n Num) Abs() Num {
	if n < 0 {
		return -n
	}
	return n
}

// Clamp returns n limited to [lo, hi].
func (n Num) Clamp(lo, hi Num) Num { return max(lo, min(n, hi)) }

// Metres returns n as a float: for people and plots, never for the simulation.
func (n Num) Metres() float64 { return float64(n) / float64(One) }
