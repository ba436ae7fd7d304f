package world

import (
	"iter"

	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// BlockInfo is what the rules and the client know about a block: its entry in the
// content (package pack) with ids that are Blocks.
type BlockInfo struct {
	pack.Block
	ID   Block
	Drop Block // what is left when it is broken; Air: nothing
}

// Info returns the entry of b in the block table. A block that is not in the
// table reads as something solid that cannot be broken.
func Info(b Block) *BlockInfo {
	if b >= BlockLimit {
		return &unknownBlock
	}
	return &blockTable[b]
}

// Known reports whether b is in the block table.
func (b Block) Known() bool { return Info(b).ID == b }

// AllBlocks are the blocks of the table, by id.
func AllBlocks() iter.Seq[Block] {
	return func(yield func(Block) bool) {
		for b := range BlockLimit {
			if b.Known() && !yield(b) {
				return
			}
		}
	}
}

// Solid reports whether bodies bump into b.
func (b Block) Solid() bool { return Info(b).Solid }

// Opaque reports whether b hides faces of its neighbours and stops light.
func (b Block) Opaque() bool { return Info(b).Opaque }

// Replaceable reports whether another block can be placed into b.
func (b Block) Replaceable() bool { return Info(b).Replaceable }

func (b Block) String() string { return Info(b).Name }

// BlockByName finds a block by its snake_case name.
func BlockByName(name string) (Block, bool) {
	for b := range AllBlocks() {
		if Info(b).Name == name {
			return b, true
		}
	}
	return Air, false
}

// FluidFull is the level of a source.
const FluidFull = 8

// IsWater reports whether b is water, still or flowing.
func (b Block) IsWater() bool { return b >= Water && b <= Water1 }

// IsLava reports whether b is lava, still or flowing.
func (b Block) IsLava() bool { return b >= Lava && b <= Lava2 }

// FluidLevel returns 8 for a source, 7 to 1 for what flows and 0 for
// everything else.
func (b Block) FluidLevel() int { return int(Info(b).Fluid) }

// WaterOf returns the water of a level: 8 is a source, 0 and below is Air.
func WaterOf(level int) Block { return fluids[0].of(level) }
