package e2e

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// home is the address of a machine behind a router, in the router's own network.
const home = "192.168.0.2"

// A router lets in what answers, and nothing else, and counts what it sends to whom.
// The names are those of RFC 4787.
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
	// a port of its own for each address and port that is sent to, and only that answers
	symmetric = router + `
	chain out { type nat hook postrouting priority 100; oifname "eth0" masquerade fully-random; }
}`
	// one port as long as it is free, at which only those addresses and ports that were
	// sent to may answer
	portRestricted = router + `
	chain out { type nat hook postrouting priority 100; oifname "eth0" masquerade; }
}`
	// the same, and what portmapper adds
	mapping = router + `
	chain out { type nat hook postrouting priority 100; oifname "eth0" masquerade; }
	chain in { type nat hook prerouting priority -100; }
}`
	// one port, at which all addresses that were sent to may answer
	addressRestricted = router + `
	chain out { type nat hook postrouting priority 100; oifname "eth0" masquerade; }
	chain in { type nat hook prerouting priority -100; iifname "eth0" ip saddr @sent udp dport 4747 dnat to ` + home + `; }
}`
)

// behind adds a router to the network, and a machine behind it.
func (l *lan) behind(rules string) (m, r *machine) {
	l.t.Helper()
	r = l.machine()
	l.machines++
	m = &machine{lan: l, ns: fmt.Sprintf("%s-%d", l.name, l.machines), addr: home}
	l.ip("netns add %s", m.ns)
	l.t.Cleanup(func() { l.remove(m.ns) })
	l.ip("-n %s link add eth0 type veth peer name lan0 netns %s", m.ns, r.ns)
	l.ip("-n %s addr add 192.168.0.1/24 dev lan0", r.ns)
	l.ip("-n %s link set lan0 up", r.ns)
	l.ip("-n %s addr add %s/24 dev eth0", m.ns, m.addr)
	l.ip("-n %s link set eth0 up", m.ns)
	l.ip("-n %s link set lo up", m.ns)
	l.ip("-n %s route add default via 192.168.0.1", m.ns)
	l.ip("netns exec %s sysctl -qw net.ipv4.ip_forward=1", r.ns)
	nft := exec.Command("ip", "netns", "exec", r.ns, "nft", "-f", "-")
	nft.Stdin = strings.NewReader(rules)
	if out, err := nft.CombinedOutput(); err != nil {
		l.t.Skipf("routers need the program nft: %v: %s", err, out)
	}
	return m, r
}

// sent is how many packets a router has sent from its network to an address.
func (m *machine) sent(to string) int {
	m.lan.t.Helper()
	out, err := exec.Command("ip", "netns", "exec", m.ns, "nft", "list", "set", "ip", "watch", "sent").CombinedOutput()
	if err != nil {
		m.lan.t.Fatalf("%v: %s", err, out)
	}
	found := regexp.MustCompile(regexp.QuoteMeta(to) + ` counter packets (\d+) `).FindSubmatch(out)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(found[1])) // digits
	return n
}
