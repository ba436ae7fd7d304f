package voxelrules

import (
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Places in the storage are in 1/64 m, from the window's lowest corner; x is the
// world's x and y its z. A cell is a region.
const (
	unitBits = 6
	perUnit  = fixed.Shift - unitBits // bits between the world's 1/4096 m and a unit
	cellSide = world.RegionSize << unitBits
)

// World returns the shape of the world (storage.Rules). Objects depend on those
// of the two regions around theirs, in whatever corner of their own they are:
// at most the diagonal of three regions away.
func (r *Rules) World() state.World {
	diagonal := int32(math.Ceil(math.Sqrt2 * 3 * cellSide))
	return state.World{Side: r.cfg.Regions * cellSide, Cell: cellSide, Range: diagonal, Ring: 2}
}

// place returns where a point of the world is in the storage.
func (r *Rules) place(v world.Vec) geom.Point {
	low := fixed.Int(int(-r.cfg.Regions / 2 * world.RegionSize))
	side := r.cfg.Regions * cellSide
	return geom.Point{
		X: max(0, min(int32((v.X-low)>>perUnit), side-1)),
		Y: max(0, min(int32((v.Z-low)>>perUnit), side-1)),
	}
}

func (r *Rules) placeOfBlock(p world.Pos) geom.Point { return r.place(p.Centre()) }

// regionAt returns the region that holds a place.
func (r *Rules) regionAt(p geom.Point) world.RegionPos {
	return world.RegionPos{X: p.X/cellSide - r.cfg.Regions/2, Z: p.Y/cellSide - r.cfg.Regions/2}
}

// RegionOf returns the region that a cell of the storage is.
func (r *Rules) RegionOf(x, y int32) world.RegionPos {
	return world.RegionPos{X: x - r.cfg.Regions/2, Z: y - r.cfg.Regions/2}
}

// Metre returns where a place of the storage is in the world.
func (r *Rules) Metre(p geom.Point) world.Pos {
	low := -r.cfg.Regions / 2 * world.RegionSize
	return world.Pos{X: p.X>>unitBits + low, Z: p.Y>>unitBits + low}
}

// inWindow reports whether a region is of this world.
func (r *Rules) inWindow(p world.RegionPos) bool {
	half := r.cfg.Regions / 2
	return p.X >= -half && p.X < half && p.Z >= -half && p.Z < half
}

// ground returns the place to stand on the terrain at a place of the storage.
func (r *Rules) ground(p geom.Point) world.Vec {
	low := -r.cfg.Regions / 2 * world.RegionSize
	x, z := p.X>>unitBits+low, p.Y>>unitBits+low
	return r.standing(x, z).Centre().Sub(world.Vec{Y: fixed.One / 2})
}

// standing returns the block above the terrain, or above the sea.
func (r *Rules) standing(x, z int32) world.Pos {
	y := max(r.columns.gen.Surface(x, z), terrain.SeaLevel) + 1
	return world.Pos{X: x, Y: int32(min(y, world.Height-3)), Z: z}
}
