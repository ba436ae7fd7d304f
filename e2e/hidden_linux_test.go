package e2e

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/lab/netns"
)

// TestHidden: a world is at home behind a router, and a browser behind another, which
// reaches it by its link through a small public node, and builds. It goes on over a
// direct path where the routers allow one, otherwise over the public node.
func TestHidden(t *testing.T) {
	for _, c := range []struct {
		name        string
		home, guest string
		direct      bool
	}{
		{"address-restricted", netns.AddressRestricted, netns.Symmetric, true},
		{"port-restricted", netns.PortRestricted, netns.PortRestricted, true},
		{"symmetric", netns.Symmetric, netns.Symmetric, false},
	} {
		t.Run(c.name, func(t *testing.T) { testHidden(t, c.home, c.guest, c.direct) })
	}
}

func testHidden(t *testing.T, behind, before string, direct bool) {
	lan := newLAN(t)
	vps := lan.machine()
	desk, desksRouter := lan.behind(behind)
	laptop, laptopsRouter := lan.behind(before)
	l, err := net.Listen("tcp", netns.OneSubnet.Own+":0")
	if err != nil {
		t.Fatal(err)
	}
	page := servePage(t, l)
	one := startOn(t, vps, t.TempDir(), "--share", "--page", page)
	world := startOn(t, desk, t.TempDir(), "--join", one.invitation, "--share", "--page", page)
	world.client = &http.Client{Transport: &http.Transport{DialContext: desk.dial}}
	link := world.linkOf(2)
	_, first, _ := strings.Cut(link, "&at=")
	at, fingerprint, _ := strings.Cut(first, "_")
	fingerprint, _, _ = strings.Cut(fingerprint, "&")
	if at != vps.Addr+":4747" {
		t.Fatalf("the link leads first to %s, not through the public node", at)
	}

	ann := newPlayerOn(laptop, "Ann")
	ann.open(link)
	ann.enter()
	if at := ann.state().Gateway; at != "webrtc:"+fingerprint {
		t.Fatalf("Ann plays at %s, not at the hidden node of %s", at, link)
	}
	buildAlone(ann)
	goes := func() bool { // directly
		toHome, toHelper := laptopsRouter.sent(desksRouter.Addr), laptopsRouter.sent(vps.Addr)
		time.Sleep(3 * time.Second)
		toHome, toHelper = laptopsRouter.sent(desksRouter.Addr)-toHome, laptopsRouter.sent(vps.Addr)-toHelper
		t.Logf("the browser sends %d packets to the other router and %d to the public node", toHome, toHelper)
		return toHome > toHelper
	}
	if goes() != direct {
		t.Errorf("the path is direct: %t", !direct)
	}

	// The guest's router gets another address, which the other one does not let in.
	ann.eval("(window.links = [], setInterval(() => links.at(-1) === vp.state().link || links.push(vp.state().link), 20), 0)", nil)
	must(t, laptopsRouter.Readdress(netns.OneSubnet.Machine(198)))
	ann.say("Still here.")
	ann.hears("Ann", "Still here.")
	buildAlone(ann)
	// Her laptop gets another address itself, as when it leaves the Wi-Fi: its sockets
	// are of no use any more.
	must(t, laptop.Readdress("192.168.0.3"))
	ann.say("And here.")
	ann.hears("Ann", "And here.")
	again := goes()
	for end := time.Now().Add(patience); direct && !again && time.Now().Before(end); again = goes() {
	}
	if again != direct { // without an ICE restart nobody would look for a direct path again
		t.Errorf("later the path is direct: %t", again)
	}
	var links []string
	ann.eval("links", &links)
	if n := strings.Count(world.log.String(), "player connected"); n != 1 || len(links) != 1 {
		t.Errorf("Ann has entered %d times; the connection was %q", n, links)
	}
}
