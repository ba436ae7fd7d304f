package world

// Block is an entry of the block table: a kind of block together with its state
// (a water level, a direction). Air, Stone, Grass and Dirt keep the ids of the
// dissertation's table 3.2. Ids are part of the file and wire formats: new
// blocks go to the end.
type Block uint16

//go:generate go run ./blockgen -o ../../../web/src/gen/blocks.ts

// The block table.
const (
	Air Block = iota
	Stone
	Grass
	Dirt
	Cobblestone
	Sand
	Gravel
	Sandstone
	Clay
	Bedrock
	Snow
	SnowyGrass
	Ice
	CoalOre
	IronOre
	GoldOre
	CrystalOre
	OakLog
	OakLeaves
	BirchLog
	BirchLeaves
	PineLog
	PineLeaves
	OakPlanks
	BirchPlanks
	PinePlanks
	Bricks
	StoneBricks
	MossyCobblestone
	Glass
	Lamp
	Torch
	Water  // a source: level 8
	Water7 // flowing water, 7 down to 1 eighths high
	Water6
	Water5
	Water4
	Water3
	Water2
	Water1
	TallGrass
	Poppy
	Dandelion
	Cornflower
	DeadBush
	Cactus
	RedMushroom
	BrownMushroom
	Reeds
	WhiteWool
	RedWool
	OrangeWool
	YellowWool
	GreenWool
	CyanWool
	BlueWool
	PurpleWool
	BlackWool
	Bookshelf
	Hay
	Pumpkin
	Lantern // a carved pumpkin with a light in it
	StoneSlab
	OakSlab
	Ladder // climbable
	BlockCount
)
