package frame

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Checker looks at frames before they are passed on to a client: the node that made
// them may be hostile, and a client ends its connection at what it cannot decode.
type Checker struct{ frame Frame }

// Cells reports what a client could not decode in the cells part of a frame.
func (c *Checker) Cells(cells []byte) error { return c.frame.DecodeCells(cells) }

// Check reports what a client could not decode in a frame's head.
func (h *Head) Check() error {
	const regions = world.Limit / world.RegionSize
	r := h.Region
	far := r.X > regions || r.X < -regions || r.Z > regions || r.Z < -regions
	for _, v := range []world.Vec{h.Own.Position, h.Own.Velocity} {
		for _, n := range []fixed.Num{v.X, v.Y, v.Z} {
			far = far || n > farthest || n < -farthest
		}
	}
	if far {
		return fmt.Errorf("%w: a place outside of the world", ErrMalformed)
	}
	return nil
}
