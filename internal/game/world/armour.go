package world

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// Armour. Each piece keeps off some of guardParts parts of what hurts, and is worn by it.
const guardParts = 25

// unguarded is what armour does not help against.
var unguarded = []Cause{ByFall, ByDrowning, ByOrder, ByHunger}

// guard returns what is left of something that hurts, rounded so that it comes out even over
// many blows, and wears the armour.
func (pr *playerRules) guard(p *Player, n int, by Cause) int {
	if slices.Contains(unguarded, by) {
		return n
	}
	guards := 0
	for i, s := range p.Items[Carried:] {
		if s.Count == 0 {
			continue
		}
		in := &Info(s.Block).Armour
		guards += int(in.Guards)
		p.wearAt(Carried+i, in.Uses, rng.Hash(pr.cfg.Seed, p.Entity, pr.tick, uint64(i), 0xa43))
	}
	dice := rng.Hash(pr.cfg.Seed, p.Entity, pr.tick, 0xa44) % guardParts
	return (n*max(guardParts-guards, 1) + int(dice)) / guardParts
}
