package world

import (
	"github.com/voxelpopuli/voxelpopuli/internal/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
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
func (a *Area) spawn() {
	if a.tick%spawnEvery != 0 || len(a.mobs) >= a.cfg.Mobs {
		return
	}
	r := rng.New(a.cfg.Seed, uint64(uint32(a.pos.X)), uint64(uint32(a.pos.Z)), a.tick, 0x50a)
	kind, share := Sheep, (a.cfg.Mobs*2+2)/3
	if a.night() && r.OneIn(2) {
		kind, share = Stalker, (a.cfg.Mobs+2)/3
	}
	at, ground, ok := a.surface(a.x0+int32(r.Intn(RegionSize)), a.z0+int32(r.Intn(RegionSize)))
	if !ok || a.countMobs(kind) >= share || !a.spawnsOn(kind, at, ground) {
		return
	}
	feet := at.Centre()
	feet.Y -= fixed.One / 2
	a.mobCount++
	entity := rng.Hash(a.cfg.Seed, uint64(uint32(a.pos.X)), uint64(uint32(a.pos.Z)), a.mobCount, a.tick) & (mobBit - 1)
	m := NewMob(entity, kind, feet)
	m.Think = a.tick + uint64(r.Intn(60))
	a.AddMob(m)
	a.changes.Spawned = append(a.changes.Spawned, m)
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
func (a *Area) spawnsOn(kind MobKind, at Pos, ground Block) bool {
	feet := at.Centre()
	if a.nearestPlayer(feet, spawnAway, anyone) != nil {
		return false
	}
	if kind == Sheep {
		return ground == Grass || ground == SnowyGrass
	}
	dx, dz := at.X-a.cfg.Spawn.X, at.Z-a.cfg.Spawn.Z
	quiet := a.cfg.Protect + stalkerPeace
	if max(abs32(dx), abs32(dz)) < quiet {
		return false
	}
	return a.nearestPlayer(feet, stalkerNear, isSurvivor) != nil
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
		if ground = c.At(int(x&(ChunkSize-1)), y, int(z&(ChunkSize-1))); Info(ground).Class != ClassCross {
			break
		}
	}
	at = Pos{x, int32(y) + 1, z}
	return at, ground, y > 0 && Info(ground).Class == ClassCube && rb.standAt(at)
}
