package terrain

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// cover lays soil on the ground: grass and dirt, sand, snow, or bare rock where
// it is steep. Ledges below overhangs are ground too.
func (b *builder) cover() {
	for z := range world.ChunkSize {
		for x := range world.ChunkSize {
			s := b.siteAt(x, z)
			wx, wz := b.origin.X+int32(x), b.origin.Z+int32(z)
			b.g.dither(&s, wx, wz)
			biome := s.biome()
			b.biome[z<<world.ChunkBits|x] = biome
			b.coverSpot(x, z, b.g.soil(&s, biome, b.slope(x, z), wx, wz), s.rough)
			if s.temp < cold && biome != Ocean || s.temp < cold-pct(12) {
				b.freeze(x, z)
			}
		}
	}
}

// slope returns the rise of the ground in metres over one metre.
func (b *builder) slope(x, z int) fixed.Num {
	f := &b.floor
	dx := f[spot(x+2, z)] - f[spot(x-2, z)]
	dz := f[spot(x, z+2)] - f[spot(x, z-2)]
	return fixed.Num(max(dx, -dx, dz, -dz)) * one / 4
}

// coverSpot lays soil from the highest ground block down to where the ground
// is solid for certain.
func (b *builder) coverSpot(x, z int, s soil, rough fixed.Num) {
	if s.top == world.Stone {
		return
	}
	bottom := int((b.height[spot(x, z)] - rough).Floor()) - s.underDepth - s.deepness - 1
	depth := 0
	for y := int(b.floor[spot(x, z)]); y > max(bottom, 0); y-- {
		at := &b.block[cell(x, y, z)]
		if *at != world.Stone {
			depth = 0
			continue
		}
		switch {
		case depth == 0:
			*at = s.top
			if y < SeaLevel && (s.top == world.Grass || s.top == world.SnowyGrass) {
				*at = s.under
			}
		case depth <= s.underDepth:
			*at = s.under
		case depth <= s.underDepth+s.deepness:
			*at = s.deep
		}
		depth++
	}
}

// freeze puts ice on the water.
func (b *builder) freeze(x, z int) {
	if at := &b.block[cell(x, SeaLevel, z)]; *at == world.Water {
		*at = world.Ice
	}
}

// floorRock makes the bottom of the world: bedrock, ragged on top.
func (b *builder) floorRock() {
	for z := range world.ChunkSize {
		for x := range world.ChunkSize {
			h := hash2(b.g.key[keyBedrock], b.origin.X+int32(x), b.origin.Z+int32(z))
			for y := range 1 + int(h&3) {
				b.block[cell(x, y, z)] = world.Bedrock
			}
		}
	}
}
