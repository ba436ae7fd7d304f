package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestComfort: a page in German, which is a file of its own, with a compass, a marked place,
// sounds in words and a picture that is saved.
func TestComfort(t *testing.T) {
	srv := startServer(t)
	ann := newLooker(t, "Ann", 960, 540, strings.TrimSuffix(plainLook, "}")+`, "language": "de", "subtitles": true, "palette": "redGreen", "hinted": true}`)
	ann.open(srv.page())
	var lang, play string
	ann.eval("document.documentElement.lang", &lang)
	ann.eval("document.querySelector('#play').textContent", &play)
	if lang != "de" || play != "Spielen" {
		t.Errorf("the page is in %q, its button says %q", lang, play)
	}
	ann.enter()
	ann.play()
	ann.tap("b")
	ann.reads(".notices", "Ort 1 ist markiert")
	ann.key("s", "the way back on the compass", func(state) bool { return strings.Contains(ann.text(".compass"), "Ort 1") })
	ann.tap(kb.F2)
	ann.reads(".notices", "Gespeichert als voxelpopuli-")
	ann.shot("comfort")

	ann.opens("m")
	var name string
	ann.eval("document.querySelector('.map-places input').value", &name)
	if name != "Ort 1" {
		t.Errorf("the map lists %q", name)
	}
	ann.settle()
	ann.shot("comfort-map")
	ann.do("remove the place", chromedp.Click(".map-places button:last-child"))
	ann.until("it to be gone", func(state) (gone bool) {
		ann.eval("document.querySelector('.map-places li') === null", &gone)
		return gone
	})
	if s := ann.state(); s.Garbage > 0 || len(ann.errors) > 0 {
		t.Errorf("%d frames could not be read, exceptions %v", s.Garbage, ann.errors)
	}
}

// text is what an element of the page says.
func (p *player) text(selector string) (text string) {
	p.t.Helper()
	p.eval("document.querySelector('"+selector+"').textContent", &text)
	return text
}
