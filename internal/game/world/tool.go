package world

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// Tools and armour. The count of such a stack is its condition: MaxStack for a new one, and
// fewer the more it is worn. So saves, messages and what the storage counts know tools
// as any other stack, and nobody can make one whole by moving it about. Stacks of tools
// are not split; two worn ones of a kind that are put together are one that lasts as
// long as both.

// Lasts reports whether b is a tool or armour: its count is its condition.
func (b Block) Lasts() bool { return Info(b).Lasts() > 0 }

// Placeable reports whether b can be put into the world.
func (b Block) Placeable() bool { return Info(b.Carried()).Item && Info(b).Class != pack.Thing }

// whole returns how much n of b are in a slot: what is worn out is counted by its condition.
func whole(b Block, n int) int {
	if b.Lasts() {
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

// wear wears the tool in a player's hand by a block that it has broken or tilled, a blow or
// a shot.
func (pr *playerRules) wear(p *Player, at Pos) {
	tool := Info(p.Held()).Tool
	if tool.Kind == "" || p.Mode == Creative {
		return
	}
	dice := rng.Hash(pr.cfg.Seed, uint64(uint32(at.X)), uint64(uint32(at.Y)), uint64(uint32(at.Z)), pr.tick, p.Entity)
	p.wearAt(int(p.Selected), tool.Uses, dice)
	if p.Held() == Air {
		p.dirty |= dirtyHeld
	}
}

// wearAt wears what is in a slot by MaxStack/uses, rounded so that it comes out even over
// many times.
func (p *Player) wearAt(slot int, uses uint16, dice uint64) {
	n := uint64(uses)
	if by := (MaxStack + dice%n) / n; by > 0 {
		p.Items.takeAt(slot, int(by))
		p.slots |= 1 << slot
	}
}
