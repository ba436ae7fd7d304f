package world

import (
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// BlockLimit is above all ids of blocks. Those that no pack defines are unknown.
const BlockLimit Block = pack.MaxBlocks

// The tables of a process are those of the base pack until UseContent. They are variables of
// the package, since everything that reads a block reads them: simulators run many nodes in
// one process, but all of one world.

// blockTable is indexed by Block.
var blockTable = buildTable(pack.Base())

var unknownBlock = BlockInfo{ID: math.MaxUint16, Block: pack.Block{
	Name: "unknown", Title: "Unknown", Class: pack.Cube, Solid: true, Opaque: true,
	Dim: 15, Hardness: pack.Unbreakable, Tall: fixed.One, Sound: "stone",
	Top: "unknown", Side: "unknown", Bottom: "unknown", Color: 0xff00ff,
}}

func buildTable(c *pack.Content) (t [BlockLimit]BlockInfo) {
	for i := range t {
		t[i] = unknownBlock
		if i < len(c.Blocks) && c.Blocks[i].Name != "" {
			t[i] = BlockInfo{Block: c.Blocks[i], ID: Block(i), Drop: Block(c.Blocks[i].Leaves)}
		}
	}
	return t
}

// UseContent makes the rules those of a world's packs. It must be called before anything is
// simulated or decoded, and once only: it takes no care of who reads the tables meanwhile.
func UseContent(c *pack.Content) {
	blockTable = buildTable(c)
	mobTable = buildMobs(c)
	Recipes = recipesOf(c)
	isBucket, carriedAs, solids, smelting = emptyBuckets(), carriedBlocks(), solidParts(), smeltingOf(Recipes)
	counted = countedBlocks()
}
