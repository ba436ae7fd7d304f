package e2e

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/lab/netns"
)

// lan is a network of machines, each of them a network namespace. This process, and so
// its browsers, is connected to it as well.
type lan struct {
	t   *testing.T
	net *netns.Network
}

// machine is a computer in a network.
type machine struct {
	t *testing.T
	*netns.Machine
}

// newLAN makes a network, or skips the test where that is impossible.
func newLAN(t *testing.T) *lan {
	t.Helper()
	n, err := netns.New(netns.OneSubnet)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { must(t, n.Close()) })
	return &lan{t, n}
}

// machine adds a machine to the network.
func (l *lan) machine() *machine {
	l.t.Helper()
	m, err := l.net.Machine()
	must(l.t, err)
	return &machine{l.t, m}
}

// behind adds a router to the network, and a machine behind it.
func (l *lan) behind(rules string) (m, r *machine) {
	l.t.Helper()
	home, router, err := l.net.Behind(rules)
	must(l.t, err)
	return &machine{l.t, home}, &machine{l.t, router}
}

// unplug cuts the machine off: what it sends, and what is sent to it, is lost.
func (m *machine) unplug() {
	m.t.Helper()
	must(m.t, m.Unplug())
}

// plug connects the machine again.
func (m *machine) plug() {
	m.t.Helper()
	must(m.t, m.Plug())
}

// sent is how many packets a router has sent from its network to an address.
func (m *machine) sent(to string) int {
	m.t.Helper()
	n, err := m.Sent(to)
	must(m.t, err)
	return n
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// startOn starts a node on a machine, with a data folder.
func startOn(t *testing.T, m *machine, data string, args ...string) *server {
	t.Helper()
	return startMapped(t, m, data, append([]string{"--no-port-mapping"}, args...)...)
}

// startMapped does that and lets the node ask its router for a port.
func startMapped(t *testing.T, m *machine, data string, args ...string) *server {
	t.Helper()
	s := &server{t: t, data: data, on: m.On(), args: append([]string{"--ntp", "none"}, args...)}
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Logf("the log of the node at %s:\n%s", m.Addr, s.log.String())
		}
	})
	s.start(4747)
	return s
}
