package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/fixed"

// Class is how a block is built: what a mesher draws and a body bumps into.
type Class uint8

// The classes.
const (
	ClassAir    Class = iota
	ClassCube         // a full cube
	ClassCutout       // a full cube with holes in its faces (leaves)
	ClassGlass        // a full cube that is seen through (glass, ice)
	ClassCross        // two crossed quads (plants)
	ClassFluid        // water; its height follows its level
	ClassTorch        // a thin post on the ground
	ClassSlab         // the lower half of a cube
	ClassLadder       // a flat quad on whichever neighbour is solid
	ClassCactus       // a cube whose sides are one sixteenth further in
	classCount
)

var classNames = [classCount]string{
	"air", "cube", "cutout", "glass", "cross", "fluid", "torch", "slab", "ladder", "cactus",
}

func (c Class) String() string { return classNames[c] }

// Support is what a block needs underneath or beside it to stay.
type Support uint8

// The kinds of support.
const (
	SupportNone   Support = iota
	SupportGround         // a solid full top below
	SupportSoil           // grass, snowy grass or dirt below
	SupportSand           // sand or its own kind below
	SupportShore          // grass, dirt, sand, clay or its own kind below
	SupportDark           // any opaque cube below
	SupportWall           // a solid cube at one of four sides
	supportCount
)

var supportNames = [supportCount]string{"none", "ground", "soil", "sand", "shore", "dark", "wall"}

func (s Support) String() string { return supportNames[s] }

// Hardness values with a meaning of their own.
const (
	Unbreakable = -1 // no number of ticks is enough
	Instant     = 0  // breaks at once
)

// BlockInfo is what the rules and the client know about a block.
type BlockInfo struct {
	Block Block
	Name  string // stable name: snake_case, unique
	Title string // for people
	Class Class

	Solid       bool // bodies cannot enter its box
	Opaque      bool // hides whole faces of neighbours and stops light
	Replaceable bool // another block can be placed into it
	Gravity     bool // falls when nothing is below
	Climbable   bool
	Item        bool // can be carried: in a slot, by /give, in the creative list

	Light    uint8     // light emitted, 0 to 15
	Dim      uint8     // light lost on the way into it, besides the 1 of each step: 15 for opaque blocks
	Fluid    uint8     // fluid level in eighths: 8 for a source, 0 for what is no fluid
	Hardness int32     // ticks to break by hand; Unbreakable, Instant
	Drop     Block     // what is left when it is broken; Air: nothing
	Tall     fixed.Num // height of the box that bodies bump into; 0 if not Solid
	Support  Support

	Sound             string // sound set: stone, dirt, grass, sand, gravel, wood, leaves, glass, snow, cloth, water
	Top, Side, Bottom string // textures by name
	Color             uint32 // 0xRRGGBB seen from above: maps, far terrain, particles
}

// Info returns the entry of b in the block table. A block that is not in the
// table reads as something solid that cannot be broken.
func Info(b Block) *BlockInfo {
	if b >= BlockCount {
		return &unknownBlock
	}
	return &blockTable[b]
}

// Known reports whether b is in the block table.
func (b Block) Known() bool { return b < BlockCount }

// Solid reports whether bodies bump into b.
func (b Block) Solid() bool { return Info(b).Solid }

// Opaque reports whether b hides faces of its neighbours and stops light.
func (b Block) Opaque() bool { return Info(b).Opaque }

// Replaceable reports whether another block can be placed into b.
func (b Block) Replaceable() bool { return Info(b).Replaceable }

func (b Block) String() string { return Info(b).Name }

// BlockByName finds a block by its snake_case name.
func BlockByName(name string) (Block, bool) {
	for i := range blockTable {
		if blockTable[i].Name == name {
			return Block(i), true
		}
	}
	return Air, false
}

// FluidFull is the level of a source.
const FluidFull = 8

// IsWater reports whether b is water, still or flowing.
func (b Block) IsWater() bool { return b >= Water && b <= Water1 }

// FluidLevel returns 8 for a source, 7 to 1 for flowing water and 0 for
// everything else.
func (b Block) FluidLevel() int {
	if !b.IsWater() {
		return 0
	}
	return FluidFull - int(b-Water)
}

// WaterOf returns the water of a level: 8 is a source, 0 and below is Air.
func WaterOf(level int) Block {
	if level <= 0 {
		return Air
	}
	return Water + Block(FluidFull-min(level, FluidFull))
}
