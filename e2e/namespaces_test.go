package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// internet is a few machines that reach each other over one network: network
// namespaces at a bridge that this process, and so its browsers, is connected to.
type internet struct {
	t   *testing.T
	tag string // begins the names of all that is made
}

// Addresses of the network (RFC 5737), and of what is behind a translator.
const (
	netPrefix  = "198.51.100."
	ownAddress = netPrefix + "100" // of this process
	insideNet  = "10.213.77."
)

// newInternet makes the network, or skips the test where that is impossible.
func newInternet(t *testing.T) *internet {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
	i := &internet{t: t, tag: fmt.Sprintf("vp%x", os.Getpid()&0xffff)}
	if out, err := exec.Command("ip", "netns", "add", i.tag+"net").CombinedOutput(); err != nil {
		t.Skipf("no network namespaces here: %v: %s", err, out)
	}
	t.Cleanup(func() { i.remove("net") })
	i.in("net", "ip link add br0 type bridge", "ip link set dev br0 up")
	i.plug("", i.tag+"me", ownAddress)
	return i
}

func (i *internet) ns(name string) string { return i.tag + name }

// in runs commands in a namespace; "": in this process's own.
func (i *internet) in(name string, commands ...string) {
	i.t.Helper()
	for _, c := range commands {
		args := strings.Fields(c)
		if name != "" {
			args = append([]string{"ip", "netns", "exec", i.ns(name)}, args...)
		}
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			i.t.Fatalf("%s: %v: %s", c, err, out)
		}
	}
}

func (i *internet) remove(name string) { _ = exec.Command("ip", "netns", "del", i.ns(name)).Run() }

// plug connects a namespace to the bridge by a device of its own.
func (i *internet) plug(name, dev, addr string) {
	i.t.Helper()
	port := "to" + i.tag + name
	link := fmt.Sprintf("ip link add %s type veth peer name %s netns %s", dev, port, i.ns("net"))
	i.in(name, link, fmt.Sprintf("ip addr add %s/24 dev %s", addr, dev), fmt.Sprintf("ip link set dev %s up", dev))
	i.in("net", fmt.Sprintf("ip link set dev %s master br0 up", port))
}

// machine makes a machine with an address in the network.
func (i *internet) machine(name, host string) {
	i.t.Helper()
	i.in("", "ip netns add "+i.ns(name))
	i.t.Cleanup(func() { i.remove(name) })
	i.in(name, "ip link set dev lo up")
	i.plug(name, "eth0", netPrefix+host)
}

// translated makes a machine that does not know its address in the network: it has
// one of its own, and a router translates between the two, one to one, as those of
// many providers of servers do.
func (i *internet) translated(name, host string) {
	i.t.Helper()
	router := name + "rt"
	i.machine(router, host)
	i.in("", "ip netns add "+i.ns(name))
	i.t.Cleanup(func() { i.remove(name) })
	i.in(name, "ip link set dev lo up",
		fmt.Sprintf("ip link add eth0 type veth peer name inside netns %s", i.ns(router)),
		"ip addr add "+insideNet+"2/24 dev eth0", "ip link set dev eth0 up", "ip route add default via "+insideNet+"1")
	i.in(router, "ip addr add "+insideNet+"1/24 dev inside", "ip link set dev inside up",
		"sysctl -qw net.ipv4.ip_forward=1",
		"iptables -w -t nat -A PREROUTING -d "+netPrefix+host+" -j DNAT --to-destination "+insideNet+"2",
		"iptables -w -t nat -A POSTROUTING -s "+insideNet+"2 -o eth0 -j SNAT --to-source "+netPrefix+host)
}

// cable plugs a machine's cable in, or pulls it.
func (i *internet) cable(name string, in bool) {
	i.t.Helper()
	state := map[bool]string{true: "up", false: "down"}[in]
	i.in(name, "ip link set dev eth0 "+state)
	if in && strings.Contains(i.addresses(name), insideNet) { // went with the cable
		i.in(name, "ip route replace default via "+insideNet+"1")
	}
}

func (i *internet) addresses(name string) string {
	out, _ := exec.Command("ip", "-n", i.ns(name), "addr").Output()
	return string(out)
}
