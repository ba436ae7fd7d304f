package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Where things are, seen from regions.

// adjacent reports whether two regions touch.
func adjacent(a, b world.RegionPos) bool {
	dx, dz := int64(a.X)-int64(b.X), int64(a.Z)-int64(b.Z)
	return max(dx, -dx, dz, -dz) == 1
}

// isNeighbour reports whether a logical peer is one of the regions around one.
func isNeighbour(pos world.RegionPos, p machine.Peer) bool {
	n, ok := RegionOf(p)
	return ok && adjacent(n, pos)
}

// distanceTo is how far a place is outside of a region; negative: inside.
func distanceTo(n world.RegionPos, p world.Vec) fixed.Num {
	o := n.Column(0).Origin()
	x, z, size := p.X-fixed.Int(int(o.X)), p.Z-fixed.Int(int(o.Z)), fixed.Int(world.RegionSize)
	return max(-x, x-size, -z, z-size)
}

// keepInside puts a body that nobody took half a metre inside of the border.
func keepInside(n world.RegionPos, b *world.Body) {
	b.Pos = n.Inside(b.Pos)
	b.Vel = world.Vec{}
}

// reachable reports whether a player of a neighbour can reach a block from there.
func reachable(from world.RegionPos, ask *world.Remote) bool {
	return distanceTo(from, ask.Body) <= borderZone && world.InReach(ask.Body, ask.At)
}
