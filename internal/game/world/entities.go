package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/id"

// entities are the players, mobs and items in a region. They know nothing of
// what these do.
type entities struct {
	blocks *regionBlocks // where the region is
	clock  *clock

	players  []*Player // sorted by id
	byID     map[id.ID]*Player
	byEntity map[uint64]*Player
	mobs     []*Mob  // sorted by entity
	items    []*Item // sorted by entity
	mobCount uint64  // mobs ever spawned here: their entities come from it
	handles  handles
	near     grid
}

func newEntities(blocks *regionBlocks, c *clock) entities {
	return entities{blocks: blocks, clock: c, byID: map[id.ID]*Player{}, byEntity: map[uint64]*Player{}}
}
