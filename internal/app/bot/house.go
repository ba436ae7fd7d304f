package bot

import (
	"errors"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

var errNotThere = errors.New("a block was acknowledged and is not there")

// house lists the bricks of a house of 5×5 with a door to the south, walls
// three high and a flat roof, around the builder who stands in the middle, in
// an order in which it sees both where each goes and what it is put against. In
// each layer the walls to the north and south come first, then the corners, which
// are put against them, and then the walls beside them, which hide the corners.
func house(site world.Pos) (out []brick) {
	for y := range int32(4) {
		var corners, beside []brick
		for _, c := range ring(site.Add(0, y, 0)) {
			dx, dz := c.X-site.X, c.Z-site.Z
			switch {
			case dx == 0 && dz == 2 && y < 2: // the door
			case dx == 0 && dz == 2 && y == 2: // its lintel
				corners = append(corners, brick{c, c.Add(-1, 0, 0)})
			case abs(dx) == 2 && abs(dz) == 2:
				corners = append(corners, brick{c, c.Add(-dx/2, 0, 0)})
			case abs(dx) == 2:
				beside = append(beside, brick{c, c.Add(0, -1, 0)})
			default:
				out = append(out, brick{c, c.Add(0, -1, 0)})
			}
		}
		out = append(append(out, corners...), beside...)
	}
	for z := int32(-1); z <= 1; z++ {
		for x := int32(-1); x <= 1; x++ {
			c := site.Add(x, 3, z)
			out = append(out, brick{c, c.Add(-1, 0, 0)})
		}
	}
	return out
}

// ring lists the edge of a 5×5 around a place.
func ring(c world.Pos) (out []world.Pos) {
	for z := int32(-2); z <= 2; z++ {
		for x := int32(-2); x <= 2; x++ {
			if abs(x) == 2 || abs(z) == 2 {
				out = append(out, c.Add(x, 0, z))
			}
		}
	}
	return out
}

// faceFrom returns the face of a that b lies at.
func faceFrom(a, b world.Pos) world.Face {
	for f := range world.Face(6) {
		if a.Next(f) == b {
			return f
		}
	}
	return world.FaceUp
}

func abs(n int32) int32 { return max(n, -n) }

func numOf(metres int) fixed.Num { return fixed.Int(metres) }
