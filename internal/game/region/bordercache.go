package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// borderCache is the ring of columns around a region, as its neighbours tell: what
// bodies, water and mobs see past the border. It implements world.Blocks.
type borderCache struct {
	pos     world.RegionPos
	columns map[world.ColumnPos]*world.Column
	shared  map[world.ColumnPos]bool   // frozen by the neighbour: copy before writing
	heard   map[world.RegionPos]uint32 // the last number of those that came without a gap
}

func newBorderCache(pos world.RegionPos) *borderCache {
	return &borderCache{pos: pos, columns: map[world.ColumnPos]*world.Column{}, shared: map[world.ColumnPos]bool{}, heard: map[world.RegionPos]uint32{}}
}

// Block implements world.Blocks.
func (h *borderCache) Block(p world.Pos) (world.Block, bool) {
	switch {
	case p.Y < 0:
		return world.Bedrock, true
	case p.Y >= world.Height:
		return world.Air, true
	}
	c := h.columns[p.Column()]
	if c == nil {
		return world.Air, false
	}
	return c.At(int(p.X&(world.ChunkSize-1)), int(p.Y), int(p.Z&(world.ChunkSize-1))), true
}

// inRing reports whether a column lies next to the region.
func (h *borderCache) inRing(c world.ColumnPos) bool {
	low := h.pos.Column(0)
	dx, dz := c.X-low.X+1, c.Z-low.Z+1
	const side = world.RegionCols + 2
	return uint32(dx) < side && uint32(dz) < side && c.Region() != h.pos
}

func (h *borderCache) put(c *world.Column) {
	if c != nil && h.inRing(c.Pos) {
		h.columns[c.Pos], h.shared[c.Pos] = c, true
	}
}

func (h *borderCache) change(p world.Pos, b world.Block) {
	pos := p.Column()
	c := h.columns[pos]
	if c == nil || !p.InWorld() || b >= world.BlockCount {
		return
	}
	if h.shared[pos] {
		c = c.Clone()
		h.columns[pos], h.shared[pos] = c, false
	}
	c.Set(int(p.X&(world.ChunkSize-1)), int(p.Y), int(p.Z&(world.ChunkSize-1)), b)
}

func (h *borderCache) clear() {
	clear(h.columns)
	clear(h.shared)
	clear(h.heard)
}

// noteNumber notes a message of a neighbour by its number.
func (h *borderCache) noteNumber(n world.RegionPos, number uint32) {
	if number == 1 || number == h.heard[n]+1 {
		h.heard[n] = number
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
	h := borderCache{pos: pos}
	for i := range set {
		if h.inRing(n.Column(i)) {
			set[i] = RateEvery
		}
	}
	return set
}
