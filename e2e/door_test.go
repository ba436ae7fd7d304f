package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/input"
)

// TestDoor: a player places a door, opens it, and walks into it.
func TestDoor(t *testing.T) {
	_, ann := alone(t)
	closed := placedAs(ann, "oak_door", 2, func(b, item int) bool { return b >= item && b < item+8 })
	ann.lookAt(float64(closed.x)+0.5, float64(closed.y)+1, float64(closed.z)+0.5)
	ann.settle()
	ann.shot("door-closed")

	turn := func(to int) {
		t.Helper()
		ann.lookAt(float64(closed.x)+0.5, float64(closed.y)+0.9, float64(closed.z)+0.5)
		ann.mouse(input.Right, func() bool { return ann.block(closed.x, closed.y, closed.z) == to })
		ann.until("both halves to be turned", func(state) bool {
			return ann.block(closed.x, closed.y, closed.z) == to && ann.block(closed.x, closed.y+1, closed.z) == to+1
		})
	}
	turn(closed.block + 2)
	ann.settle()
	ann.shot("door-open")
	ann.lookAt(float64(closed.x)+0.5, ann.state().Pos[1]+1.6, float64(closed.z)+0.5)
	middle := [3]float64{float64(closed.x) + 0.5, float64(closed.y), float64(closed.z) + 0.5}
	ann.key("w", "to stand in the door", func(s state) bool { return distance(s.Pos, middle) < 0.6 })
	if s := ann.state(); s.Garbage > 0 || len(ann.errors) > 0 {
		t.Errorf("%d frames could not be read, exceptions %v", s.Garbage, ann.errors)
	}
}
