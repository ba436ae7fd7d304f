package world

// Recipe makes Out of In. Its number is its place in Recipes: new ones go to the
// end.
type Recipe struct {
	Out Stack
	In  []Stack
}

// Recipes is what players can craft, anywhere and at once.
var Recipes = []Recipe{
	{Stack{OakPlanks, 4}, []Stack{{OakLog, 1}}},
	{Stack{BirchPlanks, 4}, []Stack{{BirchLog, 1}}},
	{Stack{PinePlanks, 4}, []Stack{{PineLog, 1}}},
	{Stack{Torch, 4}, []Stack{{CoalOre, 1}}},
	{Stack{Ladder, 4}, []Stack{{OakPlanks, 2}}},
	{Stack{Ladder, 4}, []Stack{{BirchPlanks, 2}}},
	{Stack{Ladder, 4}, []Stack{{PinePlanks, 2}}},
	{Stack{OakSlab, 2}, []Stack{{OakPlanks, 1}}},
	{Stack{StoneSlab, 2}, []Stack{{Cobblestone, 1}}},
	{Stack{Stone, 8}, []Stack{{Cobblestone, 8}, {CoalOre, 1}}},
	{Stack{StoneBricks, 4}, []Stack{{Stone, 4}}},
	{Stack{MossyCobblestone, 4}, []Stack{{Cobblestone, 4}, {Reeds, 1}}},
	{Stack{Bricks, 4}, []Stack{{Clay, 4}}},
	{Stack{Glass, 1}, []Stack{{Sand, 1}}},
	{Stack{Sandstone, 1}, []Stack{{Sand, 2}}},
	{Stack{Gravel, 2}, []Stack{{Cobblestone, 1}, {Sand, 1}}},
	{Stack{Lamp, 4}, []Stack{{Glass, 4}, {GoldOre, 1}}},
	{Stack{Lamp, 8}, []Stack{{Glass, 8}, {CrystalOre, 1}}},
	{Stack{Lantern, 1}, []Stack{{Pumpkin, 1}, {Torch, 1}}},
	{Stack{Bookshelf, 1}, []Stack{{OakPlanks, 4}, {Reeds, 3}}},
	{Stack{Hay, 1}, []Stack{{Reeds, 4}}},
	{Stack{RedWool, 1}, []Stack{{WhiteWool, 1}, {Poppy, 1}}},
	{Stack{YellowWool, 1}, []Stack{{WhiteWool, 1}, {Dandelion, 1}}},
	{Stack{BlueWool, 1}, []Stack{{WhiteWool, 1}, {Cornflower, 1}}},
	{Stack{GreenWool, 1}, []Stack{{WhiteWool, 1}, {Cactus, 1}}},
	{Stack{OrangeWool, 2}, []Stack{{RedWool, 1}, {YellowWool, 1}}},
	{Stack{CyanWool, 2}, []Stack{{BlueWool, 1}, {GreenWool, 1}}},
	{Stack{PurpleWool, 2}, []Stack{{RedWool, 1}, {BlueWool, 1}}},
	{Stack{BlackWool, 4}, []Stack{{WhiteWool, 4}, {CoalOre, 1}}},
}

// maxCraft bounds how many times a recipe is made at once.
const maxCraft = 64

// Craft makes a recipe a number of times, all or nothing. It returns a bit for
// each slot that changed; ok is false if something is missing or finds no room.
func (v *Inventory) Craft(r *Recipe, times int) (changed uint64, ok bool) {
	next := *v
	for _, in := range r.In {
		bits, enough := next.Take(in.Block, int(in.Count)*times)
		if !enough {
			return 0, false
		}
		changed |= bits
	}
	left, bits := next.Add(r.Out.Block, int(r.Out.Count)*times)
	if left > 0 {
		return 0, false
	}
	*v = next
	return changed | bits, true
}
