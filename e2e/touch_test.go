package e2e

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// newPhone is a player with fingers, on a screen held upright.
func newPhone(t *testing.T, name string) *player {
	p := newLooker(t, name, 412, 780, `{"viewDistance": 3, "farDistance": 0, "quality": "low", "clouds": false, "touch": "on"}`)
	p.do("have a touch screen", emulation.SetTouchEmulationEnabled(true).WithMaxTouchPoints(5))
	return p
}

func (p *player) touch(kind input.TouchType, points ...*input.TouchPoint) chromedp.Action {
	return input.DispatchTouchEvent(kind, points)
}

// TestLostFinger: a finger that rests breaks blocks; when the browser takes it away
// without an end, as when another program comes to the front, breaking ends too.
func TestLostFinger(t *testing.T) {
	srv := startServer(t)
	ann := newPhone(t, "Ann")
	ann.open(srv.page())
	ann.enter()
	ann.until("to stand", func(s state) bool { return s.OnGround && s.Active })
	ann.eval("(vp.look(vp.state().yaw, -1.2), 0)", nil)
	ann.shot("phone")
	middle := &input.TouchPoint{X: 250, Y: 300, ID: 1}
	ann.do("rest a finger on the ground", ann.touch(input.TouchStart, middle))
	ann.until("to break a block", func(s state) bool { return s.Digging > 0 })
	ann.do("come to the front with another program", chromedp.Evaluate("(dispatchEvent(new Event('blur')), 0)", nil))
	ann.until("to have stopped", func(s state) bool { return s.Digging == 0 })
	rests(t, ann)
	ann.do("lift the finger", ann.touch(input.TouchEnd))

	// A touch that begins just before: its time would have come afterwards.
	ann.do("touch, and lose the focus at once", ann.touch(input.TouchStart, middle), chromedp.Evaluate("(dispatchEvent(new Event('blur')), 0)", nil))
	rests(t, ann)
	ann.do("lift the finger", ann.touch(input.TouchEnd))
	rests(t, ann)
}

// rests checks that nothing is broken for longer than a finger must rest.
func rests(t *testing.T, p *player) {
	t.Helper()
	for end := time.Now().Add(700 * time.Millisecond); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if s := p.state(); s.Digging > 0 {
			t.Fatal("blocks are broken, and no finger is there")
		}
	}
}
