package world

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// box is a space with edges along the axes, the upper bounds exclusive: boxes
// that touch do not overlap.
type box struct{ x0, y0, z0, x1, y1, z1 fixed.Num }

func boxAt(feet Vec, half, height fixed.Num) box {
	return box{
		feet.X - half, feet.Y, feet.Z - half,
		feet.X + half, feet.Y + height, feet.Z + half,
	}
}

// shift returns the box moved.
func (c box) shift(dx, dy, dz fixed.Num) box {
	return box{c.x0 + dx, c.y0 + dy, c.z0 + dz, c.x1 + dx, c.y1 + dy, c.z1 + dz}
}

// meets reports whether two boxes overlap.
func (c box) meets(d box) bool {
	return c.x0 < d.x1 && d.x0 < c.x1 && c.y0 < d.y1 && d.y0 < c.y1 && c.z0 < d.z1 && d.z0 < c.z1
}

// solid is the part of a cell that bodies bump into: all up to a height (0: nothing, 2048 a
// slab, 4096 all of it), or the eighths that octants says (pack.Block.Octants), if any.
type solid struct {
	tall    uint16
	octants uint8
}

// solidAt returns the solid part of a block. What is not loaded is a wall.
func solidAt(w Blocks, x, y, z int32) solid {
	b, ok := w.Block(Pos{x, y, z})
	if !ok || b >= BlockLimit {
		return solid{tall: uint16(fixed.One)}
	}
	return solids[b]
}

// solids has those of all blocks, close together: bodies look at them some thirty times
// in a step.
var solids = solidParts()

func solidParts() (t [BlockLimit]solid) {
	for b := range t {
		t[b] = solid{uint16(Info(Block(b)).Tall), Info(Block(b)).Octants}
	}
	return t
}

const half = fixed.One / 2

// touched returns which eighths of a cell a box overlaps, if it overlaps the cell.
func (c box) touched(x, y, z int32) uint8 {
	return halves(c.x0, c.x1, x, 0x55) & halves(c.y0, c.y1, y, 0x0f) & halves(c.z0, c.z1, z, 0x33)
}

// halves returns the eighths in those halves of a cell along an axis that a span overlaps;
// low has those of the lower half.
func halves(from, to fixed.Num, cell int32, low uint8) (bits uint8) {
	middle := fixed.Int(int(cell)) + half
	if from < middle {
		bits = low
	}
	if to > middle {
		bits |= ^low
	}
	return bits
}

// solidIn reports whether something solid is in the box.
func solidIn(w Blocks, c box) bool {
	for y := c.y0.Floor(); y <= (c.y1 - 1).Floor(); y++ {
		above := c.y0 - fixed.Int(int(y)) // of the box's bottom over the layer's
		for z := c.z0.Floor(); z <= (c.z1 - 1).Floor(); z++ {
			for x := c.x0.Floor(); x <= (c.x1 - 1).Floor(); x++ {
				s := solidAt(w, x, y, z)
				if s.tall > 0 && fixed.Num(s.tall) > above && (s.octants == 0 || s.octants&c.touched(x, y, z) != 0) {
					return true
				}
			}
		}
	}
	return false
}

// Boxes are swept from one half of a cell to the next: sides lie only there.

// next returns the first side at or beyond a coordinate, upwards; floorHalf the last one at
// or below it.
func nextHalf(n fixed.Num) fixed.Num { return floorHalf(n + half - 1) }

func floorHalf(n fixed.Num) fixed.Num { return n - n.Frac()%half }

// sweepX returns how much of d the box can move along x. What the box is
// already in does not stop it.
func sweepX(w Blocks, c box, d fixed.Num) fixed.Num {
	for edge := nextHalf(c.x1); edge < c.x1+d; edge += half {
		if solidIn(w, box{edge, c.y0, c.z0, edge + 1, c.y1, c.z1}) {
			return edge - c.x1
		}
	}
	for edge := floorHalf(c.x0); edge > c.x0+d; edge -= half {
		if solidIn(w, box{edge - 1, c.y0, c.z0, edge, c.y1, c.z1}) {
			return edge - c.x0
		}
	}
	return d
}

// sweepZ is sweepX along z.
func sweepZ(w Blocks, c box, d fixed.Num) fixed.Num {
	for edge := nextHalf(c.z1); edge < c.z1+d; edge += half {
		if solidIn(w, box{c.x0, c.y0, edge, c.x1, c.y1, edge + 1}) {
			return edge - c.z1
		}
	}
	for edge := floorHalf(c.z0); edge > c.z0+d; edge -= half {
		if solidIn(w, box{c.x0, c.y0, edge - 1, c.x1, c.y1, edge}) {
			return edge - c.z0
		}
	}
	return d
}

// sweepY is sweepX along y. Downwards it looks for the highest top below the
// feet, since a block may be lower than its cell.
func sweepY(w Blocks, c box, d fixed.Num) fixed.Num {
	for edge := nextHalf(c.y1); edge < c.y1+d; edge += half {
		if solidIn(w, box{c.x0, edge, c.z0, c.x1, edge + 1, c.z1}) {
			return edge - c.y1
		}
	}
	for y := (c.y0 - 1).Floor(); y >= (c.y0 + d).Floor(); y-- {
		if top, ok := floorIn(w, c, y); ok && top > c.y0+d {
			return top - c.y0
		}
	}
	return d
}

// floorIn returns the highest top in layer y under the box that is not above
// its bottom, if there is one.
func floorIn(w Blocks, c box, y int32) (high fixed.Num, ok bool) {
	base := fixed.Int(int(y))
	for z := c.z0.Floor(); z <= (c.z1 - 1).Floor(); z++ {
		for x := c.x0.Floor(); x <= (c.x1 - 1).Floor(); x++ {
			s := solidAt(w, x, y, z)
			top := base + fixed.Num(s.tall)
			if s.octants != 0 {
				top = c.topIn(s.octants, x, y, z)
			}
			if s.tall > 0 && top > base && top <= c.y0 && (!ok || top > high) {
				high, ok = top, true
			}
		}
	}
	return high, ok
}

// topIn returns the highest top of a cell's eighths under the box that is not above its
// bottom, the cell's own bottom if there is none.
func (c box) topIn(octants uint8, x, y, z int32) fixed.Num {
	base := fixed.Int(int(y))
	under := octants & halves(c.x0, c.x1, x, 0x55) & halves(c.z0, c.z1, z, 0x33)
	switch {
	case under&pack.OctantsUpper != 0 && base+fixed.One <= c.y0:
		return base + fixed.One
	case under&^pack.OctantsUpper != 0 && base+half <= c.y0:
		return base + half
	}
	return base
}
