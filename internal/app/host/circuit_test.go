package host_test

import (
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
)

// TestBrowserBehindHelper: the link of a node behind a translator leads a browser through
// the public node to it.
func TestBrowserBehindHelper(t *testing.T) {
	slowtest.Skip(t, "takes longer than five seconds")
	n := newInternet(t)
	c := on(t, n.public("1.2.3.4"), "1.2.3.4")
	c.Share = true
	one := start(t, c)
	d := on(t, n.behind(symmetric, "27.1.1.1", "192.168.0.1"), "192.168.0.1", publicNode)
	d.Share, d.Page = true, "https://example.org/"
	home := start(t, d)
	var at []string
	until(t, "a link through the public node", func() bool {
		at = nil
		for _, a := range home.BrowsersAt() {
			at = append(at, a.String())
		}
		return len(at) == 2
	})
	if !strings.HasPrefix(at[0], publicNode+"_") || at[1] != one.BrowsersAt()[0].String() {
		t.Fatalf("home is at %v, one at %v", at, one.BrowsersAt())
	}
	if is := home.Reach(); !strings.Contains(is, "through another node of this world") {
		t.Errorf("who can reach the world: %s", is)
	}
	browser := n.behind(symmetric, "28.1.1.1", "10.2.0.1")
	conn, err := browser.ListenPacket("udp4", "10.2.0.1:5000")
	if err != nil {
		t.Fatal(err)
	}
	before := traversalOf(t, one)
	if said := opensBy(t, conn, at[0], ""); !strings.Contains(said, home.World().ID.String()) {
		t.Errorf("the node says %s", said)
	}
	if after := traversalOf(t, one); after.Packets != before.Packets {
		t.Errorf("who only looks took an allocation: %+v", after)
	}
}
