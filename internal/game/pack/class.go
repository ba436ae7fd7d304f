package pack

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
)

// Class is how a block is built: what a mesher draws and a body bumps into.
type Class uint8

// The classes.
const (
	Air       Class = iota
	Cube            // a full cube
	Cutout          // a full cube with holes in its faces (leaves)
	Glass           // a full cube that is seen through (glass, ice)
	Cross           // two crossed quads (plants)
	Fluid           // water; its height follows its level
	Torch           // a thin post on the ground
	Slab            // the lower half of a cube
	Ladder          // a flat quad on whichever neighbour is solid
	Cactus          // a cube whose sides are one sixteenth further in
	Door            // a panel, two blocks high, that opens: eight blocks, see Block.Door
	Trapdoor        // a lid at the top of its cell that opens: four blocks
	Gate            // a part of a fence that opens: four blocks
	Fence           // a post, and rails to what stands beside it
	Bed             // two blocks side by side: eight blocks, see Block.Bed
	UpperSlab       // the upper half of a cube: see Block.Upper
	Stairs          // a slab and half of another: eight blocks, see Block.Facing
	Sign            // a board with a text: eight blocks, see Block.Facing
	Thing           // no block: something that is carried and cannot be placed
	classCount
)

var classNames = [classCount]string{
	"air", "cube", "cutout", "glass", "cross", "fluid", "torch", "slab", "ladder", "cactus", "door", "trapdoor", "gate", "fence", "bed", "upper_slab", "stairs", "sign", "thing",
}

func (c Class) String() string { return classNames[c] }

// blockClasses are the classes that a block can have.
var blockClasses = classNames[:Thing]

func classOf(name string) Class { return Class(slices.Index(classNames[:], name)) }

// shapes are how high the box of a class is that bodies bump into, and how much
// light it takes if the block does not say.
var shapes = [classCount]struct {
	tall fixed.Num
	dim  uint8
}{
	Cube: {fixed.One, 15}, Cutout: {fixed.One, 1}, Glass: {fixed.One, 0}, Cactus: {fixed.One, 0},
	Fence: {fixed.One, 0}, Slab: {fixed.One / 2, 1}, Bed: {fixed.One * 9 / 16, 0}, Fluid: {0, 1},
	UpperSlab: {fixed.One, 1}, Stairs: {fixed.One, 1},
}

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
	SupportField          // a fertile block below
	supportCount
)

var supportNames = [supportCount]string{"none", "ground", "soil", "sand", "shore", "dark", "wall", "field"}

func (s Support) String() string { return supportNames[s] }

func supportOf(name string) Support { return Support(slices.Index(supportNames[:], name)) }

// Sounds are the sets of sounds that the client makes.
var Sounds = []string{"stone", "dirt", "grass", "sand", "gravel", "wood", "leaves", "glass", "snow", "cloth", "water"}
