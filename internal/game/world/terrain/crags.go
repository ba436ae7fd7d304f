package terrain

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// cliffNoise bends rough ground in space: ledges, overhangs, arches.
var cliffXZ, cliffY = every(38), every(30)

// crags reshapes the ground where it is rough: ground is where
// height − y + rough·noise > 0.
func (b *builder) crags() {
	up := (b.top+pitch)/pitch + 1
	for i := range b.site {
		if b.roughNear(i%nodes, i/nodes) {
			n := noise3{b.g.key[keyCliff], cliffXZ, cliffY}
			x, z := b.nodeAt(i)
			n.rise(x, z, pitch, b.cliff[i][:min(up, levels)])
		}
	}
	for z := -margin; z < world.ChunkSize+margin; z += pitch {
		for x := -margin; x < world.ChunkSize+margin; x += pitch {
			if n, _, _ := corners(x, z); b.roughCell(n) {
				b.cragCell(n, x, z)
			}
		}
	}
}

// nodeAt returns the world x and z of a node.
func (b *builder) nodeAt(n int) (x, z int32) {
	return b.origin.X + int32(n%nodes*pitch-margin), b.origin.Z + int32(n/nodes*pitch-margin)
}

// roughCell reports whether some corner of the lattice cell at node n is rough.
func (b *builder) roughCell(n int) bool {
	return b.site[n].rough > 0 || b.site[n+1].rough > 0 || b.site[n+nodes].rough > 0 || b.site[n+nodes+1].rough > 0
}

// roughNear reports whether node i, k is a corner of a rough cell.
func (b *builder) roughNear(i, k int) bool {
	for dk := -1; dk <= 0; dk++ {
		for di := -1; di <= 0; di++ {
			if i+di >= 0 && k+dk >= 0 && i+di < nodes-1 && k+dk < nodes-1 && b.roughCell(node(i+di, k+dk)) {
				return true
			}
		}
	}
	return false
}

// cragCell reshapes the 4×4 spots from x, z on, whose lattice cell is n.
func (b *builder) cragCell(n, x, z int) {
	s := &b.site
	for fz := range pitch {
		for fx := range pitch {
			rough := bilinear(fx, fz, s[n].rough, s[n+1].rough, s[n+nodes].rough, s[n+nodes+1].rough)
			if rough > 0 {
				b.crag(n, fx, fz, x+fx, z+fz, rough)
			}
		}
	}
}

// crag reshapes one spot.
func (b *builder) crag(n, fx, fz, x, z int, rough fixed.Num) {
	var put func(y int, ground bool)
	if inColumn(x, 0, z) {
		put = func(y int, ground bool) { b.block[cell(x, y, z)] = stoneOr(ground, y) }
	}
	at := func(level int) fixed.Num { return b.cliffAt(n, fx, fz, level) }
	b.floor[spot(x, z)] = int32(ledge(b.height[spot(x, z)], rough, at, put))
}

// ledge goes up through the heights where rough ground may begin and end and
// tells put about each; cliff gives the noise at a level. It returns the y of
// the highest ground block.
func ledge(height, rough fixed.Num, cliff func(level int) fixed.Num, put func(y int, ground bool)) int {
	low := max(1, int((height - rough).Floor()))
	high := min(world.Height-2, int((height+rough).Floor())+1)
	floor, level := low, -1
	var below, above fixed.Num
	for y := low; y <= high; y++ {
		if y/pitch != level {
			level = y / pitch
			below, above = cliff(level), cliff(level+1)
		}
		fy := fixed.Num(y % pitch)
		noise := ((below*(pitch-fy) + above*fy) * 2 / pitch).Clamp(-one, one)
		ground := height-metres(int64(y))+fixed.Mul(rough, noise) > 0 || y == low
		if ground {
			floor = y
		}
		if put != nil {
			put(y, ground)
		}
	}
	return floor
}

func stoneOr(ground bool, y int) world.Block {
	switch {
	case ground:
		return world.Stone
	case y <= SeaLevel:
		return world.Water
	}
	return world.Air
}

// cliffAt interpolates the cliff noise within a cell's level.
func (b *builder) cliffAt(n, fx, fz, level int) fixed.Num {
	c := &b.cliff
	return bilinear(fx, fz, fixed.Num(c[n][level]), fixed.Num(c[n+1][level]), fixed.Num(c[n+nodes][level]), fixed.Num(c[n+nodes+1][level]))
}
