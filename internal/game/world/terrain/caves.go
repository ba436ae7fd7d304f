package terrain

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Caves. A tunnel runs where two noises are both near zero; caverns open where
// a third is high. Both are thinner towards the surface, where they break
// through on dry land, and keep away from the ground of seas and rivers.
var (
	tunnelXZ, tunnelY = every(52), every(38)
	cavernXZ, cavernY = every(74), every(40)
	lavaXZ            = every(60)
)

const (
	caveFloor  = 5  // no caves below: bedrock
	caveLake   = 10 // caves up to this y are full of water or lava
	wetGuard   = 12 // metres of ground kept under water
	sealed     = 16 * int32(fixed.One)
	tunnelWide = 370 // noise within this of zero, in 1/4096ths: about 2.5 m
)

// carve cuts the caves out of the ground.
func (b *builder) carve() {
	up := min((b.top+pitch)/pitch+1, levels)
	for n := range b.site {
		b.caveNode(n, up)
	}
	for z := 0; z < world.ChunkSize; z += pitch {
		for x := 0; x < world.ChunkSize; x += pitch {
			n, _, _ := corners(x, z)
			for level := 1; level < up-1; level++ {
				b.carveCell(n, level, x, z)
			}
		}
	}
}

// caveNode computes the cave noises above one node.
func (b *builder) caveNode(n, up int) {
	x, z := b.nodeAt(n)
	ta, tb, cv := b.tunnelA[n][:up], b.tunnelB[n][:up], b.cavern[n][:up]
	noise3{b.g.key[keyTunnelA], tunnelXZ, tunnelY}.rise(x, z, pitch, ta)
	noise3{b.g.key[keyTunnelB], tunnelXZ, tunnelY}.rise(x, z, pitch, tb)
	noise3{b.g.key[keyCavern], cavernXZ, cavernY}.rise(x, z, pitch, cv)

	s := &b.site[n]
	ground := int32((s.height - s.rough).Floor())
	wet := ground < SeaLevel+4
	for l := range ta {
		y := int32(l * pitch)
		depth := int32(s.height.Floor()) - y
		if wet && y > ground-wetGuard || y < caveFloor {
			ta[l], cv[l] = sealed, -sealed
			continue
		}
		const mouth = 1500
		cv[l] += ta[l]/4 - cavernNeed(depth, y)
		if near := 14 - depth; near > 0 { // thinner near the surface
			near = min(near, 14)
			if cv[l] < -mouth { // closed, except where a cavern is not far
				near *= 5
			}
			ta[l] += ta[l] * near / 18
			tb[l] += tb[l] * near / 18
		}
	}
}

// cavernNeed is what the noise must exceed to open a cavern.
func cavernNeed(depth, y int32) int32 {
	need := int32(pct(47))
	if depth < 24 {
		need += (24 - max(depth, 0)) * int32(pct(1)) * 5 / 4
	}
	if y < 44 {
		need -= (44 - y) * int32(pct(1)) / 4
	}
	return need
}

// carveCell cuts the caves out of one lattice cell of 4×4×4 blocks.
func (b *builder) carveCell(n, level, x, z int) {
	tunnel := near(&b.tunnelA, n, level) && near(&b.tunnelB, n, level)
	cavern := open(&b.cavern, n, level)
	if !tunnel && !cavern {
		return
	}
	for fy := range pitch {
		for fz := range pitch {
			for fx := range pitch {
				if tunnel && b.inTunnel(n, level, fx, fy, fz) || cavern && b.inCavern(n, level, fx, fy, fz) {
					b.dig(x+fx, level*pitch+fy, z+fz)
				}
			}
		}
	}
}

// dig removes a ground block.
func (b *builder) dig(x, y, z int) {
	at := &b.block[cell(x, y, z)]
	switch {
	case *at == world.Air || *at == world.Water || *at == world.Ice || *at == world.Bedrock:
	case y <= caveLake && b.molten(x, z):
		*at = world.Lava
		if !b.molten(x-1, z) || !b.molten(x+1, z) || !b.molten(x, z-1) || !b.molten(x, z+1) {
			*at = world.Obsidian // it meets water
		}
	case y <= caveLake:
		*at = world.Water
	default:
		*at = world.Air
	}
}

// molten reports whether the lakes of caves are of lava at a spot.
func (b *builder) molten(x, z int) bool {
	return noise2(b.g.key[keyLava], lavaXZ.at(b.origin.X+int32(x)), lavaXZ.at(b.origin.Z+int32(z))) > pct(8)
}

// carved reports whether carve takes the ground at a spot, which may be in the
// margin.
func (b *builder) carved(x, y, z int) bool {
	n, fx, fz := corners(x, z)
	level, fy := y/pitch, y%pitch
	return b.inTunnel(n, level, fx, fy, fz) || b.inCavern(n, level, fx, fy, fz)
}

func (b *builder) inTunnel(n, level, fx, fy, fz int) bool {
	const wide = tunnelWide * 64
	v := int64(inside(&b.tunnelA, n, level, fx, fy, fz))
	if v > wide || v < -wide {
		return false
	}
	w := int64(inside(&b.tunnelB, n, level, fx, fy, fz))
	return v*v+w*w < wide*wide
}

func (b *builder) inCavern(n, level, fx, fy, fz int) bool {
	return inside(&b.cavern, n, level, fx, fy, fz) > 0
}

type field = [nodes * nodes][levels]int32

// inside interpolates a field within a lattice cell; the result is times 64,
// so that nothing is rounded.
func inside(f *field, n, level, fx, fy, fz int) int32 {
	gx, gy, gz := int32(pitch-fx), int32(pitch-fy), int32(pitch-fz)
	x, y, z := int32(fx), int32(fy), int32(fz)
	a, c := f[n][level:level+2:level+2], f[n+1][level:level+2:level+2]
	d, e := f[n+nodes][level:level+2:level+2], f[n+nodes+1][level:level+2:level+2]
	low := (a[0]*gx+c[0]*x)*gz + (d[0]*gx+e[0]*x)*z
	high := (a[1]*gx+c[1]*x)*gz + (d[1]*gx+e[1]*x)*z
	return low*gy + high*y
}

// near reports whether a tunnel noise can be near zero within a cell.
func near(f *field, n, level int) bool {
	lo, hi := span(f, n, level)
	return lo < tunnelWide && hi > -tunnelWide
}

// open reports whether a cavern can reach into a cell.
func open(f *field, n, level int) bool {
	_, hi := span(f, n, level)
	return hi > 0
}

// span returns the least and the greatest corner of a cell; nothing inside lies
// beyond them.
func span(f *field, n, level int) (lo, hi int32) {
	lo, hi = f[n][level], f[n][level]
	for _, m := range [4]int{n, n + 1, n + nodes, n + nodes + 1} {
		lo, hi = min(lo, f[m][level], f[m][level+1]), max(hi, f[m][level], f[m][level+1])
	}
	return lo, hi
}
