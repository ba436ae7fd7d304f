package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// noteNumber notes a message of a neighbour by its number.
func (b *border) noteNumber(n world.RegionPos, number uint32) {
	if number == 1 || number == b.heard[n]+1 {
		b.heard[n] = number
	}
}

// eachNeighbour calls do for the eight regions around pos that are in the world, in a
// fixed order.
func eachNeighbour(pos world.RegionPos, do func(world.RegionPos)) {
	for dz := int32(-1); dz <= 1; dz++ {
		for dx := int32(-1); dx <= 1; dx++ {
			n := world.RegionPos{X: pos.X + dx, Z: pos.Z + dz}
			if n != pos && inWorld(n) {
				do(n)
			}
		}
	}
}

// inWorld reports whether a region lies inside the limit of the world.
func inWorld(p world.RegionPos) bool {
	const far = world.Limit / world.RegionSize
	return p.X >= -far && p.X < far && p.Z >= -far && p.Z < far
}

// ringOf returns which columns of a neighbour n touch the region at pos.
func ringOf(pos, n world.RegionPos) (set watchSet) {
	for i := range set {
		if regionlog.InRing(pos, n.Column(i)) {
			set[i] = RateEvery
		}
	}
	return set
}
