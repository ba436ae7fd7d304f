package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestInvite: the owner makes a link in the game's menu, a friend comes in by it, and
// after it was revoked nobody else does.
func TestInvite(t *testing.T) {
	if testing.Short() {
		t.Skip("starts browsers")
	}
	srv := startServer(t, "--share", "--nodes", "127.0.0.1:0", "--no-port-mapping")
	ann := newPlayer(t, "Ann")
	ann.open(srv.page())
	ann.enter()
	ann.ready()
	ann.play()
	ann.eval("(document.exitPointerLock(), 0)", nil)
	ann.do("open the menu", chromedp.WaitVisible("dialog[open]"))
	ann.eval(`([...document.querySelectorAll('dialog[open] button')].find((b) => b.textContent === 'Invite friends').click(), 0)`, nil)
	ann.do("write whom the link is for", chromedp.WaitVisible("#invite-note"), chromedp.SendKeys("#invite-note", "Bo and Cy"))
	ann.do("make a link", chromedp.Click("#make-invitation"))
	var link string
	ann.until("the link to be there", func(state) bool {
		ann.eval(`[...document.querySelectorAll('.invitation')].find((i) => i.textContent.includes('Bo and Cy'))?.querySelector('input').value ?? ''`, &link)
		return link != ""
	})
	var reach string
	var modules int
	ann.eval("document.querySelector('#reach').textContent", &reach)
	ann.eval("document.querySelector('.qr path')?.getAttribute('d').length ?? 0", &modules)
	if !strings.Contains(link, "#code=vp-") || reach == "" || modules == 0 {
		t.Fatalf("the link is %q; who can reach the world: %q; the QR code has %d bytes", link, reach, modules)
	}
	ann.shot("invite")

	bo := newPlayer(t, "Bo")
	bo.open(link)
	bo.enter()
	bo.say("Here I am.")
	ann.hears("Bo", "Here I am.")

	ann.eval(`([...document.querySelectorAll('.invitation')].find((i) => i.textContent.includes('Bo and Cy')).querySelector('.danger').click(), 0)`, nil)
	ann.until("the link to be gone", func(state) (gone bool) {
		ann.eval(`![...document.querySelectorAll('.invitation')].some((i) => i.querySelector('input').value === `+"`"+link+"`"+`)`, &gone)
		return gone
	})
	cy := newPlayer(t, "Cy")
	cy.open(link)
	cy.do("press play", chromedp.Click("#play"))
	if s := cy.until("to be refused", func(s state) bool { return s.Error != "" || s.Ready }); s.Ready {
		t.Errorf("Cy came in by a link that was revoked: %+v", s)
	}
}
