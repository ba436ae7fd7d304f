package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/fixed"

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

// solidTop returns how high the solid part of a block is: 0 for none, 2048 for
// a slab, 4096 for a whole block. What is not loaded is a wall.
func solidTop(w Blocks, x, y, z int32) fixed.Num {
	b, ok := w.Block(Pos{x, y, z})
	if !ok {
		return fixed.One
	}
	if b >= BlockCount {
		return fixed.One
	}
	return fixed.Num(tallness[b])
}

// tallness is BlockInfo.Tall of all blocks, close together: bodies look at it
// some thirty times in a step.
var tallness = func() (t [BlockCount]uint16) {
	for b := range t {
		t[b] = uint16(Info(Block(b)).Tall)
	}
	return t
}()

// solidIn reports whether something solid is in the box.
func solidIn(w Blocks, c box) bool {
	for y := c.y0.Floor(); y <= (c.y1 - 1).Floor(); y++ {
		above := c.y0 - fixed.Int(int(y)) // of the box's bottom over the layer's
		for z := c.z0.Floor(); z <= (c.z1 - 1).Floor(); z++ {
			for x := c.x0.Floor(); x <= (c.x1 - 1).Floor(); x++ {
				if top := solidTop(w, x, y, z); top > 0 && top > above {
					return true
				}
			}
		}
	}
	return false
}

// sweepX returns how much of d the box can move along x. What the box is
// already in does not stop it.
func sweepX(w Blocks, c box, d fixed.Num) fixed.Num {
	for x := (c.x1 - 1).Floor() + 1; x <= (c.x1 + d - 1).Floor(); x++ {
		if edge := fixed.Int(int(x)); solidIn(w, box{edge, c.y0, c.z0, edge + 1, c.y1, c.z1}) {
			return edge - c.x1
		}
	}
	for x := c.x0.Floor() - 1; x >= (c.x0 + d).Floor(); x-- {
		if edge := fixed.Int(int(x) + 1); solidIn(w, box{edge - 1, c.y0, c.z0, edge, c.y1, c.z1}) {
			return edge - c.x0
		}
	}
	return d
}

// sweepZ is sweepX along z.
func sweepZ(w Blocks, c box, d fixed.Num) fixed.Num {
	for z := (c.z1 - 1).Floor() + 1; z <= (c.z1 + d - 1).Floor(); z++ {
		if edge := fixed.Int(int(z)); solidIn(w, box{c.x0, c.y0, edge, c.x1, c.y1, edge + 1}) {
			return edge - c.z1
		}
	}
	for z := c.z0.Floor() - 1; z >= (c.z0 + d).Floor(); z-- {
		if edge := fixed.Int(int(z) + 1); solidIn(w, box{c.x0, c.y0, edge - 1, c.x1, c.y1, edge}) {
			return edge - c.z0
		}
	}
	return d
}

// sweepY is sweepX along y. Downwards it looks for the highest top below the
// feet, since a block may be lower than its cell.
func sweepY(w Blocks, c box, d fixed.Num) fixed.Num {
	for y := (c.y1 - 1).Floor() + 1; y <= (c.y1 + d - 1).Floor(); y++ {
		if edge := fixed.Int(int(y)); solidIn(w, box{c.x0, edge, c.z0, c.x1, edge + 1, c.z1}) {
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
			tall := solidTop(w, x, y, z)
			if top := base + tall; tall > 0 && top <= c.y0 && (!ok || top > high) {
				high, ok = top, true
			}
		}
	}
	return high, ok
}
