package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/fixed"

// plants puts what is one block wide on the ground: grass, flowers, cacti,
// reeds, mushrooms, pumpkins.
func (b *builder) plants() {
	for z := range ChunkSize {
		for x := range ChunkSize {
			floor := int(b.floor[spot(x, z)])
			if floor < 1 || floor > Height-8 {
				continue
			}
			ground := b.block[cell(x, floor, z)]
			if b.block[cell(x, floor+1, z)] == Air {
				b.plant(x, floor+1, z, ground)
			}
		}
	}
	b.caveMushrooms()
}

// plant grows what the ground and the biome let grow at a place.
func (b *builder) plant(x, y, z int, ground Block) {
	wx, wz := b.origin.X+int32(x), b.origin.Z+int32(z)
	dice := hash2(b.g.key[keyPlant], wx, wz)
	biome := b.biome[z<<ChunkBits|x]
	at := cell(x, y, z)
	if y == SeaLevel+1 && dice>>20&7 < 3 && b.reedsGrow(x, z, ground, biome, wx, wz) {
		b.stack(x, y, z, 1+int(dice>>24&3), Reeds)
		return
	}
	switch ground {
	case Grass:
		b.block[at] = b.meadow(biome, wx, wz, dice)
	case SnowyGrass:
		if dice&127 < 2 {
			b.block[at] = DeadBush
		}
	case Sand:
		if biome == Desert {
			b.desertPlant(x, y, z, dice)
		}
	}
}

// stack puts up to tall blocks on top of each other into air.
func (b *builder) stack(x, y, z, tall int, block Block) {
	for i := range tall {
		if at := &b.block[cell(x, y+i, z)]; *at == Air {
			*at = block
		}
	}
}

// patchFreq is the grain of meadows and patches of flowers.
var patchFreq = every(19)

// meadow returns what grows on grass: Air for nothing.
func (b *builder) meadow(biome Biome, wx, wz int32, dice uint32) Block {
	patch := noise2(b.g.key[keyPatch], patchFreq.at(wx), patchFreq.at(wz))
	square := hash2(b.g.key[keyPatch]+1, wx>>4, wz>>4)
	few := fixed.Num(dice & 1023)
	switch {
	case square&255 < 3 && biome != Mountains && few < 28:
		return Pumpkin
	case biome == Forest || biome == PineWoods:
		return undergrowth(few, patch, square)
	case patch > pct(42) && few < 170:
		return [4]Block{Poppy, Dandelion, Cornflower, Dandelion}[(square>>8+dice>>12&1)&3]
	case few < 34+(patch+pct(20)).Clamp(0, one)/12:
		return TallGrass
	case few > 1020:
		return [4]Block{Poppy, Dandelion, Cornflower, Poppy}[dice>>12&3]
	}
	return Air
}

// undergrowth is what grows under trees.
func undergrowth(few, patch fixed.Num, square uint32) Block {
	switch {
	case few < 5 && square>>16&3 == 0:
		return RedMushroom
	case few < 10 && square>>16&3 == 1:
		return BrownMushroom
	case few < 50+patch/16:
		return TallGrass
	case few > 1016 && patch > 0:
		return Poppy
	}
	return Air
}

// desertPlant grows a cactus where it touches nothing, or a dead bush.
func (b *builder) desertPlant(x, y, z int, dice uint32) {
	switch few := dice & 1023; {
	case few < 9 && b.freeSides(x, y, z):
		b.stack(x, y, z, 1+int(dice>>12&3)*2/3, Cactus)
	case few > 1014:
		b.block[cell(x, y, z)] = DeadBush
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
func (b *builder) reedsGrow(x, z int, ground Block, biome Biome, wx, wz int32) bool {
	if ground != Grass && ground != Sand && ground != Dirt || biome == Desert && ground == Dirt {
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
	for z := range ChunkSize {
		for x := range ChunkSize {
			h := hash2(b.g.key[keyPlant]+1, b.origin.X+int32(x), b.origin.Z+int32(z))
			y := caveLake + 1 + int(h>>8&63)
			if h&31 != 0 || y >= int(b.floor[spot(x, z)])-6 {
				continue
			}
			for ; y > caveLake; y-- {
				if b.block[cell(x, y, z)] == Air && b.block[cell(x, y-1, z)] == Stone {
					b.block[cell(x, y, z)] = BrownMushroom - Block(h>>16&1)
					break
				}
			}
		}
	}
}
