package terrain

import "github.com/voxelpopuli/voxelpopuli/internal/core/fixed"

// patch is the lattice cell around one place, for asking about the ground
// without building a column.
type patch struct {
	corner [4]site // at x, x+pitch; then the same at z+pitch
	x, z   int32   // of the first corner
}

func (g *Generator) patchAt(x, z int32) *patch {
	p := &patch{x: x &^ (pitch - 1), z: z &^ (pitch - 1)}
	for i := range p.corner {
		p.corner[i] = g.site(p.x+int32(i&1)*pitch, p.z+int32(i>>1)*pitch)
	}
	return p
}

// Surface returns the y of the ground at x and z: the highest block of terrain,
// as it is before caves are cut and without water, trees and plants.
func (g *Generator) Surface(x, z int32) int {
	p := g.patchAt(x, z)
	fx, fz := int(x-p.x), int(z-p.z)
	c := &p.corner
	height := bilinear(fx, fz, c[0].height, c[1].height, c[2].height, c[3].height)
	rough := bilinear(fx, fz, c[0].rough, c[1].rough, c[2].rough, c[3].rough)
	if rough == 0 {
		return int(height.Floor())
	}
	var cliff [4][levels]int32
	for i := range cliff {
		noise3{g.key[keyCliff], cliffXZ, cliffY}.rise(p.x+int32(i&1)*pitch, p.z+int32(i>>1)*pitch, pitch, cliff[i][:])
	}
	return ledge(height, rough, func(level int) fixed.Num {
		return bilinear(fx, fz, fixed.Num(cliff[0][level]), fixed.Num(cliff[1][level]), fixed.Num(cliff[2][level]), fixed.Num(cliff[3][level]))
	}, nil)
}

// Biome returns the kind of landscape at x and z.
func (g *Generator) Biome(x, z int32) Biome {
	s := g.site(x, z)
	return s.biome()
}
