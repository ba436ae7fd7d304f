package host_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel/datachanneltest"
)

// opens follows a link as a browser does and returns what the node says first.
func opens(t *testing.T, link string) (said string) {
	t.Helper()
	_, fragment, _ := strings.Cut(link, "#")
	v, err := url.ParseQuery(fragment)
	if err != nil {
		t.Fatal(err)
	}
	return opensAt(t, v.Get("at"), v.Get("code"))
}

// opensAt does that at one of the nodes that the link names.
func opensAt(t *testing.T, named, code string) (said string) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return opensBy(t, conn, named, code)
}

// opensBy does that over a packet connection.
func opensBy(t *testing.T, conn net.PacketConn, named, code string) (said string) {
	t.Helper()
	addr, digits, _ := strings.Cut(named, "_")
	at, err := netip.ParseAddrPort(addr)
	if err != nil {
		t.Fatalf("%s: %v", named, err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(digits)
	if err != nil || len(raw) != 32 {
		t.Fatalf("%s: %v", named, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c, err := datachanneltest.Dial(ctx, conn, at, datachannel.Fingerprint(raw))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ask, err := json.Marshal(map[string]string{"code": code})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SendText(string(ask)); err != nil {
		t.Fatal(err)
	}
	b, _, err := c.Recv(datachannel.Reliable)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestLinks: a link for a page that is no node's leads to the node over its UDP port,
// also after a restart, until its invitation is revoked in the game.
func TestLinks(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c := invited(t)
	c.Page = "https://example.org/game/"
	h := start(t, c)
	if err := h.Inviter().CreateInvitation(gateway.Terms{May: "visit", Note: "Ann", Uses: 1}); err != nil {
		t.Fatal(err)
	}
	all, err := h.Inviter().Invites()
	if err != nil || !all.May || len(all.List) != 2 || all.List[0].Note != "Ann" || all.List[0].Permits != "visit" {
		t.Fatalf("%+v, %v", all, err)
	}
	link := all.List[0].Links[0]
	if !strings.HasPrefix(link.URL, c.Page+"#code=vp-") || link.QR == nil || link.QR.Path == "" {
		t.Fatalf("%+v", link)
	}
	if len(link.URL) > 300 {
		t.Errorf("the link has %d characters", len(link.URL))
	}
	if said := opens(t, link.URL); !strings.Contains(said, h.World().ID.String()) {
		t.Errorf("the node says %s", said)
	}
	if err := h.Inviter().RevokeInvitation(all.List[0].ID); err != nil {
		t.Fatal(err)
	}
	if said := opens(t, link.URL); !strings.Contains(said, `"error":"code"`) {
		t.Errorf("after it was revoked the node says %s", said)
	}
	if all, err = h.Inviter().Invites(); err != nil || len(all.List[0].Links) > 0 || all.List[0].State != "revoked" {
		t.Errorf("%+v, %v", all.List[0], err)
	}

	before := h.BrowsersAt()
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	h = start(t, c)
	if after := h.BrowsersAt(); len(after) != 1 || after[0].Fingerprint != before[0].Fingerprint {
		t.Errorf("%v became %v", before, after)
	}
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.Data, "keys", "browser.pem"), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := host.Start(c); err == nil || !strings.Contains(err.Error(), "browser.pem") {
		t.Errorf("a damaged certificate: %v", err)
	}
}

// TestHostileTerms: an invitation that is asked for in the game keeps within bounds.
func TestHostileTerms(t *testing.T) {
	h := start(t, invited(t))
	for _, terms := range []gateway.Terms{{May: "build", Note: strings.Repeat("a", 41)}, {May: "build", Days: -1}, {May: "build", Days: 1 << 30}, {May: "rule"}, {}} {
		if err := h.Inviter().CreateInvitation(terms); err == nil {
			t.Errorf("%+v was made", terms)
		}
	}
	for _, id := range []string{"", "zz", "../../keys"} {
		if err := h.Inviter().RevokeInvitation(id); err == nil {
			t.Errorf("%q was revoked", id)
		}
	}
}

// TestLinkOfTwoNodes: the link names the other node too, which lets in by it when this
// one is off, and players are told where to go on.
func TestLinkOfTwoNodes(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c := invited(t)
	c.Page = "https://example.org/game/"
	one := start(t, c)
	d := joiner(t, one.Invitation())
	d.Share = true
	two := start(t, d)
	until(t, "the nodes to know of each other", func() bool { return len(one.BrowsersAt()) == 2 && len(two.BrowsersAt()) == 2 })
	if own, other := one.BrowsersAt(), two.BrowsersAt(); own[0] != other[1] || own[1] != other[0] {
		t.Errorf("one says %v, the other %v", own, other)
	}
	_, fragment, _ := strings.Cut(one.Link(one.Invitation().Text()), "#")
	v, err := url.ParseQuery(fragment)
	if err != nil || len(v["at"]) != 2 {
		t.Fatalf("%s: %v", fragment, err)
	}
	stop(t, one)
	if said := opensAt(t, v["at"][1], v.Get("code")); !strings.Contains(said, two.World().ID.String()) {
		t.Errorf("the other node says %s", said)
	}
}
