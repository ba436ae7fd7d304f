package netns

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
)

// Addresses of a home: of its router, and of the machine behind it.
const (
	RouterAtHome = "192.168.0.1"
	AtHome       = "192.168.0.2"
)

// What routers do, as rules for the program nft; the names are those of RFC 4787. A router
// lets in what answers, and nothing else, and counts what it sends to whom.
const (
	router = `
table ip watch {
	set sent { type ipv4_addr; flags dynamic; counter; }
	chain input { type filter hook input priority 0; iifname "eth0" drop; }
	chain forward {
		type filter hook forward priority 0; policy drop;
		iifname "lan0" add @sent { ip daddr } accept;
		ct state established,related accept;
		ct status dnat accept;
	}
`
	// Symmetric: a port of its own for each address and port that is sent to, and only
	// that answers.
	Symmetric = router + `
	chain out { type nat hook postrouting priority 100; oifname "eth0" masquerade fully-random; }
}`
	// PortRestricted: one port as long as it is free, at which only those addresses and
	// ports that were sent to may answer.
	PortRestricted = router + `
	chain out { type nat hook postrouting priority 100; oifname "eth0" masquerade; }
}`
	// Mapping is the same, with a chain "in" for what somebody adds who opens ports.
	Mapping = router + `
	chain out { type nat hook postrouting priority 100; oifname "eth0" masquerade; }
	chain in { type nat hook prerouting priority -100; }
}`
	// AddressRestricted: one port, NodePort, at which all addresses that were sent to may
	// answer.
	AddressRestricted = router + `
	chain out { type nat hook postrouting priority 100; oifname "eth0" masquerade; }
	chain in { type nat hook prerouting priority -100; iifname "eth0" ip saddr @sent udp dport ` + NodePort + ` dnat to ` + AtHome + `; }
}`
	// NodePort is that of a node's UDP socket.
	NodePort = "4747"
)

// Behind adds a router to the network, and a machine behind it.
func (n *Network) Behind(rules string) (home, router *Machine, err error) {
	if router, err = n.Machine(); err != nil {
		return nil, nil, err
	}
	home = &Machine{NS: router.NS + "-home", Addr: AtHome, net: n}
	if err := n.namespace(home.NS); err != nil {
		return nil, nil, err
	}
	err = IP(
		fmt.Sprintf("-n %s link add eth0 type veth peer name lan0 netns %s", home.NS, router.NS),
		fmt.Sprintf("-n %s addr add %s/%d dev lan0", router.NS, RouterAtHome, n.plan.Bits),
		fmt.Sprintf("-n %s link set lan0 up", router.NS),
		fmt.Sprintf("-n %s addr add %s/%d dev eth0", home.NS, home.Addr, n.plan.Bits),
		fmt.Sprintf("-n %s link set eth0 up", home.NS),
		fmt.Sprintf("-n %s route add default via %s", home.NS, RouterAtHome))
	if err == nil {
		err = router.Run("", "sysctl", "-qw", "net.ipv4.ip_forward=1")
	}
	if err == nil {
		err = router.Run(rules, "nft", "-f", "-")
	}
	if err != nil {
		return nil, nil, err
	}
	return home, router, nil
}

// OpenPort lets a router with the rules Mapping pass what comes to one of its UDP ports on
// to its home.
func (m *Machine) OpenPort(port uint16) error {
	return m.Run("", "nft", "add", "rule", "ip", "watch", "in", "iifname", "eth0", "udp", "dport", strconv.Itoa(int(port)), "dnat", "to", AtHome)
}

// Sent is how many packets a router has sent from its home to an address.
func (m *Machine) Sent(to string) (int, error) {
	args := append(m.On(), "nft", "list", "set", "ip", "watch", "sent")
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	found := regexp.MustCompile(regexp.QuoteMeta(to) + ` counter packets (\d+) `).FindSubmatch(out)
	if found == nil {
		return 0, nil
	}
	return strconv.Atoi(string(found[1]))
}
