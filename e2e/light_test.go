package e2e

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestLight looks at what people see at places where the light was wrong: snow
// at noon was one white area, a torch in the hand lit nothing, stars shone
// through clouds. The places are of the world that the tests' seed gives.
func TestLight(t *testing.T) {
	srv := startServer(t, "--mode", "creative")
	ann := newLooker(t, "Ann", 480, 320, `{"viewDistance": 3, "farDistance": 0, "quality": "high", "clouds": true, "hinted": true}`)
	ann.open(srv.page())
	ann.enter()
	ann.eval("(window.realNow = Date.now, 0)", nil)
	ann.say("/time set noon")

	ann.goTo(-187, 22, 42, 1.2, -0.2) // a cave
	ann.tap("1")
	dark := ann.sees("darkness", func(v view) bool { return v.mean < 12 })
	ann.tap("9") // a torch
	ann.sees("the cave around the torch", func(v view) bool { return v.mean > 30 && v.mean > 3*dark.mean })

	ann.stopClock(false)
	ann.say("/gamemode spectator")
	ann.tap(kb.F1)                   // nothing but the world
	ann.goTo(192, 76, -10, 1.2, -.9) // over snow
	ann.sees("snow that is bright and has texture", func(v view) bool { return v.mean > 170 && v.clipped < 0.02 })

	ann.stopClock(false)
	ann.say("/time set midnight")
	ann.goTo(184, 206, -10, 0.4, 1.5) // just below the height of the clouds, looking up
	ann.sees("stars", func(v view) bool { return v.middle < 15 && v.brightest > 80 })
	ann.goTo(136, 206, 24, 0.4, 1.5)
	ann.sees("a cloud before the stars", func(v view) bool { return v.middle > 20 && v.brightest < v.middle+18 })
}

// stopClock lets the clouds, which drift by the clock, stand where this test knows
// them; the page signs no orders by a wrong clock, so it goes on while one is typed.
func (p *player) stopClock(stop bool) {
	p.eval(fmt.Sprintf("(Date.now = %t ? () => 1e12 : window.realNow, 0)", stop), nil)
}

// goTo brings an operator somewhere and waits until the land there is drawn.
func (p *player) goTo(x, y, z int, yaw, pitch float64) {
	p.t.Helper()
	p.stopClock(false)
	p.say(fmt.Sprintf("/tp %d %d %d", x, y, z))
	p.until("to be there", func(s state) bool {
		return s.Ready && distance(s.Pos, [3]float64{float64(x) + 0.5, float64(y), float64(z) + 0.5}) < 3
	})
	p.stopClock(true)
	p.eval(fmt.Sprintf("(vp.look(%g, %g), 0)", yaw, pitch), nil)
	p.until("the land to be drawn", func(state) bool {
		var queue int
		p.eval("vp.stats().queue", &queue)
		return queue == 0
	})
}

// view is what there is in a picture; brightness goes from 0 to 255.
type view struct {
	mean, middle float64 // brightness, of all and of the median
	brightest    float64
	clipped      float64 // share of white pixels
}

// picture takes a picture of the upper part of the window, which neither hand nor
// hot bar cover, and leaves out the middle with its cross.
func (p *player) picture() (v view) {
	p.t.Helper()
	var raw []byte
	p.do("take a picture", chromedp.ActionFunc(func(ctx context.Context) (err error) {
		raw, err = page.CaptureScreenshot().WithFormat(page.CaptureScreenshotFormatPng).Do(ctx)
		return err
	}))
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		p.t.Fatal(err)
	}
	return measure(img, image.Rect(p.w/8, p.h/16, p.w*7/8, p.h*7/16))
}

func measure(img image.Image, r image.Rectangle) (v view) {
	var count [256]int
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			red, green, blue, _ := img.At(x, y).RGBA()
			at := (3*red + 6*green + blue) / 10 >> 8
			count[at]++
			v.mean += float64(at)
			v.brightest = max(v.brightest, float64(at))
			if min(red, green, blue)>>8 >= 253 {
				v.clipped++
			}
		}
	}
	n := float64(r.Dx() * r.Dy())
	v.mean /= n
	v.clipped /= n
	for at, below := 0, 0.0; at < 256 && below < n/2; at++ {
		below += float64(count[at])
		v.middle = float64(at)
	}
	return v
}

// sees waits until the picture is as it should be.
func (p *player) sees(what string, ok func(view) bool) (v view) {
	p.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(poll) {
		if v = p.picture(); ok(v) {
			return v
		}
		if time.Now().After(end) {
			p.shot("failed-light")
			p.t.Errorf("%s does not see %s: %+v", p.name, what, v)
			return v
		}
	}
}
