package terrain

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// deposit is a kind of vein: how many in a column, how many blocks each, and
// between which heights. What lies deep lies low.
type deposit struct {
	block        world.Block
	count, size  int
	bottom, peak int // heights; half of them are in the lower third
}

var deposits = []deposit{
	{world.Dirt, 5, 26, 8, 110},
	{world.Gravel, 5, 26, 6, 100},
	{world.Clay, 2, 16, 30, 62},
	{world.CoalOre, 26, 12, 6, 176},
	{world.IronOre, 20, 8, 5, 120},
	{world.GoldOre, 6, 7, 5, 40},
	{world.CrystalOre, 4, 6, 5, 20},
}

// veins puts ores and pockets of earth into the stone. A vein stays within its
// column, so columns do not depend on each other.
func (b *builder) veins() {
	r := rng.New(b.g.seed, keyOre, uint64(uint32(b.origin.X)), uint64(uint32(b.origin.Z)))
	for _, d := range deposits {
		for range d.count {
			b.vein(&r, d)
		}
	}
}

// vein wanders from a random place and turns stone into the deposit.
func (b *builder) vein(r *rng.Rand, d deposit) {
	x, z := 2+r.Intn(world.ChunkSize-4), 2+r.Intn(world.ChunkSize-4)
	reach := d.peak - d.bottom
	if r.OneIn(2) {
		reach /= 3
	}
	y := d.bottom + r.Intn(reach)
	draw := r.Uint64()
	for i := range d.size {
		if at := &b.block[cell(x, y, z)]; *at == world.Stone {
			*at = d.block
		}
		if i%10 == 9 {
			draw = r.Uint64()
		}
		x = min(max(x+int(draw&1)-int(draw>>1&1), 0), world.ChunkSize-1)
		y = min(max(y+int(draw>>2&1)-int(draw>>3&1), d.bottom), d.peak)
		z = min(max(z+int(draw>>4&1)-int(draw>>5&1), 0), world.ChunkSize-1)
		draw >>= 6
	}
}
