// Package netns makes networks of network namespaces (Linux, root, the program ip):
// machines with cables that can be unplugged, and homes behind routers that translate
// addresses with the kernel's own translation (nftables). Experiments and the tests in
// Chromium start their nodes and browsers in them.
package netns

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
)

// Plan is which addresses a network has.
type Plan struct {
	Own     string           // of this process
	Machine func(int) string // of the machines, which are counted from 0
	Bits    int              // of the network's prefix
}

var (
	// OneSubnet is of the addresses for documentation (RFC 5737): to a node they are
	// public ones.
	OneSubnet = Plan{"198.51.100.1", func(i int) string { return fmt.Sprintf("198.51.100.%d", i+2) }, 24}
	// Subnets gives each machine a subnet of its own, as in the real world, of the
	// addresses for measurements (RFC 2544).
	Subnets = Plan{"198.19.255.254", func(i int) string { return fmt.Sprintf("198.18.%d.1", i+1) }, 15}
)

// Network is one that this process is connected to as well. The switch is in a namespace
// of its own, so that no firewall of this machine applies to what passes through it.
type Network struct {
	name     string // begins the names of all that is made
	plan     Plan
	machines int
	made     []string // namespaces
}

// networks counts those of this process: cables go some time after their namespaces.
var networks atomic.Int32

// New makes a network. Close removes it.
func New(plan Plan) (*Network, error) {
	n := &Network{name: fmt.Sprintf("vp%dn%d", os.Getpid()%1e6, networks.Add(1)), plan: plan}
	hub := n.hub()
	err := n.namespace(hub)
	if err == nil {
		err = IP(
			"-n "+hub+" link add br0 type bridge",
			"-n "+hub+" link set br0 up",
			fmt.Sprintf("link add %s type veth peer name own netns %s", n.name, hub),
			fmt.Sprintf("addr add %s/%d dev %s", plan.Own, plan.Bits, n.name),
			fmt.Sprintf("link set %s up", n.name),
			"-n "+hub+" link set own master br0 up")
	}
	if err != nil {
		return nil, fmt.Errorf("machines of their own need Linux, root and the program ip: %w", errors.Join(err, n.Close()))
	}
	return n, nil
}

// Close removes all of it. The own cable goes first: with the namespace at its other end
// it goes too, but some time later, perhaps just before it is to be removed here.
func (n *Network) Close() (err error) {
	if exec.Command("ip", "link", "show", n.name).Run() == nil {
		err = IP("link del " + n.name)
	}
	for _, ns := range n.made {
		err = errors.Join(err, IP("netns del "+ns))
	}
	return err
}

// hub is the namespace of the switch.
func (n *Network) hub() string { return n.name + "-hub" }

func (n *Network) namespace(ns string) error {
	if err := IP("netns add " + ns); err != nil {
		return err
	}
	n.made = append(n.made, ns)
	return IP("-n " + ns + " link set lo up")
}

// Machine adds a machine to the network.
func (n *Network) Machine() (*Machine, error) {
	i := n.machines
	n.machines++
	m := &Machine{NS: fmt.Sprint(n.name, "-", i), Addr: n.plan.Machine(i), net: n, port: fmt.Sprint("port", i)}
	if err := n.namespace(m.NS); err != nil {
		return nil, err
	}
	return m, m.cable("eth0", m.port, m.Addr)
}

// Machine is a computer in a network: a network namespace.
type Machine struct {
	NS, Addr string
	net      *Network
	port     string // of the switch, that its cable is plugged into; none behind a router
}

// cable connects the machine to the switch.
func (m *Machine) cable(card, port, addr string) error {
	hub := m.net.hub()
	return IP(
		fmt.Sprintf("-n %s link add %s type veth peer name %s netns %s", m.NS, card, port, hub),
		fmt.Sprintf("-n %s addr add %s/%d dev %s", m.NS, addr, m.net.plan.Bits, card),
		fmt.Sprintf("-n %s link set %s up", m.NS, card),
		fmt.Sprintf("-n %s link set %s master br0 up", hub, port))
}

// On is the command that programs are started by on the machine.
func (m *Machine) On() []string { return []string{"ip", "netns", "exec", m.NS} }

// Run runs a program there.
func (m *Machine) Run(stdin string, args ...string) error {
	args = append(m.On(), args...)
	c := exec.Command(args[0], args[1:]...)
	c.Stdin = strings.NewReader(stdin)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Unplug cuts the machine off: what it sends, and what is sent to it, is lost.
func (m *Machine) Unplug() error {
	return IP(fmt.Sprintf("-n %s link set %s down", m.net.hub(), m.port))
}

// Plug connects the machine again.
func (m *Machine) Plug() error {
	return IP(fmt.Sprintf("-n %s link set %s up", m.net.hub(), m.port))
}

// Readdress gives the machine another address: sockets that have the old one are of no
// use any more.
func (m *Machine) Readdress(addr string) error {
	err := IP(
		fmt.Sprintf("-n %s addr flush dev eth0", m.NS),
		fmt.Sprintf("-n %s addr add %s/%d dev eth0", m.NS, addr, m.net.plan.Bits))
	if err == nil && m.port == "" { // the route went with the address
		err = IP(fmt.Sprintf("-n %s route replace default via %s", m.NS, RouterAtHome))
	}
	if err == nil {
		m.Addr = addr
	}
	return err
}

// Replug gives the machine another network card, with another address.
func (m *Machine) Replug(addr string) error {
	if err := IP(fmt.Sprintf("-n %s link del eth0", m.NS)); err != nil {
		return err
	}
	m.port += "b" // the old cable may still be there
	m.Addr = addr
	return m.cable("eth1", m.port, addr)
}

// IP runs the program ip with each of the arguments.
func IP(commands ...string) error {
	for _, args := range commands {
		if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", args, err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}
