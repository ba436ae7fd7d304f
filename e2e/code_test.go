package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestJoinCode: the page asks for the code, says when it is wrong, and takes it
// from a link.
func TestJoinCode(t *testing.T) {
	srv := startServer(t, "--join-code", "open sesame")
	ann := newPlayer(t, "Ann")
	ann.open(srv.url)
	ann.do("see the field for the code", chromedp.WaitVisible("#code"))
	ann.do("type a wrong code", chromedp.SendKeys("#code", "open barley"+kb.Enter))
	ann.reads("#start-error", "code")
	ann.eval("(document.querySelector('#code').value = 'open sesame', 0)", nil)
	ann.enter()

	bo := newPlayer(t, "Bo")
	bo.open(srv.url + "#code=open+sesame")
	bo.enter()
	var hash string
	bo.eval("location.hash", &hash)
	if hash != "" {
		t.Errorf("the code is still in the address: %q", hash)
	}
}
