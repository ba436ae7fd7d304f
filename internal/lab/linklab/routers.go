package linklab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// routers are a network of network namespaces: public ones, and homes behind routers
// that translate addresses, with the kernel's own translation.
type routers struct {
	name string // of the bridge; others are made from it
	made []string
}

// Of the addresses for documentation (RFC 5737): to a node they are public ones.
const (
	routersNet = "198.51.100."
	homeNet    = "192.168.0."
)

// place is a computer in the network.
type place struct {
	ns, addr string
}

// on is what a program is started with to run there.
func (p *place) on() []string { return []string{"ip", "netns", "exec", p.ns} }

// What routers do (RFC 4787): each lets in what answers, and counts what it sends to whom.
const (
	routerRules = `
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
	// a port of its own for each address and port that is sent to
	symmetricRouter = routerRules + `
	chain out { type nat hook postrouting priority 100; oifname "eth0" masquerade fully-random; }
}`
	// one port, at which all addresses that were sent to may answer
	restrictedRouter = routerRules + `
	chain out { type nat hook postrouting priority 100; oifname "eth0" masquerade; }
	chain in { type nat hook prerouting priority -100; iifname "eth0" ip saddr @sent udp dport ` + nodePort + ` dnat to ` + homeNet + `2; }
}`
	nodePort = "4747"
)

// networks counts those of this process: cables go some time after their namespaces.
var networks atomic.Int32

func newRouters() (r *routers, err error) {
	r = &routers{name: fmt.Sprintf("vpr%dn%d", os.Getpid()%1e6, networks.Add(1))}
	err = errors.Join(lab.IP("link add "+r.name+" type bridge"), lab.IP("addr add "+r.address()+"/24 dev "+r.name), lab.IP("link set "+r.name+" up"))
	if err != nil {
		return nil, fmt.Errorf("routers need Linux, root and the program ip: %w", errors.Join(err, r.close()))
	}
	return r, nil
}

// address is that of this machine in the network.
func (r *routers) address() string { return routersNet + "1" }

// close removes all of it.
func (r *routers) close() (err error) {
	for _, ns := range r.made {
		err = errors.Join(err, lab.IP("netns del "+ns)) // and its cables
	}
	return errors.Join(err, lab.IP("link del "+r.name))
}

func (r *routers) namespace() (string, error) {
	ns := fmt.Sprintf("%s-%d", r.name, len(r.made))
	if err := lab.IP("netns add " + ns); err != nil {
		return "", err
	}
	r.made = append(r.made, ns)
	return ns, lab.IP("-n " + ns + " link set lo up")
}

// public adds a computer that everybody reaches.
func (r *routers) public() (*place, error) {
	ns, err := r.namespace()
	if err != nil {
		return nil, err
	}
	p := &place{ns, fmt.Sprint(routersNet, len(r.made)+1)}
	cable := fmt.Sprintf("%sc%d", r.name, len(r.made))
	return p, errors.Join(
		lab.IP(fmt.Sprintf("link add %s type veth peer name eth0 netns %s", cable, ns)),
		lab.IP(fmt.Sprintf("link set %s master %s up", cable, r.name)),
		lab.IP(fmt.Sprintf("-n %s addr add %s/24 dev eth0", ns, p.addr)),
		lab.IP(fmt.Sprintf("-n %s link set eth0 up", ns)))
}

// behind adds a router and a computer at home behind it.
func (r *routers) behind(rules string) (home, router *place, err error) {
	if router, err = r.public(); err != nil {
		return nil, nil, err
	}
	ns, err := r.namespace()
	if err != nil {
		return nil, nil, err
	}
	home = &place{ns, homeNet + "2"}
	err = errors.Join(
		lab.IP(fmt.Sprintf("-n %s link add eth0 type veth peer name lan0 netns %s", ns, router.ns)),
		lab.IP(fmt.Sprintf("-n %s addr add %s1/24 dev lan0", router.ns, homeNet)),
		lab.IP(fmt.Sprintf("-n %s link set lan0 up", router.ns)),
		lab.IP(fmt.Sprintf("-n %s addr add %s/24 dev eth0", ns, home.addr)),
		lab.IP(fmt.Sprintf("-n %s link set eth0 up", ns)),
		lab.IP(fmt.Sprintf("-n %s route add default via %s1", ns, homeNet)),
		router.run("", "sysctl", "-qw", "net.ipv4.ip_forward=1"),
		router.run(rules, "nft", "-f", "-"))
	return home, router, err
}

// run runs a program there.
func (p *place) run(in string, args ...string) error {
	args = append(p.on(), args...)
	c := exec.Command(args[0], args[1:]...)
	c.Stdin = strings.NewReader(in)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// sent is how many packets a router has sent from its home to an address.
func (p *place) sent(to string) (int, error) {
	args := append(p.on(), "nft", "list", "set", "ip", "watch", "sent")
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
