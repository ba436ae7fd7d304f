package world

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// Block ticks: what blocks do by themselves after something beside them has
// changed. Terrain that nobody touches never changes.
const (
	fallDelay    = 2
	supportDelay = 1
	growMin      = 400  // ticks for grass to spread or die, at least
	growSpread   = 1600 // and by how many the places differ

	updateBudget = 256 // block ticks run in one tick
	pickupRange  = 8   // metres within which somebody gets what drops by itself
)

// blockSchedule holds the block ticks to come, and decides when a block gets one.
type blockSchedule struct {
	blocks  *regionBlocks
	clock   *clock
	seed    uint64
	updates updates
}

// NoteOutside tells the area that a block next to the region has changed.
func (s *blockSchedule) NoteOutside(p Pos) { s.touch(p) }

// touch schedules what a change at p may concern: the block and its six
// neighbours.
func (s *blockSchedule) touch(p Pos) {
	s.schedule(p)
	for f := range faceCount {
		s.schedule(p.Next(f))
	}
}

// schedule gives a block of the region a tick if its surroundings make it do
// something.
func (s *blockSchedule) schedule(p Pos) {
	if !s.blocks.owns(p) {
		return
	}
	b, ok := s.blocks.Block(p)
	if !ok {
		return
	}
	if delay := s.delay(p, b); delay > 0 {
		s.updates.add(p, s.clock.tick+delay)
	}
}

// delay returns after how many ticks a block is to be looked at; 0 for never.
func (s *blockSchedule) delay(p Pos, b Block) uint64 {
	in := Info(b)
	switch {
	case in.Fire > 0:
		return s.fireDelay(p, b)
	case in.Flammable > 0 && s.blocks.heated(p) > 0:
		return s.catchDelay(p, b)
	case in.Gravity:
		if under, ok := s.blocks.Block(p.Next(FaceDown)); ok && under.Replaceable() {
			return fallDelay
		}
	case in.Support != pack.SupportNone && !supported(s.blocks, p, b):
		return supportDelay
	case in.Grows.Ticks > 0:
		return s.growsIn(p, b)
	case in.Replaceable:
		if now, delay := s.blocks.flowsInto(p, b); now != b {
			return delay
		}
	case b == Grass || b == Dirt:
		if s.blocks.growsInto(p, b) != b {
			return growMin + rng.Hash(s.seed, uint64(p.X), uint64(p.Y), uint64(p.Z), s.clock.tick)%growSpread
		}
	}
	return 0
}

// blockTicks runs what is due, as much as the budget allows. The rest stays.
func (br *blockRules) blockTicks() {
	br.caught = 0
	for range updateBudget {
		p, ok := br.updates.next(br.tick)
		if !ok {
			return
		}
		if b, ok := br.Block(p); ok {
			br.blockTick(p, b)
		}
	}
}

func (br *blockRules) blockTick(p Pos, b Block) {
	in := Info(b)
	switch {
	case in.Fire > 0:
		br.burnOut(p, b)
	case in.Flammable > 0 && br.heated(p) > 0:
		br.catchFire(p)
	case in.Grows.Ticks > 0 && supported(&br.regionBlocks, p, b):
		if in.Grows.Into != 0 {
			br.growCrop(p, b)
		} else {
			br.growTree(p, b)
		}
	case in.Smelts > 0:
		if c := br.Contents(p); c != nil {
			br.putContents(p, c)
		}
	case in.Gravity:
		br.drop(p, b)
	case in.Support != pack.SupportNone && !supported(&br.regionBlocks, p, b):
		br.topple(p, b)
	case in.Replaceable:
		if now, _ := br.flowsInto(p, b); now != b {
			br.set(p, now)
		}
	case b == Grass || b == Dirt:
		if now := br.growsInto(p, b); now != b {
			br.set(p, now)
			br.grownHere(p)
		}
	}
}

// drop lets sand or gravel fall to where it lies.
func (br *blockRules) drop(p Pos, b Block) {
	low := p
	for low.Y > 0 {
		if under, ok := br.Block(low.Next(FaceDown)); !ok || !under.Replaceable() {
			break
		}
		low.Y--
	}
	if low != p {
		br.set(low, b)
		br.set(p, Air)
	}
}

// topple takes away a block that has lost what it stood on; the nearest player
// gets what is left of it.
func (br *blockRules) topple(p Pos, b Block) {
	br.set(p, Air)
	if left := Info(b).Drop; left != Air {
		if who := br.nearestPlayer(p.Centre(), pickupRange, isSurvivor); who != nil {
			br.give(who, left, 1)
		}
	}
}

func isSurvivor(p *Player) bool { return p.Mode == Survival && !p.Dead() && !p.Frozen }

// growsInto returns what becomes of grass or dirt in time: grass under
// something opaque or under water dies, dirt in the light beside grass grows
// over.
func (rb *regionBlocks) growsInto(p Pos, b Block) Block {
	above, ok := rb.Block(p.Next(FaceUp))
	dark := above.Opaque() || above.FluidLevel() > 0
	switch {
	case !ok || dark == (b == Dirt):
		return b
	case b == Grass:
		return Dirt
	}
	for dy := int32(-1); dy <= 1; dy++ {
		for dz := int32(-1); dz <= 1; dz++ {
			for dx := int32(-1); dx <= 1; dx++ {
				if near, _ := rb.Block(p.Add(dx, dy, dz)); near == Grass {
					return Grass
				}
			}
		}
	}
	return Dirt
}

// grownHere schedules the dirt around, also across edges, for grass to go on.
func (s *blockSchedule) grownHere(p Pos) {
	for dy := int32(-1); dy <= 1; dy++ {
		for dz := int32(-1); dz <= 1; dz++ {
			for dx := int32(-1); dx <= 1; dx++ {
				if b, _ := s.blocks.Block(p.Add(dx, dy, dz)); b == Dirt {
					s.schedule(p.Add(dx, dy, dz))
				}
			}
		}
	}
}
