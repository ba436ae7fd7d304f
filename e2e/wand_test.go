package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// TestWand: a builder chooses a box by two clicks, sees it with its size, and fills, copies,
// pastes and takes back with buttons.
func TestWand(t *testing.T) {
	_, ann := alone(t)
	ann.say("/gamemode creative")
	ann.until("to be in creative mode", func(s state) bool { return s.Mode == 1 })
	ann.say("/give Ann bricks 9")
	at := 0
	have := ann.until("to have bricks", func(s state) bool {
		at = slices.IndexFunc(s.Hotbar, func(s slot) bool { return s.Count == 9 })
		return at >= 0
	})
	bricks := have.Hotbar[at].Block
	ann.tap(strconv.Itoa(at + 1))
	ann.until("to hold them", func(s state) bool { return s.Selected == at })
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
	press := func(n int) { // a button of the dialog, by its place
		ann.opens("g")
		ann.do("press a button", chromedp.Click(fmt.Sprintf("(//dialog[contains(@class, 'wand')]//button)[%d]", n), chromedp.BySearch))
		ann.play()
	}
	ann.opens("g")
	ann.shot("wand-dialog")
	ann.do("close it", chromedp.KeyEvent("\x1b"))
	press(1)
	ann.until("the box to be filled", func(state) bool { return ann.block(a.X, a.Y, a.Z) == bricks && ann.block(b.X, b.Y, b.Z) == bricks })
	press(14)
	ann.until("it to be taken back", func(state) bool { return ann.block(a.X, a.Y, a.Z) == a.Block && ann.block(b.X, b.Y, b.Z) == b.Block })
	press(6)
	count := sides(a.X, b.X) * sides(a.Y, b.Y) * sides(a.Z, b.Z)
	ann.hears("", fmt.Sprintf("%d blocks copied: /paste puts them beside you as they are now.", count))
	ann.say(fmt.Sprintf("/paste %d %d %d", a.X, a.Y+9, a.Z))
	ann.until("the copy to be there", func(state) bool {
		return ann.block(a.X, a.Y+9, a.Z) != 0 || ann.block(a.X+sides(a.X, b.X)-1, a.Y+9, a.Z) != 0
	})
	ann.shot("wand-pasted")

	// The copy as a file, and the file as a copy again: a person would see dialogs of the
	// browser for both, which a test cannot answer.
	ann.eval(`(() => {
		const url = URL.createObjectURL;
		URL.createObjectURL = (b) => { window.saved = b; return url.call(URL, b); };
		HTMLInputElement.prototype.click = function () {
			const files = new DataTransfer();
			files.items.add(new File([window.saved], 'copy.schem'));
			this.files = files.files;
			this.dispatchEvent(new Event('change'));
		};
	})()`, nil)
	press(13)
	bytes := 0
	ann.until("a file with the copy", func(state) bool {
		ann.eval("window.saved?.size ?? 0", &bytes)
		return bytes > 0
	})
	ann.say("/copy 0 1 0 0 1 0") // another one
	ann.hears("", "1 block copied: /paste puts them beside you as they are now.")
	press(12)
	ann.hears("", fmt.Sprintf("%d blocks of a schematic are copied: /paste puts them beside you.", count))
	ann.shot("wand-schematic")
	ann.say(fmt.Sprintf("/paste %d %d %d", a.X, a.Y+14, a.Z))
	ann.until("the blocks of the file to be there", func(state) bool {
		for x := range sides(a.X, b.X) {
			for y := range sides(a.Y, b.Y) {
				for z := range sides(a.Z, b.Z) {
					if ann.block(a.X+x, a.Y+9+y, a.Z+z) != ann.block(a.X+x, a.Y+14+y, a.Z+z) {
						return false
					}
				}
			}
		}
		return ann.block(a.X, a.Y+14, a.Z) != 0 || ann.block(a.X+sides(a.X, b.X)-1, a.Y+14, a.Z) != 0
	})
	if s := ann.state(); s.Garbage > 0 || len(ann.errors) > 0 {
		t.Errorf("%d frames could not be read, exceptions %v", s.Garbage, ann.errors)
	}
}
