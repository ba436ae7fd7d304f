package terrain

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// plants puts what is one block wide on the ground: grass, flowers, cacti,
// reeds, mushrooms, pumpkins.
func (b *builder) plants() {
	for z := range world.ChunkSize {
		for x := range world.ChunkSize {
			floor := int(b.floor[spot(x, z)])
			if floor < 1 || floor > world.Height-8 {
				continue
			}
			ground := b.block[cell(x, floor, z)]
			if b.block[cell(x, floor+1, z)] == world.Air {
				b.plant(x, floor+1, z, ground)
			}
		}
	}
	b.caveMushrooms()
}

// plant grows what the ground and the biome let grow at a place.
func (b *builder) plant(x, y, z int, ground world.Block) {
	wx, wz := b.origin.X+int32(x), b.origin.Z+int32(z)
	dice := hash2(b.g.key[keyPlant], wx, wz)
	biome := b.biome[z<<world.ChunkBits|x]
	at := cell(x, y, z)
	if y == SeaLevel+1 && dice>>20&7 < 3 && b.reedsGrow(x, z, ground, biome, wx, wz) {
		b.stack(x, y, z, 1+int(dice>>24&3), world.Reeds)
		return
	}
	switch ground {
	case world.Grass:
		b.block[at] = b.meadow(biome, wx, wz, dice)
	case world.SnowyGrass:
		if dice&127 < 2 {
			b.block[at] = world.DeadBush
		}
	case world.Sand:
		if biome == Desert {
			b.desertPlant(x, y, z, dice)
		}
	}
}

// stack puts up to tall blocks on top of each other into air.
func (b *builder) stack(x, y, z, tall int, block world.Block) {
	for i := range tall {
		if at := &b.block[cell(x, y+i, z)]; *at == world.Air {
			*at = block
		}
	}
}

// patchFreq is the grain of meadows and patches of flowers.
var patchFreq = every(19)

// meadow returns what grows on grass: Air for nothing.
func (b *builder) meadow(biome Biome, wx, wz int32, dice uint32) world.Block {
	patch := noise2(b.g.key[keyPatch], patchFreq.at(wx), patchFreq.at(wz))
	square := hash2(b.g.key[keyPatch]+1, wx>>4, wz>>4)
	few := fixed.Num(dice & 1023)
	switch {
	case square&255 < 3 && biome != Mountains && few < 28:
		return world.Pumpkin
	case biome == Forest || biome == PineWoods:
		return undergrowth(few, patch, square)
	case patch > pct(42) && few < 170:
		return [4]world.Block{world.Poppy, world.Dandelion, world.Cornflower, world.Dandelion}[(square>>8+dice>>12&1)&3]
	case few < 34+(patch+pct(20)).Clamp(0, one)/12:
		return world.TallGrass
	case few > 1020:
		return [4]world.Block{world.Poppy, world.Dandelion, world.Cornflower, world.Poppy}[dice>>12&3]
	}
	return world.Air
}

// undergrowth is what grows under trees.
func undergrowth(few, patch fixed.Num, square uint32) world.Block {
	switch {
	case few < 5 && square>>16&3 == 0:
		return world.RedMushroom
	case few < 10 && square>>16&3 == 1:
		return world.BrownMushroom
	case few < 50+patch/16:
		return world.TallGrass
	case few > 1016 && patch > 0:
		return world.Poppy
	}
	return world.Air
}

// desertPlant grows a cactus where it touches nothing, or a dead bush.
func (b *builder) desertPlant(x, y, z int, dice uint32) {
	switch few := dice & 1023; {
	case few < 9 && b.freeSides(x, y, z):
		b.stack(x, y, z, 1+int(dice>>12&3)*2/3, world.Cactus)
	case few > 1014:
		b.block[cell(x, y, z)] = world.DeadBush
	}
}

// freeSides reports whether the ground is lower than y at all four sides.
func (b *builder) freeSides(x, y, z int) bool {
	for _, d := range branches {
		if int(b.floor[spot(x+d[0], z+d[1])]) >= y {
			return false
		}
	}
	return true
}

// reedsGrow reports whether reeds stand here: at the water's edge, in patches.
func (b *builder) reedsGrow(x, z int, ground world.Block, biome Biome, wx, wz int32) bool {
	if ground != world.Grass && ground != world.Sand && ground != world.Dirt || biome == Desert && ground == world.Dirt {
		return false
	}
	if noise2(b.g.key[keyPatch]+2, patchFreq.at(wx), patchFreq.at(wz)) < 0 {
		return false
	}
	for _, d := range branches {
		if b.floor[spot(x+d[0], z+d[1])] < SeaLevel {
			return true
		}
	}
	return false
}

// caveMushrooms grows some on the floors of caves.
func (b *builder) caveMushrooms() {
	for z := range world.ChunkSize {
		for x := range world.ChunkSize {
			h := hash2(b.g.key[keyPlant]+1, b.origin.X+int32(x), b.origin.Z+int32(z))
			y := caveLake + 1 + int(h>>8&63)
			if h&31 != 0 || y >= int(b.floor[spot(x, z)])-6 {
				continue
			}
			for ; y > caveLake; y-- {
				if b.block[cell(x, y, z)] == world.Air && b.block[cell(x, y-1, z)] == world.Stone {
					b.block[cell(x, y, z)] = world.BrownMushroom - world.Block(h>>16&1)
					break
				}
			}
		}
	}
}
