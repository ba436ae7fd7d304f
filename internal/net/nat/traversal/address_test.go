package traversal

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// founders have two addresses: one that they announce, and one that a joiner was
// told and reaches them at.
var founders = []struct{ name, announced, reached, named string }{
	{"loopback and network", "192.168.1.2:1", "127.0.0.1:1", "192.168.1.2:1"},
	{"network and public, behind a one-to-one translator", "10.0.0.2:1", "203.0.113.5:1", "203.0.113.5:1"},
	{"network and public, from the same network", "203.0.113.5:1", "192.168.1.2:1", "203.0.113.5:1"},
	{"IPv4 and IPv6", "203.0.113.5:1", "[2001:db8::5]:1", "203.0.113.5:1"},
	{"private IPv4 and IPv6", "10.0.0.2:1", "[2001:db8::5]:1", "[2001:db8::5]:1"},
}

// TestNodeWithTwoAddressesStaysReachable: a joiner that was told one of a founder's addresses knows it by
// the one that is of use from farther away, and goes on reaching it where it has
// reached it: over the first link, by datagrams without a link, and after the
// founder has started anew.
func TestNodeWithTwoAddressesStaysReachable(t *testing.T) {
	for _, c := range founders {
		t.Run(c.name, func(t *testing.T) {
			w := newTestNetwork(t, 1)
			founder := w.site(c.reached, false)
			founder.local = addr(c.announced)
			founder.startNode()
			joiner := w.site("198.51.100.7:1", false)
			joiner.startNode(founder)
			w.run(DefaultDialBackTimeout + time.Second)
			as := joiner.named[founder.self.ID]
			if as.Addr != addr(c.named) {
				t.Fatalf("the joiner knows the founder by %v, want %s", as, c.named)
			}
			joiner.wantReaches(t, founder, as, "at first")

			founder.kill()
			w.run(2 * dead)
			founder.startNode()
			w.run(time.Second)
			joiner.env.Open(as)
			w.run(time.Second)
			joiner.wantReaches(t, founder, as, "after the founder's restart")
		})
	}
}

// wantReaches lets a node say something to another over the link that it has, and
// by a datagram once it has none.
func (s *site) wantReaches(t *testing.T, remote *site, as machine.Peer, when string) {
	t.Helper()
	said := len(remote.got)
	s.env.Send(as, linkMessage("over the link"))
	s.run(time.Second)
	s.env.Close(as)
	s.run(time.Second)
	s.env.Send(as, datagramMessage("without a link"))
	s.run(time.Second)
	if got := remote.got[said:]; len(got) != 2 {
		t.Errorf("%s: the founder has heard %q, want both", when, got)
	}
}

// TestSecondAttemptUsesAnnouncedAddress: where a node was reached nobody answers any more. The second
// attempt goes to where it says that it is.
func TestSecondAttemptUsesAnnouncedAddress(t *testing.T) {
	w := newTestNetwork(t, 1)
	founder := w.site("127.0.0.1:1", false)
	founder.local = addr("192.168.1.2:1")
	founder.startNode()
	joiner := w.site("198.51.100.7:1", false)
	joiner.startNode(founder)
	w.run(DefaultDialBackTimeout + time.Second)
	as := joiner.named[founder.self.ID]
	founder.kill()
	w.run(2 * dead)

	founder.self.Addr = founder.local
	founder.startNode()
	joiner.env.Send(as, datagramMessage("at both addresses"))
	w.run(time.Second)
	if len(founder.got) != 1 {
		t.Errorf("the founder has heard %q at its other address", founder.got)
	}
	for range 2 {
		joiner.env.Open(as)
		w.run(2 * dead)
	}
	joiner.wantReaches(t, founder, as, "at its other address")
}
