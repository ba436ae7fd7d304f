package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
)

// TestWand: a builder chooses a box by two clicks, breaks nothing, and sees the box with its
// size, and what can be done in it.
func TestWand(t *testing.T) {
	_, ann := alone(t)
	ann.say("/gamemode creative")
	ann.until("to be in creative mode", func(s state) bool { return s.Mode == 1 })
	ann.play()
	ann.tap("g")
	over := func() (text string) {
		ann.eval("document.querySelector('.wand-over')?.textContent ?? ''", &text)
		return text
	}
	ann.until("to have the wand", func(state) bool { return over() != "" })
	choose := func(button input.MouseButton, ahead float64) target {
		at := lookDown(ann, ahead, func(_ *player, at *target) bool { return at.Block != 0 })
		was := over()
		ann.mouse(button, func() bool { return over() != was })
		return at
	}
	a, b := choose(input.Left, 3), choose(input.Right, 6)
	if ann.block(a.X, a.Y, a.Z) == 0 {
		t.Error("the wand has broken a block")
	}
	sides := func(p, q int) int { return max(p-q, q-p) + 1 }
	size := fmt.Sprintf("%d × %d × %d", sides(a.X, b.X), sides(a.Y, b.Y), sides(a.Z, b.Z))
	if text := over(); len(text) < len(size) || text[:len(size)] != size {
		t.Errorf("the box from %v to %v is said to be %q, not %s", a, b, text, size)
	}
	ann.settle()
	ann.shot("wand")
	ann.opens("g")
	ann.shot("wand-dialog")
	if s := ann.state(); s.Garbage > 0 || len(ann.errors) > 0 {
		t.Errorf("%d frames could not be read, exceptions %v", s.Garbage, ann.errors)
	}
}
