package world

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
)

// Sizes of the world, in blocks (metres) unless named otherwise.
const (
	ChunkBits  = 5
	ChunkSize  = 1 << ChunkBits          // blocks along each edge of a chunk
	Height     = 256                     // blocks from the bottom to the top
	ColumnLen  = Height / ChunkSize      // chunks in a column
	RegionCols = 4                       // columns along each edge of a region
	RegionSize = RegionCols * ChunkSize  // blocks along each edge of a region
	Limit      = 1 << 18                 // |x| and |z| stay below: 262 km
	Columns    = RegionCols * RegionCols // columns in a region
)

// Pos is a block.
type Pos struct{ X, Y, Z int32 }

// Add returns p moved by the offsets.
func (p Pos) Add(dx, dy, dz int32) Pos { return Pos{p.X + dx, p.Y + dy, p.Z + dz} }

// Column returns the column that holds p.
func (p Pos) Column() ColumnPos { return ColumnPos{p.X >> ChunkBits, p.Z >> ChunkBits} }

// Region returns the region that holds p.
func (p Pos) Region() RegionPos { return p.Column().Region() }

// Centre returns the middle of the block.
func (p Pos) Centre() Vec {
	half := fixed.One / 2
	return Vec{fixed.Int(int(p.X)) + half, fixed.Int(int(p.Y)) + half, fixed.Int(int(p.Z)) + half}
}

// InWorld reports whether p lies between bottom and top and inside the limit.
func (p Pos) InWorld() bool {
	return p.Y >= 0 && p.Y < Height && p.X > -Limit && p.X < Limit && p.Z > -Limit && p.Z < Limit
}

func (p Pos) String() string { return fmt.Sprintf("%d %d %d", p.X, p.Y, p.Z) }

// ColumnPos is a column of chunks: block coordinates divided by 32.
type ColumnPos struct{ X, Z int32 }

// Region returns the region that holds c.
func (c ColumnPos) Region() RegionPos { return RegionPos{c.X >> 2, c.Z >> 2} }

// Index returns c's place within its region, 0 to 15, x fastest.
func (c ColumnPos) Index() int { return int(c.X&3 | c.Z&3<<2) }

// Origin returns the lowest block of c.
func (c ColumnPos) Origin() Pos { return Pos{c.X << ChunkBits, 0, c.Z << ChunkBits} }

func (c ColumnPos) String() string { return fmt.Sprintf("column %d,%d", c.X, c.Z) }

// RegionPos is a region: block coordinates divided by 128.
type RegionPos struct{ X, Z int32 }

// Column returns the column of r with the given index (see ColumnPos.Index).
func (r RegionPos) Column(index int) ColumnPos {
	return ColumnPos{r.X<<2 | int32(index&3), r.Z<<2 | int32(index>>2)}
}

// Inside returns the place half a metre inside of the region's border that is nearest to v;
// v itself if that is deeper inside.
func (r RegionPos) Inside(v Vec) Vec {
	const in = fixed.One / 2
	o := r.Column(0).Origin()
	x, z, far := fixed.Int(int(o.X)), fixed.Int(int(o.Z)), fixed.Int(RegionSize)-in
	v.X = v.X.Clamp(x+in, x+far)
	v.Z = v.Z.Clamp(z+in, z+far)
	return v
}

func (r RegionPos) String() string { return fmt.Sprintf("region %d,%d", r.X, r.Z) }

// Vec is a point or a velocity (per tick) in 1/4096 m.
type Vec struct{ X, Y, Z fixed.Num }

// Add returns v + w.
func (v Vec) Add(w Vec) Vec { return Vec{v.X + w.X, v.Y + w.Y, v.Z + w.Z} }

// Sub returns v − w.
func (v Vec) Sub(w Vec) Vec { return Vec{v.X - w.X, v.Y - w.Y, v.Z - w.Z} }

// Block returns the block that holds v.
func (v Vec) Block() Pos { return Pos{v.X.Floor(), v.Y.Floor(), v.Z.Floor()} }
