package world

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// Where and when mobs come into the world. Distances are in metres.
const (
	spawnEvery   = 20 // ticks between two attempts
	spawnAway    = 16 // nobody sees one appear next to them
	stalkerNear  = 48 // stalkers come only where somebody is
	stalkerPeace = 24 // and not this near to the spawn
)

// spawn tries to bring a mob into the region, now and then: two in three are
// sheep, on grass; the others stalkers, at night.
func (mr *mobRules) spawn() {
	if mr.tick%spawnEvery != 0 || len(mr.mobs) >= mr.cfg.Mobs {
		return
	}
	r := rng.New(mr.cfg.Seed, uint64(uint32(mr.pos.X)), uint64(uint32(mr.pos.Z)), mr.tick, 0x50a)
	kind, share := Sheep, (mr.cfg.Mobs*2+2)/3
	if mr.night() && r.OneIn(2) && !mr.cfg.Peaceful {
		kind, share = Stalker, (mr.cfg.Mobs+2)/3
	}
	at, ground, ok := mr.surface(mr.x0+int32(r.Intn(RegionSize)), mr.z0+int32(r.Intn(RegionSize)))
	if !ok || mr.countMobs(kind) >= share || !mr.spawnsOn(kind, at, ground) {
		return
	}
	feet := at.Centre()
	feet.Y -= fixed.One / 2
	mr.mobCount++
	entity := rng.Hash(mr.cfg.Seed, uint64(uint32(mr.pos.X)), uint64(uint32(mr.pos.Z)), mr.mobCount, mr.tick) & (mobBit - 1)
	m := NewMob(entity, kind, feet)
	m.Think = mr.tick + uint64(r.Intn(60))
	mr.AddMob(m)
	mr.changes.Spawned = append(mr.changes.Spawned, m)
}

func (es *entities) countMobs(kind MobKind) (n int) {
	for _, m := range es.mobs {
		if m.Kind == kind {
			n++
		}
	}
	return n
}

// spawnsOn reports whether a kind of mob may appear at a place.
func (mr *mobRules) spawnsOn(kind MobKind, at Pos, ground Block) bool {
	feet := at.Centre()
	if mr.nearestPlayer(feet, spawnAway, anyone) != nil {
		return false
	}
	if kind == Sheep {
		return ground == Grass || ground == SnowyGrass
	}
	dx, dz := at.X-mr.cfg.Spawn.X, at.Z-mr.cfg.Spawn.Z
	quiet := mr.cfg.Protect + stalkerPeace
	if max(abs32(dx), abs32(dz)) < quiet {
		return false
	}
	return mr.nearestPlayer(feet, stalkerNear, isSurvivor) != nil
}

// surface returns the place to stand under the open sky at x and z, and what is
// under it. Trees, water and the like are no place.
func (rb *regionBlocks) surface(x, z int32) (at Pos, ground Block, ok bool) {
	c := rb.columns[Pos{x, 0, z}.Column().Index()]
	if c == nil {
		return Pos{}, Air, false
	}
	y := c.Top(int(x&(ChunkSize-1)), int(z&(ChunkSize-1)))
	for ; y > 0; y-- {
		if ground = c.At(int(x&(ChunkSize-1)), y, int(z&(ChunkSize-1))); Info(ground).Class != pack.Cross {
			break
		}
	}
	at = Pos{x, int32(y) + 1, z}
	return at, ground, y > 0 && Info(ground).Class == pack.Cube && rb.standAt(at)
}
