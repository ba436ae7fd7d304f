package terrain

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Ruins: what is left of a hut, with a chest in it. One lies within its column, on ground
// that is dry and nearly level.
const (
	ruinOneIn = 24 // columns
	ruinHalf  = 3  // blocks from the middle to the walls
	ruinHigh  = 4
	ruinSlope = 3 // between the lowest and the highest ground under the walls
)

// ruin builds a ruin into the column, in some columns.
func (b *builder) ruin() {
	r := rng.New(uint64(b.g.key[keyRuin]), uint64(uint32(b.origin.X)), uint64(uint32(b.origin.Z)))
	x, z := ruinHalf+1+r.Intn(world.ChunkSize-2*ruinHalf-2), ruinHalf+1+r.Intn(world.ChunkSize-2*ruinHalf-2)
	if !r.OneIn(ruinOneIn) {
		return
	}
	floor, ok := b.level(x, z)
	if !ok {
		return
	}
	for dz := -ruinHalf; dz <= ruinHalf; dz++ {
		for dx := -ruinHalf; dx <= ruinHalf; dx++ {
			wall := max(dx, -dx, dz, -dz) == ruinHalf
			b.ruinAt(x+dx, z+dz, floor, wall && (dx != 0 || dz != ruinHalf), &r)
		}
	}
	b.block[cell(x, floor+1, z-ruinHalf+1)] = world.OldChest
}

// level returns the height of the ground around a place, if a ruin can stand there.
func (b *builder) level(x, z int) (floor int, ok bool) {
	low, high := int32(world.Height), int32(0)
	for dz := -ruinHalf; dz <= ruinHalf; dz++ {
		for dx := -ruinHalf; dx <= ruinHalf; dx++ {
			y := b.floor[spot(x+dx, z+dz)]
			low, high = min(low, y), max(high, y)
			if at := b.block[cell(x+dx, int(y), z+dz)]; at == world.Air || at == world.Water || at == world.Ice {
				return 0, false
			}
		}
	}
	return int(low), low > SeaLevel && high-low <= ruinSlope && int(high) < world.Height-ruinHigh-2
}

// ruinAt lays the floor at a place, clears what is above it, and builds what is left of the
// wall.
func (b *builder) ruinAt(x, z, floor int, wall bool, r *rng.Rand) {
	stone := func() world.Block {
		if r.OneIn(3) {
			return world.MossyCobblestone
		}
		return world.Cobblestone
	}
	b.block[cell(x, floor, z)] = stone()
	left := 0
	if wall {
		left = 1 + r.Intn(ruinHigh)
	}
	for y := 1; y <= ruinHigh+ruinSlope; y++ {
		to := world.Air
		if y <= left {
			to = stone()
		}
		b.block[cell(x, floor+y, z)] = to
	}
}
