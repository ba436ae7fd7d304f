package world

import (
	"slices"
)

// AreaConfig is what an Area needs to know of its world.
type AreaConfig struct {
	Seed    uint64
	Spawn   Pos   // the block that players stand in when they come back to life, until SetSpawn
	Protect int32 // nobody but operators builds this near (in x and in z) the spawn; 0: no protection
	Mobs    int   // how many mobs live in a region at most
	Peace   bool  // players cannot hurt each other

	Static   bool // no trees grow, the first spawn stays protected: a storage compares what stands here
	Peaceful bool // no monsters come, and nobody gets hungry
	Drops    bool // who dies leaves what it carried where it died

	// OwnItems lets players pick up only what they have dropped themselves: a
	// storage that counts what each has won does not know of gifts.
	OwnItems bool
}

// Area is the state of one region and the rules by which it changes: its 16
// columns, players, mobs, items and scheduled block ticks. Tick is one step of 1/20 s.
//
// It is deterministic: the same columns, players, mobs and commands give the
// same Digest and the same Changes. Nothing in it may be changed but through
// its methods. Players, mobs and items are kept sorted by id.
//
// Handles are small numbers, unique among the players, mobs and items in the area at
// one time and used again later; they are not part of the state.
type Area struct {
	*state
	playerRules
	mobRules
	itemRules
	blockRules
	sorted []*Command
}

// Zone is a box of blocks, both corners inside.
type Zone struct{ Min, Max Pos }

// ZoneBetween is the box with two blocks at opposite corners.
func ZoneBetween(a, b Pos) Zone {
	return Zone{
		Min: Pos{X: min(a.X, b.X), Y: min(a.Y, b.Y), Z: min(a.Z, b.Z)},
		Max: Pos{X: max(a.X, b.X), Y: max(a.Y, b.Y), Z: max(a.Z, b.Z)},
	}
}

// Holds reports whether p lies in the zone.
func (z Zone) Holds(p Pos) bool {
	return p.X >= z.Min.X && p.X <= z.Max.X && p.Y >= z.Min.Y && p.Y <= z.Max.Y && p.Z >= z.Min.Z && p.Z <= z.Max.Z
}

// NewArea returns a region without columns. Blocks of other regions are read
// from outside, which may be nil.
func NewArea(cfg AreaConfig, pos RegionPos, outside Blocks) *Area {
	st := &state{cfg: cfg, spawn: cfg.Spawn, regionBlocks: newRegionBlocks(pos, outside)}
	st.containers = containers{}
	st.entities = newEntities(&st.regionBlocks, &st.clock)
	st.blockSchedule = blockSchedule{blocks: &st.regionBlocks, clock: &st.clock, seed: cfg.Seed, updates: newUpdates()}
	a := &Area{state: st}
	a.itemRules = itemRules{st, &a.playerRules, &a.mobRules}
	a.blockRules = blockRules{state: st, itemRules: &a.itemRules}
	a.mobRules = mobRules{state: st, playerRules: &a.playerRules, itemRules: &a.itemRules, paths: pathfinder{blocks: &st.regionBlocks}}
	a.playerRules = playerRules{st, &a.blockRules, &a.mobRules, &a.itemRules}
	return a
}

// SetTimeOffset sets what is added to the tick for the time of day.
func (c *clock) SetTimeOffset(ticks int64) { c.offset = ticks }

// SetZones sets where only operators build, besides around the spawn.
func (st *state) SetZones(zones []Zone) { st.zones = slices.Clone(zones) }

// set changes a block of the region and says so in the changes.
func (st *state) set(p Pos, b Block) {
	if !st.owns(p) {
		return
	}
	i := p.Column().Index()
	c := st.Column(i)
	if c == nil {
		return
	}
	x, z := int(p.X&(ChunkSize-1)), int(p.Z&(ChunkSize-1))
	was := c.At(x, int(p.Y), z)
	if was == b {
		return
	}
	c.Set(x, int(p.Y), z, b)
	st.frozen[i] = nil
	if was.IsSign() && st.containers[p] != nil {
		st.putContents(p, nil)
	}
	st.changes.Blocks = append(st.changes.Blocks, BlockChange{p, was, b})
	if !st.actor.IsZero() {
		st.changes.Edits = append(st.changes.Edits, Edit{BlockChange{p, was, b}, st.actor, st.undoes})
	}
	st.touch(p)
}
