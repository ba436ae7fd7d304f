package chaoslab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// cables are a network of hosts for an experiment's nodes: a network namespace
// for each of them, with a cable to a bridge that the lab is at as well. A host
// whose cable is pulled is cut off from everybody, as by a router that is
// switched off: no packet is dropped by anything that knows of nodes.
type cables struct {
	name  string // of the bridge; others are made from it
	hosts int
}

// Of the addresses that nobody routes but benchmarks (RFC 2544); hosts are in
// subnets of their own, as in the real world.
const (
	cablesBits = 15
	labAddress = "198.19.255.254"
)

func hostAddress(i int) string { return fmt.Sprintf("198.18.%d.1", i+1) }

// layCables makes a network of so many hosts.
func layCables(hosts int) (c *cables, err error) {
	c = &cables{fmt.Sprintf("vp%d", os.Getpid()), hosts}
	defer func() {
		if err != nil {
			err = fmt.Errorf("hosts of their own need Linux, root and the program ip (else --set hosts=loopback): %w", errors.Join(err, c.remove()))
		}
	}()
	var todo []string
	todo = append(todo, fmt.Sprintf("link add %s type bridge", c.name),
		fmt.Sprintf("addr add %s/%d dev %s", labAddress, cablesBits, c.name), fmt.Sprintf("link set %s up", c.name))
	for i := range hosts {
		ns := c.host(i)
		todo = append(todo, "netns add "+ns,
			fmt.Sprintf("link add %s type veth peer name eth0 netns %s", c.cable(i), ns),
			fmt.Sprintf("link set %s master %s up", c.cable(i), c.name),
			fmt.Sprintf("-n %s addr add %s/%d dev eth0", ns, hostAddress(i), cablesBits),
			fmt.Sprintf("-n %s link set eth0 up", ns), fmt.Sprintf("-n %s link set lo up", ns))
	}
	for _, do := range todo {
		if err := lab.IP(do); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *cables) host(i int) string  { return fmt.Sprintf("%s-%d", c.name, i) }
func (c *cables) cable(i int) string { return fmt.Sprintf("%sc%d", c.name, i) }

// remove removes what is there of the network.
func (c *cables) remove() error {
	var failed []error
	there, err := exec.Command("ip", "netns", "list").Output()
	if err != nil {
		return nil // then nothing could be made
	}
	for i := range c.hosts {
		if slices.Contains(strings.Fields(string(there)), c.host(i)) {
			failed = append(failed, lab.IP("netns del "+c.host(i))) // and its end of the cable
		}
	}
	if exec.Command("ip", "link", "show", c.name).Run() == nil {
		failed = append(failed, lab.IP("link del "+c.name))
	}
	return errors.Join(failed...)
}

// on is what a program is started with to run on a host.
func (c *cables) on(i int) []string { return []string{"ip", "netns", "exec", c.host(i)} }

func (c *cables) pull(i int) error { return lab.IP(fmt.Sprintf("link set %s down", c.cable(i))) }
func (c *cables) plug(i int) error { return lab.IP(fmt.Sprintf("link set %s up", c.cable(i))) }

// pulledCables is what else can go wrong with hosts of their own.
var pulledCables = chaosFault{"pulled_cables", 14, 1, 5,
	func(c *chaos, p *chaosProcess, _ *rng.Rand) error {
		p.up.Store(false)
		return c.cables.pull(p.number)
	},
	func(c *chaos, p *chaosProcess) error {
		err := c.cables.plug(p.number)
		p.up.Store(err == nil)
		return err
	},
}
