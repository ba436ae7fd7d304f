package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// subnet is that of the machines of a test, of the addresses for documentation
// (RFC 5737): to the program they are public ones.
const subnet = "198.51.100."

// lan is a network of machines, each of them a network namespace. This process, and so
// its browsers, is connected to it as well. The switch is in a namespace of its own, so
// that no firewall of this machine applies to what passes through it.
type lan struct {
	t        *testing.T
	name     string // begins the names of all that is made
	machines int
}

// machine is a computer in a network.
type machine struct {
	lan      *lan
	ns, addr string
	port     string // of the switch, that its cable is plugged into
}

// newLAN makes a network, or skips the test where that is impossible.
func newLAN(t *testing.T) *lan {
	t.Helper()
	l := &lan{t: t, name: fmt.Sprintf("vpe%d", os.Getpid())}
	if err := ip("netns add " + l.bridge()); err != nil {
		t.Skipf("machines of their own need Linux, root and the program ip: %v", err)
	}
	t.Cleanup(func() { l.remove(l.bridge()) })
	l.ip("-n %s link add br0 type bridge", l.bridge())
	l.ip("-n %s link set br0 up", l.bridge())
	l.ip("link add %s type veth peer name port0 netns %s", l.name, l.bridge())
	t.Cleanup(func() { // a namespace that is removed takes its cables along some time later
		if err := ip("link del " + l.name); err != nil {
			t.Error(err)
		}
	})
	l.ip("addr add %s1/24 dev %s", subnet, l.name)
	l.ip("link set %s up", l.name)
	l.ip("-n %s link set port0 master br0 up", l.bridge())
	return l
}

// machine adds a machine to the network.
func (l *lan) machine() *machine {
	l.t.Helper()
	l.machines++
	m := &machine{lan: l, ns: fmt.Sprintf("%s-%d", l.name, l.machines), addr: fmt.Sprint(subnet, l.machines+1), port: fmt.Sprint("port", l.machines)}
	l.ip("netns add %s", m.ns)
	l.t.Cleanup(func() { l.remove(m.ns) })
	l.ip("-n %s link add eth0 type veth peer name %s netns %s", m.ns, m.port, l.bridge())
	l.ip("-n %s addr add %s/24 dev eth0", m.ns, m.addr)
	l.ip("-n %s link set eth0 up", m.ns)
	l.ip("-n %s link set lo up", m.ns)
	l.ip("-n %s link set %s master br0 up", l.bridge(), m.port)
	return m
}

// on is the command that programs are started by on the machine.
func (m *machine) on() []string { return []string{"ip", "netns", "exec", m.ns} }

// unplug cuts the machine off: what it sends, and what is sent to it, is lost.
func (m *machine) unplug() {
	m.lan.t.Helper()
	m.lan.ip("-n %s link set %s down", m.lan.bridge(), m.port)
}

// plug connects the machine again.
func (m *machine) plug() {
	m.lan.t.Helper()
	m.lan.ip("-n %s link set %s up", m.lan.bridge(), m.port)
}

func (l *lan) bridge() string { return l.name + "-br" }

func (l *lan) ip(format string, args ...any) {
	l.t.Helper()
	if err := ip(fmt.Sprintf(format, args...)); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lan) remove(ns string) {
	if err := ip("netns del " + ns); err != nil { // its cables go with it
		l.t.Error(err)
	}
}

func ip(args string) error {
	if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %w: %s", args, err, out)
	}
	return nil
}

// startOn starts a node on a machine, with a data folder.
func startOn(t *testing.T, m *machine, data string, args ...string) *server {
	t.Helper()
	return startMapped(t, m, data, append([]string{"--no-port-mapping"}, args...)...)
}

// startMapped does that and lets the node ask its router for a port.
func startMapped(t *testing.T, m *machine, data string, args ...string) *server {
	t.Helper()
	s := &server{t: t, data: data, on: m.on(), args: append([]string{"--ntp", "none"}, args...)}
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Logf("the log of the node at %s:\n%s", m.addr, s.log.String())
		}
	})
	s.start(4747)
	return s
}
