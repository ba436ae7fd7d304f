package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
)

// TestHunger: a player sprints until it gets hungry, and eats. Then it opens its things by
// the menu, with the mouse.
func TestHunger(t *testing.T) {
	_, ann := alone(t)
	ann.say("/give Ann mutton 2")
	ann.until("to have mutton", func(s state) bool { return s.Hotbar[4].Count == 2 })
	ann.tap("5")
	ann.play()
	ann.do("sprint", ann.keyEvent("r", input.KeyDown))
	ann.key("w", "to be hungry", func(s state) bool {
		ann.eval(fmt.Sprintf("(vp.look(%g, 0), 0)", s.Yaw+0.6), nil) // in circles
		return s.Food < 20
	})
	ann.do("stop", ann.keyEvent("r", input.KeyUp))
	ann.eval("(vp.look(0, 1.4), 0)", nil)
	ann.settle()
	ann.shot("hungry")
	eaten := func() bool { s := ann.state(); return s.Food == 20 && s.Hotbar[4].Count == 1 }
	ann.mouse(input.Right, eaten)
	ann.until("to have eaten", func(state) bool { return eaten() })

	ann.eval("(document.exitPointerLock(), 0)", nil)
	ann.until("the menu", func(state) bool { return ann.visible("dialog.menu[open]") })
	ann.shot("menu")
	var at [2]float64
	ann.eval("((r) => [r.x + r.width / 2, r.y + r.height / 2])([...document.querySelectorAll('dialog.menu button')].find((b) => b.textContent === 'Inventory').getBoundingClientRect())", &at)
	ann.do("click Inventory", input.DispatchMouseEvent(input.MousePressed, at[0], at[1]).WithButton(input.Left).WithClickCount(1),
		input.DispatchMouseEvent(input.MouseReleased, at[0], at[1]).WithButton(input.Left).WithClickCount(1))
	ann.until("its things", func(state) bool { return ann.visible("dialog.inventory[open]") })
	ann.shot("menu-inventory")
}
