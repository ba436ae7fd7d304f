package world

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// Saplings become trees. Crowns end at the region's border.
const (
	treeLeast  = 4 // blocks of the trunk
	treeSpread = 3
	crownWide  = 2
)

// growsIn is in how many ticks a sapling becomes a tree.
func (s *blockSchedule) growsIn(p Pos, b Block) uint64 {
	n := uint64(Info(b).Grows.Ticks)
	if Info(b).Grows.Into != 0 && s.blocks.watered(p) {
		n = max(n/2, 1)
	}
	return 1 + n/2 + rng.Hash(s.seed, uint64(uint32(p.X)), uint64(uint32(p.Y)), uint64(uint32(p.Z)), s.clock.tick)%n
}

// WakePlants schedules the saplings and fires of the region anew: when is not on the disk
// until the next snapshot.
func (st *state) WakePlants() {
	for in := range Columns {
		c := st.Column(in)
		for i := range c.Chunks {
			ch := &c.Chunks[i]
			if !slices.ContainsFunc(ch.palette, ticksAlone) {
				continue
			}
			for at := range ChunkVolume {
				x, y, z := at&(ChunkSize-1), at>>(2*ChunkBits), at>>ChunkBits&(ChunkSize-1)
				if ticksAlone(ch.At(x, y, z)) {
					st.schedule(c.Pos.Origin().Add(int32(x), int32(i*ChunkSize+y), int32(z)))
				}
			}
		}
	}
}

// ticksAlone reports whether a block has block ticks though nothing beside it changes.
func ticksAlone(b Block) bool { return Info(b).Grows.Ticks > 0 || Info(b).Fire > 0 }

// growTree puts up the tree of a sapling, or waits for room.
func (br *blockRules) growTree(p Pos, b Block) {
	if br.cfg.Static {
		return
	}
	in := Info(b)
	log, leaves := Block(in.Grows.Log), Block(in.Grows.Leaves)
	dice := rng.Hash(br.cfg.Seed, uint64(uint32(p.X)), uint64(uint32(p.Y)), uint64(uint32(p.Z)), br.tick)
	tall := int32(treeLeast + dice%treeSpread)
	for y := range tall + 2 {
		if at := p.Add(0, y, 0); y > 0 && !br.growsThrough(at) || br.occupied(at, log) {
			br.schedule(p)
			return
		}
	}
	for y := tall - 2; y <= tall+1; y++ {
		wide := int32(crownWide)
		if y >= tall {
			wide = 1
		}
		for dz := -wide; dz <= wide; dz++ {
			for dx := -wide; dx <= wide; dx++ {
				corner := abs32(dx) == wide && abs32(dz) == wide
				if at := p.Add(dx, y, dz); !(corner && (y > tall || rng.Hash(dice, uint64(at.X), uint64(at.Y), uint64(at.Z))%2 == 0)) && br.growsThrough(at) {
					br.set(at, leaves)
				}
			}
		}
	}
	for y := range tall {
		br.set(p.Add(0, y, 0), log)
	}
}

// growsThrough reports whether a tree takes the place of a block.
func (rb *regionBlocks) growsThrough(at Pos) bool {
	b, ok := rb.Block(at)
	class := Info(b).Class
	return ok && at.InWorld() && (class == pack.Air || class == pack.Cross || class == pack.Cutout)
}
