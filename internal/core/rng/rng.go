// Package rng is the deterministic random generator of the project. Everything
// random in the world and in the simulator is drawn from a generator keyed by
// what it is for, so that the same seed gives the same run on every machine.
//
// The generator is SplitMix64 (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, OOPSLA 2014). It is not for secrets.
package rng

import "math/bits"

const golden = 0x9e3779b97f4a7c15

// Rand is a generator; the zero value is the generator with seed 0. It is a
// plain value: copying it copies the stream.
type Rand struct{ state uint64 }

// New returns a generator keyed by the parts, for example (seed, x, z, tick).
func New(parts ...uint64) Rand { return Rand{Hash(parts...)} }

// Hash mixes the parts, in order, into one number.
func Hash(parts ...uint64) uint64 {
	h := uint64(0x243f6a8885a308d3)
	for _, p := range parts {
		h = mix(h ^ mix(p+golden))
	}
	return h
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Uint64 returns 64 uniform bits.
func (r *Rand) Uint64() uint64 {
	r.state += golden
	return mix(r.state)
}

// Intn returns a uniform number in [0, n); n must be positive. The bias of the
// multiply-shift is below n/2^64.
func (r *Rand) Intn(n int) int {
	if n <= 0 {
		panic("rng: Intn wants a positive bound")
	}
	hi, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(hi)
}

// OneIn reports true once in n draws on average.
func (r *Rand) OneIn(n int) bool { return r.Intn(n) == 0 }

// Float64 returns a uniform number in [0, 1): for simulated latencies and
// plots, never for the world.
func (r *Rand) Float64() float64 { return float64(r.Uint64()>>11) / (1 << 53) }
