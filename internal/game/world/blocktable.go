package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/fixed"

// blockTable is indexed by Block. Hardness is in ticks of 1/20 s by hand.
var blockTable = buildTable()

var unknownBlock = BlockInfo{
	Block: BlockCount, Name: "unknown", Title: "Unknown", Class: ClassCube, Solid: true, Opaque: true,
	Dim: 15, Hardness: Unbreakable, Tall: fixed.One, Sound: "stone",
	Top: "unknown", Side: "unknown", Bottom: "unknown", Color: 0xff00ff,
}

func buildTable() [BlockCount]BlockInfo {
	var t [BlockCount]BlockInfo
	put := func(b Block, title string, in BlockInfo) {
		in.Block, in.Title = b, title
		in.Name = snake(title)
		if in.Side == "" {
			in.Side = in.Name
		}
		if in.Top == "" {
			in.Top = in.Side
		}
		if in.Bottom == "" {
			in.Bottom = in.Top
		}
		t[b] = in
	}

	put(Air, "Air", BlockInfo{Replaceable: true, Hardness: Unbreakable})
	put(Stone, "Stone", cube("stone", 24, 0x7d7f83).drops(Cobblestone))
	put(Grass, "Grass", cube("grass", 12, 0x6aa63f).drops(Dirt).faces("grass_top", "grass_side", "dirt"))
	put(Dirt, "Dirt", cube("dirt", 10, 0x86603f))
	put(Cobblestone, "Cobblestone", cube("stone", 28, 0x76777a))
	put(Sand, "Sand", cube("sand", 10, 0xdccf9b).falls())
	put(Gravel, "Gravel", cube("gravel", 12, 0x878380).falls())
	put(Sandstone, "Sandstone", cube("stone", 22, 0xd3c38d).faces("sandstone_top", "sandstone_side", "sandstone_top"))
	put(Clay, "Clay", cube("dirt", 12, 0x9aa2ae))
	put(Bedrock, "Bedrock", cube("stone", Unbreakable, 0x3c3c40))
	put(Snow, "Snow", cube("snow", 8, 0xf2f6fa))
	put(SnowyGrass, "Snowy Grass", cube("snow", 12, 0xeef3f7).drops(Dirt).faces("snow", "snowy_grass_side", "dirt"))
	put(Ice, "Ice", glassy("glass", 12, 0xa6c8f0, 1).drops(Air))
	put(CoalOre, "Coal Ore", cube("stone", 30, 0x5e6064))
	put(IronOre, "Iron Ore", cube("stone", 34, 0x9c8a7c))
	put(GoldOre, "Gold Ore", cube("stone", 38, 0xb3a15c))
	put(CrystalOre, "Crystal Ore", cube("stone", 44, 0x6fb4c4).glows(5))
	put(OakLog, "Oak Log", cube("wood", 24, 0x6f5635).faces("oak_log_top", "oak_log_side", "oak_log_top"))
	put(OakLeaves, "Oak Leaves", leaves(0x4b8030))
	put(BirchLog, "Birch Log", cube("wood", 24, 0xd7d3c6).faces("birch_log_top", "birch_log_side", "birch_log_top"))
	put(BirchLeaves, "Birch Leaves", leaves(0x7da14c))
	put(PineLog, "Pine Log", cube("wood", 24, 0x4c3823).faces("pine_log_top", "pine_log_side", "pine_log_top"))
	put(PineLeaves, "Pine Leaves", leaves(0x335d3e))
	put(OakPlanks, "Oak Planks", cube("wood", 22, 0xa98552))
	put(BirchPlanks, "Birch Planks", cube("wood", 22, 0xcdbb83))
	put(PinePlanks, "Pine Planks", cube("wood", 22, 0x785433))
	put(Bricks, "Bricks", cube("stone", 28, 0x9a5446))
	put(StoneBricks, "Stone Bricks", cube("stone", 28, 0x7b7c7f))
	put(MossyCobblestone, "Mossy Cobblestone", cube("stone", 28, 0x667a58))
	put(Glass, "Glass", glassy("glass", 6, 0xcfe6ee, 0))
	put(Lamp, "Lamp", cube("glass", 6, 0xf6d98a).glows(15))
	put(Torch, "Torch", BlockInfo{
		Class: ClassTorch, Item: true, Light: 14, Drop: Torch, Support: SupportGround, Sound: "wood", Color: 0xf2b650,
	})
	for level := FluidFull; level > 0; level-- {
		put(WaterOf(level), waterTitle(level), BlockInfo{
			Class: ClassFluid, Replaceable: true, Item: level == FluidFull, Hardness: Unbreakable,
			Fluid: uint8(level), Dim: 1, Sound: "water", Color: 0x3a66c4, Side: "water",
		})
	}
	put(TallGrass, "Tall Grass", plant(SupportSoil, 0x6aa63f).drops(Air).yields())
	put(Poppy, "Poppy", plant(SupportSoil, 0xc8342c))
	put(Dandelion, "Dandelion", plant(SupportSoil, 0xf0cf35))
	put(Cornflower, "Cornflower", plant(SupportSoil, 0x4d6fd6))
	put(DeadBush, "Dead Bush", plant(SupportSand, 0x8a6a3b).drops(Air).yields())
	put(Cactus, "Cactus", BlockInfo{
		Class: ClassCactus, Solid: true, Item: true, Hardness: 8, Drop: Cactus, Tall: fixed.One,
		Support: SupportSand, Sound: "cloth", Top: "cactus_top", Side: "cactus_side", Bottom: "cactus_top", Color: 0x4f8a3a,
	})
	put(RedMushroom, "Red Mushroom", plant(SupportDark, 0xb9352f))
	put(BrownMushroom, "Brown Mushroom", plant(SupportDark, 0x8f6d51).glows(1))
	put(Reeds, "Reeds", plant(SupportShore, 0x86b35c))
	put(WhiteWool, "White Wool", cube("cloth", 12, 0xe8e8e6))
	put(RedWool, "Red Wool", cube("cloth", 12, 0xb0332f))
	put(OrangeWool, "Orange Wool", cube("cloth", 12, 0xdf7b28))
	put(YellowWool, "Yellow Wool", cube("cloth", 12, 0xe8c233))
	put(GreenWool, "Green Wool", cube("cloth", 12, 0x5c9a34))
	put(CyanWool, "Cyan Wool", cube("cloth", 12, 0x2c98a2))
	put(BlueWool, "Blue Wool", cube("cloth", 12, 0x34529f))
	put(PurpleWool, "Purple Wool", cube("cloth", 12, 0x7b3ea5))
	put(BlackWool, "Black Wool", cube("cloth", 12, 0x26262b))
	put(Bookshelf, "Bookshelf", cube("wood", 22, 0x8d6b45).faces("oak_planks", "bookshelf_side", "oak_planks"))
	put(Hay, "Hay", cube("grass", 10, 0xcaa83a).faces("hay_top", "hay_side", "hay_top"))
	put(Pumpkin, "Pumpkin", cube("wood", 16, 0xd0802a).faces("pumpkin_top", "pumpkin_side", "pumpkin_top"))
	put(Lantern, "Lantern", cube("wood", 16, 0xe39a35).glows(15).faces("pumpkin_top", "lantern_side", "pumpkin_top"))
	put(StoneSlab, "Stone Slab", slab("stone", 24, 0x8a8c90, "stone_slab_top", "stone_slab_side"))
	put(OakSlab, "Oak Slab", slab("wood", 20, 0xa98552, "oak_planks", "oak_planks"))
	put(Ladder, "Ladder", BlockInfo{
		Class: ClassLadder, Climbable: true, Item: true, Hardness: 8, Drop: Ladder,
		Support: SupportWall, Sound: "wood", Color: 0xa98552,
	})
	for b := range t {
		if t[b].Drop == dropItself {
			t[b].Drop = Block(b)
		}
	}
	return t
}

// dropItself stands in the table for "drops what it is".
const dropItself = BlockCount

func cube(sound string, hardness int32, color uint32) BlockInfo {
	return BlockInfo{
		Class: ClassCube, Solid: true, Opaque: true, Item: true, Dim: 15,
		Hardness: hardness, Drop: dropItself, Tall: fixed.One, Sound: sound, Color: color,
	}
}

func glassy(sound string, hardness int32, color uint32, dim uint8) BlockInfo {
	b := cube(sound, hardness, color)
	b.Class, b.Opaque, b.Dim = ClassGlass, false, dim
	return b
}

func leaves(color uint32) BlockInfo {
	b := cube("leaves", 4, color)
	b.Class, b.Opaque, b.Dim, b.Drop = ClassCutout, false, 1, Air
	return b
}

func plant(s Support, color uint32) BlockInfo {
	return BlockInfo{Class: ClassCross, Item: true, Drop: dropItself, Support: s, Sound: "grass", Color: color}
}

func slab(sound string, hardness int32, color uint32, top, side string) BlockInfo {
	b := cube(sound, hardness, color).faces(top, side, top)
	b.Class, b.Opaque, b.Dim, b.Tall = ClassSlab, false, 1, fixed.One/2
	return b
}

func (b BlockInfo) drops(d Block) BlockInfo { b.Drop = d; return b }
func (b BlockInfo) falls() BlockInfo        { b.Gravity = true; return b }
func (b BlockInfo) yields() BlockInfo       { b.Replaceable = true; return b }
func (b BlockInfo) glows(l uint8) BlockInfo { b.Light = l; return b }
func (b BlockInfo) faces(top, side, bottom string) BlockInfo {
	b.Top, b.Side, b.Bottom = top, side, bottom
	return b
}

// waterTitle returns "Water" for a source and "Water 5" for a level of 5.
func waterTitle(level int) string {
	if level == FluidFull {
		return "Water"
	}
	return "Water " + string(rune('0'+level))
}

// snake turns a title into a name: "Oak Log" into "oak_log".
func snake(title string) string {
	out := []byte(title)
	for i, c := range out {
		switch {
		case c == ' ':
			out[i] = '_'
		case c >= 'A' && c <= 'Z':
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}
