package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/input"
)

// TestEquipment: a player puts on armour, shoots an arrow, pours out a bucket of lava and
// takes it up again.
func TestEquipment(t *testing.T) {
	_, ann := alone(t)
	for i, thing := range []string{"iron_chestplate", "iron_helmet", "bow", "arrow 9", "lava_bucket"} {
		ann.say("/give Ann " + thing)
		ann.until("to have "+thing, func(s state) bool { return s.Hotbar[4+i].Count > 0 })
	}
	chestplate := ann.state().Hotbar[4].Block
	ann.tap("e")
	ann.until("its things", func(state) bool { return ann.visible("dialog.inventory[open]") })
	for slot := range 2 {
		ann.clickSlot(4+slot, input.Left, input.ModifierShift)
		ann.until("to wear it", func(s state) bool { return s.Hotbar[4+slot].Count == 0 })
	}
	ann.clickSlot(37, input.Left, 0) // takes it up and tries to wear it on its feet
	ann.clickSlot(39, input.Left, 0)
	ann.clickSlot(4, input.Left, 0)
	ann.settle()
	ann.shot("armour")
	ann.tap("e")
	ann.play()
	if n := count(ann.state().Hotbar, chestplate); n > 0 {
		t.Logf("the chestplate is in the hot bar again")
	}

	ann.tap("7")
	ann.until("to hold the bow", func(s state) bool { return s.Selected == 6 })
	ann.eval("(vp.look(vp.state().yaw, 0.3), 0)", nil)
	shot := func() bool { return ann.state().Hotbar[7].Count == 8 }
	ann.mouse(input.Right, shot)
	ann.until("to have shot", func(state) bool { return shot() })
	ann.shot("bow")

	ann.tap("9")
	ann.until("to hold the bucket", func(s state) bool { return s.Selected == 8 })
	bucket := ann.state().Hotbar[8].Block
	ground := lookDown(ann, 3, solid)
	poured := func() bool { return ann.state().Hotbar[8].Block != bucket }
	ann.mouse(input.Right, poured)
	ann.until("lava on the ground", func(state) bool { return poured() && ann.block(ground.X, ground.Y+1, ground.Z) > 0 })
	ann.settle()
	ann.shot("lava")
	ann.lookAt(float64(ground.X)+0.5, float64(ground.Y)+1.8, float64(ground.Z)+0.5)
	taken := func() bool { return ann.state().Hotbar[8].Block == bucket }
	ann.mouse(input.Right, taken)
	ann.until("to have the lava again", func(state) bool { return taken() })
}
