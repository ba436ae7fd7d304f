package e2e

import (
	"fmt"
	"math"
	"testing"

	"github.com/chromedp/cdproto/input"
)

// TestFences: a player sees a fence with a gate and a trapdoor, opens both, and walks
// through the gate.
func TestFences(t *testing.T) {
	_, ann := alone(t)
	opens := func(b, item int) bool { return b >= item && b < item+4 }
	gate := placedOn(ann, level, "oak_gate", 2, opens)
	for i, thing := range []string{"oak_fence", "oak_trapdoor"} {
		ann.say(fmt.Sprintf("/give Ann %s %d", thing, 9))
		ann.until("to have "+thing, func(s state) bool { return s.Hotbar[5+i].Count == 9 })
	}
	fence := ann.state().Hotbar[5].Block
	beside := func(d int) (x, z int) { // along the gate
		if (gate.block-ann.state().Hotbar[4].Block)/2 == 1 {
			return gate.x, gate.z + d
		}
		return gate.x + d, gate.z
	}
	put := func(key string, d int, done func(x, z int) bool) {
		x, z := beside(d)
		ann.tap(key)
		ann.lookAt(float64(x)+0.5, float64(gate.y)+0.01, float64(z)+0.5)
		ann.mouse(input.Right, func() bool { return done(x, z) })
		ann.until("to have placed it", func(state) bool { return done(x, z) })
	}
	put("6", 1, func(x, z int) bool { return ann.block(x, gate.y, z) == fence })
	lid := ann.state().Hotbar[6].Block
	put("7", -1, func(x, z int) bool { return opens(ann.block(x, gate.y, z), lid) })
	ann.lookAt(float64(gate.x)+0.5, float64(gate.y)+0.5, float64(gate.z)+0.5)
	ann.settle()
	ann.shot("fence-closed")
	turn := func(x, z int) {
		was := ann.block(x, gate.y, z)
		ann.lookAt(float64(x)+0.5, float64(gate.y)+0.85, float64(z)+0.5)
		ann.mouse(input.Right, func() bool { return ann.block(x, gate.y, z) == was+1 })
		ann.until("it to be open", func(state) bool { return ann.block(x, gate.y, z) == was+1 })
	}
	turn(beside(-1))
	turn(gate.x, gate.z)
	ann.settle()
	ann.shot("fence-open")
	ann.lookAt(float64(gate.x)+0.5, ann.state().Pos[1]+1.6, float64(gate.z)+0.5)
	from := ann.state().Pos
	dx, dz := float64(gate.x)+0.5-from[0], float64(gate.z)+0.5-from[2]
	far := math.Hypot(dx, dz)
	ann.key("w", "to walk through the gate", func(s state) bool { // between two looks it may be far behind
		return ((s.Pos[0]-from[0])*dx+(s.Pos[2]-from[2])*dz)/far > far-0.5
	})
	if s := ann.state(); s.Garbage > 0 || len(ann.errors) > 0 {
		t.Errorf("%d frames could not be read, exceptions %v", s.Garbage, ann.errors)
	}
}
