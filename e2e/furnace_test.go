package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/input"
)

// TestFurnace: a player smelts ore in a furnace, which burns where others see it and goes
// on while the server is gone.
func TestFurnace(t *testing.T) {
	srv, ann := alone(t)
	furnace := placed(ann, "furnace", 2)
	const ores = 12
	for i, thing := range []string{"iron_ore 12", "coal_ore 2"} {
		ann.say("/give Ann " + thing)
		ann.until("to have "+thing, func(s state) bool { return s.Hotbar[5+i].Count > 0 })
	}
	ore := ann.state().Hotbar[5].Block
	ann.opensBlock(furnace)
	ann.clickSlot(5, input.Left, input.ModifierShift)
	ann.until("the ore to be in the furnace", func(s state) bool { return s.Container[0] == slot{ore, ores} })
	ann.clickSlot(6, input.Left, input.ModifierShift)
	ann.until("a piece of coal to burn", func(s state) bool { return s.Container[1].Count == 1 })
	lit := func() bool { return ann.block(furnace.x, furnace.y, furnace.z) == furnace.block+1 }
	ann.until("the furnace to burn", func(state) bool { return lit() })
	ann.until("an ingot", func(s state) bool { return s.Container[2].Count > 0 })
	ingot := ann.state().Container[2].Block
	ann.shot("furnace-open")
	ann.tap("e")
	ann.until("the furnace to be closed", func(s state) bool { return s.Container == nil })
	ann.play()
	ann.lookAt(float64(furnace.x)+0.5, float64(furnace.y)+0.5, float64(furnace.z)+0.5)
	ann.settle()
	ann.shot("furnace")

	srv.kill()
	ann.until("to see that the connection is lost", func(s state) bool { return s.Stage == "lost" })
	srv.again()
	ann.ready()
	ann.opensBlock(furnace)
	s := ann.until("three ingots", func(s state) bool { return s.Container[2].Count >= 3 })
	if s.Container[0].Count+s.Container[2].Count != ores {
		t.Errorf("of %d ores there are %v", ores, s.Container)
	}
	ann.clickSlot(64+2, input.Left, input.ModifierShift)
	ann.until("to have them", func(s state) bool { return count(s.Hotbar, ingot) >= 3 })
	if s := ann.state(); s.Garbage > 0 || len(ann.errors) > 0 {
		t.Errorf("%d frames could not be read, exceptions %v", s.Garbage, ann.errors)
	}
}
