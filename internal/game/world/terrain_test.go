package world_test

import (
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

func init() {
	world.Generator = func(seed uint64) (world.Pos, func(world.ColumnPos) *world.Column) {
		g := terrain.New(seed)
		return g.Spawn(), g.Column
	}
}
