package terrain

import (
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// The shapes of trees. None reaches farther than treeReach from its trunk.

// inColumn reports whether a place lies in the column being built.
func inColumn(x, y, z int) bool {
	return uint(x) < world.ChunkSize && uint(z) < world.ChunkSize && uint(y) < world.Height
}

// leaf puts leaves into air.
func (b *builder) leaf(x, y, z int, leaves world.Block) {
	if inColumn(x, y, z) {
		if at := &b.block[cell(x, y, z)]; *at == world.Air {
			*at = leaves
		}
	}
}

// wood puts a log into air or leaves.
func (b *builder) wood(x, y, z int, log world.Block) {
	if inColumn(x, y, z) {
		if at := &b.block[cell(x, y, z)]; *at == world.Air || world.Info(*at).Class == pack.Cutout {
			*at = log
		}
	}
}

// trunk puts up logs on a block of dirt.
func (b *builder) trunk(t tree, tall int, log world.Block) {
	if inColumn(t.x, t.y-1, t.z) {
		b.block[cell(t.x, t.y-1, t.z)] = world.Dirt
	}
	for y := range tall {
		b.wood(t.x, t.y+y, t.z, log)
	}
}

// disc puts a level of leaves of radius r around x, z: corners are cut off, or
// ragged by the dice.
func (b *builder) disc(x, y, z, r int, leaves world.Block, dice uint32) {
	limit := r*r + 1
	for dz := -r; dz <= r; dz++ {
		for dx := -r; dx <= r; dx++ {
			d := dx*dx + dz*dz
			if d > limit {
				continue
			}
			if d >= limit-1 && r > 1 && finish(dice^uint32(dx*31+dz*7+y*131))&3 == 0 {
				continue
			}
			b.leaf(x+dx, y, z+dz, leaves)
		}
	}
}

// blob puts a flattened ball of leaves around a point.
func (b *builder) blob(x, y, z, r int, leaves world.Block, dice uint32) {
	b.disc(x, y-1, z, r, leaves, dice)
	b.disc(x, y, z, r, leaves, dice)
	b.disc(x, y+1, z, max(r-1, 1), leaves, dice)
	if r > 2 {
		b.disc(x, y+2, z, r-2, leaves, dice)
	}
}

func (b *builder) oak(t tree) {
	tall := 4 + t.roll(0, 3)
	top := t.y + tall
	b.disc(t.x, top-2, t.z, 2, world.OakLeaves, t.dice)
	b.disc(t.x, top-1, t.z, 2, world.OakLeaves, t.dice)
	b.disc(t.x, top, t.z, 1+t.roll(8, 2), world.OakLeaves, t.dice)
	b.disc(t.x, top+1, t.z, 1, world.OakLeaves, t.dice)
	b.trunk(t, tall, world.OakLog)
}

// bigOak has a crown of several balls on branches.
func (b *builder) bigOak(t tree) {
	tall := 7 + t.roll(0, 4)
	top := t.y + tall
	b.blob(t.x, top, t.z, 3, world.OakLeaves, t.dice)
	side := t.roll(8, 4)
	for i := range 2 + t.roll(16, 2) {
		d := branches[(side+i)&3]
		y := top - 2 - (i+side)&1*2
		b.blob(t.x+2*d[0], y, t.z+2*d[1], 2, world.OakLeaves, t.dice)
		b.wood(t.x+d[0], y-1, t.z+d[1], world.OakLog)
		b.wood(t.x+2*d[0], y, t.z+2*d[1], world.OakLog)
	}
	b.trunk(t, tall, world.OakLog)
}

var branches = [4][2]int{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}

func (b *builder) birch(t tree) {
	tall := 6 + t.roll(0, 4)
	top := t.y + tall
	b.disc(t.x, top-3, t.z, 2, world.BirchLeaves, t.dice)
	b.disc(t.x, top-2, t.z, 2, world.BirchLeaves, t.dice)
	b.disc(t.x, top-1, t.z, 1, world.BirchLeaves, t.dice)
	b.disc(t.x, top, t.z, 1, world.BirchLeaves, t.dice)
	b.leaf(t.x, top+1, t.z, world.BirchLeaves)
	b.trunk(t, tall, world.BirchLog)
}

// pine is a cone of skirts.
func (b *builder) pine(t tree) {
	tall := 7 + t.roll(0, 5)
	top := t.y + tall
	widest := 2 + t.roll(8, 2)
	r := 1
	for y := top; y > t.y+1+t.roll(16, 2); y-- {
		b.disc(t.x, y, t.z, r, world.PineLeaves, t.dice)
		if r++; r > min(widest, 1+(top-y)/2) {
			r = max(1, r-2)
		}
	}
	b.leaf(t.x, top+1, t.z, world.PineLeaves)
	b.leaf(t.x, top+2, t.z, world.PineLeaves)
	b.trunk(t, tall, world.PineLog)
}

// tallPine has a bare trunk and a narrow crown.
func (b *builder) tallPine(t tree) {
	tall := 12 + t.roll(0, 6)
	top := t.y + tall
	crown := 6 + t.roll(8, 3)
	for i := range crown {
		b.disc(t.x, top-i, t.z, 1+(i%3+1)*min(i, 4)/6, world.PineLeaves, t.dice)
	}
	b.leaf(t.x, top+1, t.z, world.PineLeaves)
	b.trunk(t, tall, world.PineLog)
}

func (b *builder) bush(t tree) {
	b.disc(t.x, t.y, t.z, 2, world.OakLeaves, t.dice)
	b.disc(t.x, t.y+1, t.z, 1, world.OakLeaves, t.dice)
	b.trunk(t, 1, world.OakLog)
}

// boulder is a lump of stone, half sunk in.
func (b *builder) boulder(t tree) {
	r := 1 + t.roll(0, 2)
	for dy := -r; dy <= r; dy++ {
		for dz := -r; dz <= r; dz++ {
			for dx := -r; dx <= r; dx++ {
				if dx*dx+dy*dy+dz*dz > r*r+1 || !inColumn(t.x+dx, t.y+dy, t.z+dz) {
					continue
				}
				rock := world.Cobblestone
				if finish(t.dice^uint32(dx*31+dy*101+dz*7))&3 != 0 {
					rock = world.MossyCobblestone
				}
				b.block[cell(t.x+dx, t.y+dy, t.z+dz)] = rock
			}
		}
	}
}
