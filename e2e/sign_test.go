package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// TestSign: a player places a sign, writes on it, changes the text, and places stairs.
func TestSign(t *testing.T) {
	_, ann := alone(t)
	at := placedOn(ann, level, "oak_sign", 2, func(b, item int) bool { return b >= item && b < item+4 })
	says := func() (text string) {
		ann.eval(fmt.Sprintf("vp.sign(%d, %d, %d)", at.x, at.y, at.z), &text)
		return text
	}
	writes := func(text string) {
		t.Helper()
		ann.do("write "+text, chromedp.WaitVisible("#sign-text"), chromedp.SetValue("#sign-text", "Ann's house"), chromedp.SetValue("#sign-text", text), chromedp.Click("#sign-write"))
		ann.until("the sign to say "+text, func(state) bool { return says() == text })
	}
	writes("To the\nmine") // it opens by itself when it is placed
	ann.play()
	ann.lookAt(float64(at.x)+0.5, float64(at.y)+0.7, float64(at.z)+0.5)
	for presses := 1; presses <= 3 && !ann.visible("dialog[open] #sign-text"); presses++ {
		ann.mouse(input.Right, func() bool { return ann.visible("dialog[open] #sign-text") })
	}
	writes("Ann's house\nplease knock")
	ann.play()
	ann.lookAt(float64(at.x)+0.5, float64(at.y)+0.3, float64(at.z)+0.5) // the cross is not on the text
	ann.settle()
	ann.shot("sign")
	// Beside the sign grass may stand before the ground, so any free ground will do.
	stairs := placedOn(ann, solid, "oak_stairs", 9, func(b, item int) bool { return b >= item && b < item+4 })
	ann.lookAt(float64(stairs.x)+0.5, float64(stairs.y)+0.5, float64(stairs.z)+0.5)
	ann.settle()
	ann.shot("stairs")
	if s := ann.state(); s.Garbage > 0 || len(ann.errors) > 0 {
		t.Errorf("%d frames could not be read, exceptions %v", s.Garbage, ann.errors)
	}
}
