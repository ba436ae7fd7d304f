package world

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// Tools. The count of a tool's stack is its condition: MaxStack for a new one, and
// fewer the more it is worn. So saves, messages and what the storage counts know tools
// as any other stack, and nobody can make one whole by moving it about. Stacks of tools
// are not split; two worn ones of a kind that are put together are one that lasts as
// long as both.

// IsTool reports whether b is a tool.
func (b Block) IsTool() bool { return Info(b).Tool.Kind != "" }

// Placeable reports whether b can be put into the world.
func (b Block) Placeable() bool { return Info(b).Item && Info(b).Class != pack.Thing }

// whole returns how much n of b are in a slot: tools are counted by their condition.
func whole(b Block, n int) int {
	if b.IsTool() {
		return n * MaxStack
	}
	return n
}

// Harvest returns what is left of a block that is broken with something in the hand;
// Air: nothing.
func Harvest(b, held Block) Block {
	in, tool := Info(b), Info(held).Tool
	if in.Dig.Level > 0 && (tool.Kind != in.Dig.Kind || tool.Level < in.Dig.Level) {
		return Air
	}
	return in.Drop
}

// wear wears the tool in a player's hand by a block that it has broken or tilled: by
// MaxStack/Uses, rounded so that it comes out even over many blocks.
func (pr *playerRules) wear(p *Player, at Pos) {
	tool := Info(p.Held()).Tool
	if tool.Kind == "" || p.Mode == Creative {
		return
	}
	uses := uint64(tool.Uses)
	dice := rng.Hash(pr.cfg.Seed, uint64(uint32(at.X)), uint64(uint32(at.Y)), uint64(uint32(at.Z)), pr.tick, p.Entity)
	if by := (MaxStack + dice%uses) / uses; by > 0 {
		p.Items.takeAt(int(p.Selected), int(by))
		p.slots |= 1 << p.Selected
		if p.Held() == Air {
			p.dirty |= dirtyHeld
		}
	}
}
