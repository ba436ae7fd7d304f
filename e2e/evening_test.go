package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// What hosts of the evening are started with: all there is about who may come in is
// here.
const eveningCode = "sesame"

// founding are the arguments of a machine that shares a world.
func founding() []string {
	return []string{"--listen", "0.0.0.0:4747", "--join-code", eveningCode, "--ntp", "none", "--no-port-mapping", "--open-status"}
}

// joining are those of a machine that hosts a share of it, by the founder's link.
func joining(founder string) []string { return append(founding(), "--join", founder+":4747") }

// link is what friends are sent.
func link(host string) string { return fmt.Sprintf("http://%s:4747/#code=%s", host, eveningCode) }

// startAt starts a node on a machine of the internet, which others reach at an
// address.
func (i *internet) startAt(name, host string, args []string) *server {
	i.t.Helper()
	s := &server{t: i.t, data: i.t.TempDir(), args: args, ns: i.ns(name), at: "http://" + host + ":4747/"}
	i.t.Cleanup(func() {
		s.kill()
		if i.t.Failed() {
			i.t.Logf("the log of the node at %s:\n%s", name, s.log.String())
		}
	})
	s.start(-1)
	return s
}

// TestEvening: a founder starts a world on a server, whose provider translates its
// address, and leaves. Two others join by its link, Bea with a machine that hosts a
// share. The server is switched off: both play on, Ann's page goes over to Bea's
// machine. The server comes back, and has what was built meanwhile.
func TestEvening(t *testing.T) {
	if testing.Short() {
		t.Skip("starts nodes and browsers")
	}
	net := newInternet(t)
	const atServer, atHome = netPrefix + "2", netPrefix + "10"
	net.translated("vps", "2")
	net.machine("home", "10")

	founder := net.startAt("vps", atServer, founding())
	home := net.startAt("home", atHome, joining(atServer))
	bea := newPlayer(t, "Bea")
	bea.open(link(atHome))
	begun := time.Now()
	bea.enter()
	t.Logf("Bea is in after %s, though nobody has entered at the founder's", time.Since(begun).Round(time.Millisecond))
	home.until("Bea's machine to lead where Bea plays, while nobody plays at the founder's", func(h hosting) bool {
		return h.leader("hall") == h.Node[:8] && h.leader(partAt(bea.state())) == h.Node[:8]
	})
	ann := newPlayer(t, "Ann")
	ann.open(link(atServer))
	ann.enter()
	ann.until("to see Bea on the list", func(s state) bool { return len(s.Players) == 2 })
	ann.until("to know where else to go", func(s state) bool { return s.Entrances >= 1 })
	standing := bea.until("to stand", func(s state) bool { return s.OnGround })

	founder.kill()
	net.cable("vps", false)
	_, built := buildAlone(bea) // waits until it is acknowledged
	t.Logf("Bea built at %v, standing at %v", built, standing.Pos)
	ann.until("to play on through Bea's machine", func(s state) bool { return s.Stage == "playing" && s.Ready && s.Gateway == home.url })
	ann.until("to see what Bea has built", func(state) bool { return ann.block(built.x, built.y, built.z) == built.block })
	ann.say("still here")
	bea.hears("Ann", "still here")

	net.cable("vps", true)
	founder.again()
	founder.until("the founder to have copies again", func(h hosting) bool { return h.Copies > 0 })
	ann.do("leave the page", chromedp.Navigate("about:blank")) // else only the fragment changes
	ann.open(link(atServer))
	ann.enter()
	ann.until("to see through the founder what was built meanwhile", func(state) bool {
		return ann.block(built.x, built.y, built.z) == built.block
	})
	ann.until("to see Bea on the list", func(s state) bool { return len(s.Players) == 2 })
	for _, p := range []*player{ann, bea} {
		if len(p.errors) > 0 {
			t.Errorf("%s: exceptions: %v", p.name, p.errors)
		}
	}
}
