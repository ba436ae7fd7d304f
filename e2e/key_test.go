package e2e

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestTakeKeyAlong: a name belongs to a key, and somebody who takes theirs to
// another browser is the same player there.
func TestTakeKeyAlong(t *testing.T) {
	srv := startServer(t)
	ann := newPlayer(t, "Ann")
	ann.open(srv.page())
	var key string
	ann.do("open the dialog", chromedp.Click("#your-key"), chromedp.WaitVisible("#key"), chromedp.Value("#key", &key))
	ann.shot("key")
	ann.do("close it", chromedp.SendKeys("#key", kb.Escape))
	ann.enter()
	ann.quit()

	elsewhere := newPlayer(t, "Ann")
	elsewhere.open(srv.page())
	elsewhere.do("press play as Ann", chromedp.SetValue("#name", "Ann"), chromedp.Click("#play"))
	elsewhere.reads("#start-error", "another key")

	damaged := key[:len(key)-1] + string(key[len(key)-1]^1)
	elsewhere.do("use a damaged key", chromedp.Click("#your-key"), chromedp.SendKeys("#other-key", damaged), chromedp.Click("#use-key"))
	elsewhere.reads("#key-error", "no key")
	elsewhere.do("use Ann's key", chromedp.SetValue("#other-key", "my key: "+key), chromedp.Click("#use-key"))
	var shown string
	elsewhere.until("to have the page anew", func(state) bool {
		elsewhere.eval("(document.querySelector('#your-key')?.click(), document.querySelector('#key')?.value ?? '')", &shown)
		return shown == key
	})
	elsewhere.do("close the dialog", chromedp.SendKeys("#key", kb.Escape))
	elsewhere.enter()
}

// TestProposedNameIsTaken: a player who has typed no name does not have to choose one
// because somebody else has the one that the page proposes.
func TestProposedNameIsTaken(t *testing.T) {
	srv := startServer(t)
	first := newPlayer(t, "Brave Badger")
	first.open(srv.page())
	first.enter()
	second := newPlayer(t, "the second player")
	second.do("make the page propose a certain name", chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument("Math.random = () => 0").Do(ctx)
		return err
	}))
	second.open(srv.page())
	var proposed string
	second.do("press play", chromedp.Value("#name", &proposed), chromedp.Click("#play"))
	second.ready()
	if got := second.state().Name; proposed != first.name || got != first.name+" 10" {
		t.Errorf("proposed %q, in the world as %q", proposed, got)
	}
}

// reads waits until an element has a text in it.
func (p *player) reads(element, text string) {
	p.t.Helper()
	var now string
	p.until("to read "+text, func(state) bool {
		p.eval("document.querySelector('"+element+"').textContent", &now)
		return strings.Contains(now, text)
	})
}
