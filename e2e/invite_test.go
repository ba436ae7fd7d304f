package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// TestInvite: the owner makes a link in the game's menu, a friend comes in by it, and
// after it was revoked nobody else does.
func TestInvite(t *testing.T) {
	ann := newOwner(t)
	ann.opensInvitations()
	ann.do("write whom the link is for", chromedp.WaitVisible("#invite-note"), chromedp.SendKeys("#invite-note", "Bo and Cy"))
	ann.do("make a link", chromedp.Click("#make-invitation"))
	link := ann.invitationFor("Bo and Cy")
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

// TestVisitor: a friend who was invited to look around sees so, and breaks nothing; the
// owner does.
func TestVisitor(t *testing.T) {
	ann := newOwner(t)
	if _, broken := ann.breaks(); !broken {
		t.Fatal("the owner cannot break a block")
	}
	ann.opensInvitations()
	ann.do("invite somebody to look around", chromedp.WaitVisible("#invite-may"), chromedp.SetValue("#invite-may", "visit"),
		chromedp.SendKeys("#invite-note", "The village"), chromedp.Click("#make-invitation"))
	link := ann.invitationFor("The village, look around")
	ann.shot("invite-visitor")

	vi := newPlayer(t, "Vi")
	vi.open(link)
	vi.enter()
	vi.ready()
	vi.play()
	block, broken := vi.breaks()
	if broken {
		t.Errorf("the visitor broke a block (%d)", block)
	}
	vi.until("to read that visitors change nothing", func(state) bool {
		return vi.evalBool(`!document.querySelector('.visiting').hidden && [...document.querySelectorAll('.notice')].some((n) => n.textContent.includes('visiting'))`)
	})
	vi.shot("visitor")
	vi.say("I only look.")
	ann.hears("Vi", "I only look.")
}

// newOwner starts a world that is shared, and lets its owner in.
func newOwner(t *testing.T) *player {
	t.Helper()
	srv := startServer(t, "--share", "--nodes", "127.0.0.1:0", "--no-port-mapping")
	ann := newPlayer(t, "Ann")
	ann.open(srv.page())
	ann.enter()
	ann.ready()
	ann.play()
	return ann
}

// opensInvitations opens the list of invitations in the menu.
func (p *player) opensInvitations() {
	p.t.Helper()
	p.eval("(document.exitPointerLock(), 0)", nil)
	p.do("open the menu", chromedp.WaitVisible("dialog[open]"))
	p.eval(`([...document.querySelectorAll('dialog[open] button')].find((b) => b.textContent === 'Invite friends').click(), 0)`, nil)
}

// invitationFor waits for the link of the invitation that says something.
func (p *player) invitationFor(says string) (link string) {
	p.t.Helper()
	p.until("the link to be there", func(state) bool {
		p.eval(fmt.Sprintf(`[...document.querySelectorAll('.invitation')].find((i) => i.textContent.includes('%s'))?.querySelector('input').value ?? ''`, says), &link)
		return link != ""
	})
	return link
}

// breaks digs at a block below for a few seconds, and reports whether it is gone.
func (p *player) breaks() (block int, broken bool) {
	p.t.Helper()
	look := lookDown(p, 2, solid)
	gone := func() bool { b := p.block(look.X, look.Y, look.Z); return b != look.Block && b >= 0 }
	refused := func() bool { return p.evalBool(`document.querySelector('.notice') !== null`) }
	p.mouse(input.Left, func() bool { return gone() || refused() })
	return look.Block, gone()
}
