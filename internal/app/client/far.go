package client

import (
	"sync"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

// farTiles bounds the far tiles that a node keeps: all that a few dozen
// players see around them.
const farTiles = 4096

// farCache makes the far tile of a region once for all sessions. Far terrain
// is as the generator made it: what players built is seen from nearer.
type farCache struct {
	gen *terrain.Generator

	mu     sync.Mutex
	packer wire.Packer
	known  map[world.RegionPos][]byte
}

// message returns the encoded FarTile message of a region.
func (c *farCache) message(r world.RegionPos) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if msg := c.known[r]; msg != nil {
		return msg
	}
	if len(c.known) >= farTiles {
		clear(c.known) // rare, and any of them is made again in a millisecond
	}
	tile := c.gen.Far(r)
	msg := wire.Encode(c.packer.FarTile(&tile))
	c.known[r] = msg
	return msg
}
