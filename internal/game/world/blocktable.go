package world

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// blockTable is indexed by Block: the blocks of the base pack.
var blockTable = buildTable(pack.Base())

var unknownBlock = BlockInfo{ID: BlockCount, Block: pack.Block{
	Name: "unknown", Title: "Unknown", Class: pack.Cube, Solid: true, Opaque: true,
	Dim: 15, Hardness: pack.Unbreakable, Tall: fixed.One, Sound: "stone",
	Top: "unknown", Side: "unknown", Bottom: "unknown", Color: 0xff00ff,
}}

func buildTable(c *pack.Content) (t [BlockCount]BlockInfo) {
	for i, b := range c.Blocks {
		t[i] = BlockInfo{Block: b, ID: Block(i), Drop: Block(b.Leaves)}
	}
	return t
}
