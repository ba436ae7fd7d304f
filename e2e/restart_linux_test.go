package e2e

import (
	"net"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/lab/netns"
)

// TestChangedNetwork: the machine of a browser gets another network card with another
// address, as when a telephone leaves the Wi-Fi. The browser plays on in the same
// connection.
func TestChangedNetwork(t *testing.T) {
	lan := newLAN(t)
	vps, phone := lan.machine(), lan.machine()
	l, err := net.Listen("tcp", netns.OneSubnet.Own+":0")
	if err != nil {
		t.Fatal(err)
	}
	one := startOn(t, vps, t.TempDir(), "--share", "--page", servePage(t, l))
	ann := newPlayerOn(phone, "Ann")
	ann.open(one.link)
	ann.enter()
	at := ann.state().Gateway
	if !strings.HasPrefix(at, "webrtc:") {
		t.Fatalf("Ann plays at %s", at)
	}
	buildAlone(ann)
	ann.eval("(window.links = [], setInterval(() => links.at(-1) === vp.state().link || links.push(vp.state().link), 20), 0)", nil)
	must(t, phone.Replug(netns.OneSubnet.Machine(198)))
	ann.say("Still here.")
	ann.hears("Ann", "Still here.")
	buildAlone(ann)
	var links []string
	ann.eval("links", &links)
	if len(links) != 1 {
		t.Errorf("the connection was %q", links)
	}
	if n := strings.Count(one.log.String(), "player connected"); n != 1 {
		t.Errorf("Ann has entered %d times", n)
	}
}
