package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// spawnSpread is how far from the spawn (in x and in z) newcomers stand, so that
// they do not all stand in each other.
const spawnSpread = 5

// spawnPlace returns where a newcomer stands: near the spawn, on something
// solid, with room above, never the same place for all. All columns are there.
func spawnPlace(area *regionlog.Area, cfg *Config, player id.ID) world.Vec {
	parts := [2]uint64{}
	for i, b := range player[:16] {
		parts[i/8] = parts[i/8]<<8 | uint64(b)
	}
	g := rng.New(parts[0], parts[1])
	spawn := cfg.spawn()
	for range 24 {
		dx, dz := int32(g.Intn(2*spawnSpread+1)-spawnSpread), int32(g.Intn(2*spawnSpread+1)-spawnSpread)
		for _, dy := range []int32{0, 1, -1, 2, -2} {
			if p := spawn.Add(dx, dy, dz); p.Region() == cfg.Pos && standable(area, p) {
				return feet(p)
			}
		}
	}
	return feet(spawn)
}

// standable reports whether somebody can stand in the block p of an area.
func standable(area *regionlog.Area, p world.Pos) bool {
	if !p.InWorld() {
		return false
	}
	under, _ := area.Block(p.Add(0, -1, 0))
	here, _ := area.Block(p)
	above, _ := area.Block(p.Add(0, 1, 0))
	return under.Solid() && under.Opaque() && !here.Solid() && here.FluidLevel() == 0 && !above.Solid() && above.FluidLevel() == 0
}

// feet returns the middle of the bottom of a block.
func feet(p world.Pos) world.Vec {
	v := p.Centre()
	v.Y -= fixed.One / 2
	return v
}
