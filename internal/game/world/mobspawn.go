package world

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// Where and when mobs come into the world. Distances are in metres.
const (
	spawnEvery   = 20 // ticks between two attempts
	spawnAway    = 16 // nobody sees one appear next to them
	monsterNear  = 48 // monsters come only where somebody is
	monsterPeace = 24 // and not this near to the spawn
	lampReach    = 7  // nor to a lamp
	caveDeep     = 6  // blocks under the surface
)

// spawn tries to bring a mob into the region, now and then: two in three are animals, the
// others monsters. Which kind is chosen by the shares of the pack.
func (mr *mobRules) spawn() {
	if mr.tick%spawnEvery != 0 || len(mr.mobs) >= mr.cfg.Mobs {
		return
	}
	r := rng.New(mr.cfg.Seed, uint64(uint32(mr.pos.X)), uint64(uint32(mr.pos.Z)), mr.tick, 0x50a)
	monster, most := false, (mr.cfg.Mobs*2+2)/3
	if r.OneIn(2) {
		monster, most = true, (mr.cfg.Mobs+2)/3
	}
	if monster && mr.cfg.Peaceful || mr.countMobs(monster) >= most {
		return
	}
	kind := drawKind(&r, monster)
	at, ground, ok := mr.spawnSpot(mobTable[kind].Spawns.Where, &r)
	if !ok || !mr.spawnsOn(kind, at, ground) {
		return
	}
	feet := at.Centre()
	feet.Y -= fixed.One / 2
	mr.bring(kind, feet).Think = mr.tick + uint64(r.Intn(60))
}

// bring puts a new mob into the region.
func (mr *mobRules) bring(kind MobKind, feet Vec) *Mob {
	mr.mobCount++
	entity := rng.Hash(mr.cfg.Seed, uint64(uint32(mr.pos.X)), uint64(uint32(mr.pos.Z)), mr.mobCount, mr.tick) & (mobBit - 1)
	m := NewMob(entity, kind, feet)
	mr.AddMob(m)
	mr.changes.Spawned = append(mr.changes.Spawned, m)
	return m
}

// drawKind draws an animal or a monster by the shares of the pack.
func drawKind(r *rng.Rand, monster bool) MobKind {
	all := 0
	for i := range mobTable {
		if mobTable[i].Monster() == monster {
			all += int(mobTable[i].Spawns.Share)
		}
	}
	at := r.Intn(max(all, 1))
	for i := range mobTable {
		if mobTable[i].Monster() != monster {
			continue
		}
		if at -= int(mobTable[i].Spawns.Share); at < 0 {
			return MobKind(i)
		}
	}
	return 0
}

func (es *entities) countMobs(monster bool) (n int) {
	for _, m := range es.mobs {
		if m.info().Monster() == monster {
			n++
		}
	}
	return n
}

// spawnsOn reports whether a kind of mob may appear at a place now.
func (mr *mobRules) spawnsOn(kind MobKind, at Pos, ground Block) bool {
	in := &mobTable[kind]
	feet := at.Centre()
	if !mr.isTime(in.Spawns.When) || mr.nearestPlayer(feet, spawnAway, anyone) != nil ||
		len(in.Spawns.On) > 0 && !slices.Contains(in.Spawns.On, uint16(ground)) {
		return false
	}
	if !in.Monster() {
		return true
	}
	if spawnDistance(at, mr.Spawn()) < mr.cfg.Protect+monsterPeace {
		return false
	}
	return mr.nearestPlayer(feet, monsterNear, isSurvivor) != nil && !mr.lamplit(at)
}

// lamplit reports whether something that gives light is near a place.
func (rb *regionBlocks) lamplit(at Pos) bool {
	for y := int32(-lampReach); y <= lampReach; y++ {
		for z := int32(-lampReach); z <= lampReach; z++ {
			for x := int32(-lampReach); x <= lampReach; x++ {
				if b, ok := rb.Block(at.Add(x, y, z)); ok && Info(b).Light > 0 {
					return true
				}
			}
		}
	}
	return false
}

// spawnSpot draws a place to appear, and what is under it.
func (mr *mobRules) spawnSpot(where pack.Where, r *rng.Rand) (at Pos, ground Block, ok bool) {
	x, z := mr.x0+int32(r.Intn(RegionSize)), mr.z0+int32(r.Intn(RegionSize))
	switch where {
	case pack.InWater:
		return mr.waterSpot(x, z, r)
	case pack.InCave:
		return mr.caveSpot(x, z, r)
	}
	return mr.surface(x, z)
}

// waterSpot returns a place in water that is at least two blocks deep.
func (rb *regionBlocks) waterSpot(x, z int32, r *rng.Rand) (at Pos, ground Block, ok bool) {
	top, ok := rb.top(x, z)
	at = Pos{x, top - 1 - int32(r.Intn(3)), z}
	here, _ := rb.Block(at)
	above, _ := rb.Block(at.Next(FaceUp))
	ground, _ = rb.Block(at.Next(FaceDown))
	return at, ground, ok && here.IsWater() && above.IsWater()
}

// caveSpot returns the floor under a place below the surface, if that is hollow.
func (rb *regionBlocks) caveSpot(x, z int32, r *rng.Rand) (at Pos, ground Block, ok bool) {
	top, ok := rb.top(x, z)
	if !ok || top <= caveDeep+1 {
		return Pos{}, Air, false
	}
	at = Pos{x, 1 + int32(r.Intn(int(top)-caveDeep)), z}
	for at.Y > 1 && rb.passable(at.Next(FaceDown)) && rb.passable(at) {
		at.Y--
	}
	ground, _ = rb.Block(at.Next(FaceDown))
	return at, ground, rb.standAt(at) && !ground.IsWater()
}

// top returns the height of the highest block of the region at x and z.
func (rb *regionBlocks) top(x, z int32) (y int32, ok bool) {
	c := rb.Column(Pos{x, 0, z}.Column().Index())
	if c == nil {
		return 0, false
	}
	return int32(c.Top(int(x&(ChunkSize-1)), int(z&(ChunkSize-1)))), true
}

// surface returns the place to stand under the open sky at x and z, and what is
// under it. Trees, water and the like are no place.
func (rb *regionBlocks) surface(x, z int32) (at Pos, ground Block, ok bool) {
	y, ok := rb.top(x, z)
	if !ok {
		return Pos{}, Air, false
	}
	for ; y > 0; y-- {
		if ground, _ = rb.Block(Pos{x, y, z}); Info(ground).Class != pack.Cross {
			break
		}
	}
	at = Pos{x, y + 1, z}
	return at, ground, y > 0 && Info(ground).Class == pack.Cube && rb.standAt(at)
}
