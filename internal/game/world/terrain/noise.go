package terrain

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// Gradient noise (Perlin, Improving Noise, SIGGRAPH 2002) in fixed point, with
// hashed gradients instead of a permutation table, so that it never repeats.
// Values lie in about [−One, One].

const one = fixed.One

// freq turns metres into noise cells: x·freq >> freqShift is in 1/4096 cells.
type freq int64

const freqShift = 10

// every returns the frequency of noise with a cell of n metres.
func every(n int64) freq { return freq(int64(one) << freqShift / n) }

func (f freq) at(x int32) fixed.Num { return fixed.Num(int64(x) * int64(f) >> freqShift) }

// grad2 are 16 unit vectors in 1/4096ths.
var grad2 = [16][2]fixed.Num{
	{4096, 0}, {3784, 1567}, {2896, 2896}, {1567, 3784}, {0, 4096}, {-1567, 3784}, {-2896, 2896}, {-3784, 1567},
	{-4096, 0}, {-3784, -1567}, {-2896, -2896}, {-1567, -3784}, {0, -4096}, {1567, -3784}, {2896, -2896}, {3784, -1567},
}

// grad3 are the twelve directions to a cube's edges, four of them twice.
var grad3 = [16][3]fixed.Num{
	{1, 1, 0}, {-1, 1, 0}, {1, -1, 0}, {-1, -1, 0}, {1, 0, 1}, {-1, 0, 1}, {1, 0, -1}, {-1, 0, -1},
	{0, 1, 1}, {0, -1, 1}, {0, 1, -1}, {0, -1, -1}, {1, 1, 0}, {-1, 1, 0}, {0, -1, 1}, {0, -1, -1},
}

// key mixes a seed with what its noise is for.
func key(seed uint64, what uint64) uint32 { return uint32(rng.Hash(seed, what)) }

// scatter hashes a horizontal place; finish makes the bits usable.
func scatter(key uint32, x, z int32) uint32 {
	return key ^ uint32(x)*0x8da6b343 ^ uint32(z)*0xd8163841
}

func finish(h uint32) uint32 {
	h = (h ^ h>>16) * 0x7feb352d
	h = (h ^ h>>15) * 0x846ca68b
	return h ^ h>>16
}

// hash2 is a uniform number for a horizontal place.
func hash2(key uint32, x, z int32) uint32 { return finish(scatter(key, x, z)) }

// fade is 6t⁵ − 15t⁴ + 10t³.
func fade(t fixed.Num) fixed.Num {
	cube := t * t >> fixed.Shift * t >> fixed.Shift
	return cube * ((t*(6*t-15*one))>>fixed.Shift + 10*one) >> fixed.Shift
}

func lerp(t, a, b fixed.Num) fixed.Num { return a + t*(b-a)>>fixed.Shift }

// noise2 is one octave at x, z, which are in noise cells.
func noise2(key uint32, x, z fixed.Num) fixed.Num {
	ix, iz := int32(x>>fixed.Shift), int32(z>>fixed.Shift)
	fx, fz := x.Frac(), z.Frac()
	u, w := fade(fx), fade(fz)
	a := lerp(u, dot2(key, ix, iz, fx, fz), dot2(key, ix+1, iz, fx-one, fz))
	b := lerp(u, dot2(key, ix, iz+1, fx, fz-one), dot2(key, ix+1, iz+1, fx-one, fz-one))
	return lerp(w, a, b) * 181 >> 7 // times √2: unit gradients reach 1/√2
}

func dot2(key uint32, ix, iz int32, fx, fz fixed.Num) fixed.Num {
	g := &grad2[hash2(key, ix, iz)>>28]
	return (g[0]*fx + g[1]*fz) >> fixed.Shift
}

// fbm2 sums octaves, each of twice the frequency and half the strength of the
// one before, and scales the sum back to about [−One, One].
func fbm2(key uint32, x, z fixed.Num, octaves int) fixed.Num {
	var sum, total fixed.Num
	amp := one
	for range octaves {
		sum += fixed.Mul(noise2(key, x, z), amp)
		total += amp
		amp >>= 1
		key += 0x9e3779b9
		x, z = 2*x+one/3, 2*z+one/5
	}
	return sum * one / total
}

// ridged2 is a sum of octaves of (1 − |noise|)², each weighted by the one
// before, so that ridges branch and valleys stay smooth; in [0, One].
func ridged2(key uint32, x, z fixed.Num, octaves int) fixed.Num {
	var sum, total fixed.Num
	amp, weight := one, one
	for range octaves {
		r := one - noise2(key, x, z).Abs()
		r = fixed.Mul(fixed.Mul(r, r), weight)
		sum += fixed.Mul(r, amp)
		total += amp
		weight = (r * 3 / 2).Clamp(0, one)
		amp = amp * 15 / 32
		key += 0x9e3779b9
		x, z = 2*x+one/3, 2*z+one/5
	}
	return (sum * one / total).Clamp(0, one)
}

// noise3 is one octave of noise in space, squashed or stretched in y.
type noise3 struct {
	key   uint32
	xz, y freq
}

// face is the noise at a horizontal face of a row of noise cells, as seen from
// one x, z: value plus slope·(height above the face).
type face struct{ value, slope fixed.Num }

// rise writes the noise above block x, z at heights 0, step, 2·step, … to out.
// Going up at one place needs each noise cell's gradients only once, and a
// sample costs three multiplications.
func (n noise3) rise(x, z int32, step int32, out []int32) {
	px, pz := n.xz.at(x), n.xz.at(z)
	ix, iz := int32(px>>fixed.Shift), int32(pz>>fixed.Shift)
	fx, fz := px.Frac(), pz.Frac()
	u, w := fade(fx), fade(fz)
	corner := [4]uint32{
		scatter(n.key, ix, iz), scatter(n.key, ix+1, iz), scatter(n.key, ix, iz+1), scatter(n.key, ix+1, iz+1),
	}
	at := func(iy int32) face {
		var v, s [4]fixed.Num
		for i, c := range corner {
			g := &grad3[finish(c^uint32(iy)*0xcb1ab31f)>>28]
			v[i] = g[0]*(fx-one*fixed.Num(i&1)) + g[2]*(fz-one*fixed.Num(i>>1))
			s[i] = g[1] << fixed.Shift
		}
		return face{lerp(w, lerp(u, v[0], v[1]), lerp(u, v[2], v[3])), lerp(w, lerp(u, s[0], s[1]), lerp(u, s[2], s[3]))}
	}
	cell := int32(0)
	low, high := at(0), at(1)
	for i := range out {
		py := n.y.at(int32(i) * step)
		if iy := int32(py >> fixed.Shift); iy != cell {
			if iy == cell+1 {
				low = high
			} else {
				low = at(iy)
			}
			high, cell = at(iy+1), iy
		}
		t := py.Frac()
		a := low.value + fixed.Mul(low.slope, t)
		b := high.value + fixed.Mul(high.slope, t-one)
		out[i] = int32(lerp(fade(t), a, b))
	}
}

// smooth rises from 0 at lo to One at hi with level ends.
func smooth(lo, hi, v fixed.Num) fixed.Num {
	t := ((v - lo) * one / (hi - lo)).Clamp(0, one)
	return t * t >> fixed.Shift * (3*one - 2*t) >> fixed.Shift
}

// spline is a line through points, level beyond its ends.
type spline []struct{ at, value fixed.Num }

func (s spline) get(v fixed.Num) fixed.Num {
	if v <= s[0].at {
		return s[0].value
	}
	for i := 1; i < len(s); i++ {
		if a, b := s[i-1], s[i]; v < b.at {
			return a.value + (v-a.at)*(b.value-a.value)/(b.at-a.at)
		}
	}
	return s[len(s)-1].value
}
