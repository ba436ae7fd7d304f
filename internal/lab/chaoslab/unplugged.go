package chaoslab

import (
	"errors"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/netns"
)

// newMachines makes a network with a machine for each node. A machine whose cable is
// pulled is cut off from everybody, as by a router that is switched off: no packet is
// dropped by anything that knows of nodes.
func newMachines(nodes int) (*netns.Network, []*netns.Machine, error) {
	n, err := netns.New(netns.Subnets)
	if err != nil {
		return nil, nil, fmt.Errorf("%w; else --set hosts=loopback", err)
	}
	var machines []*netns.Machine
	for range nodes {
		m, err := n.Machine()
		if err != nil {
			return nil, nil, errors.Join(err, n.Close())
		}
		machines = append(machines, m)
	}
	return n, machines, nil
}

// pulledCables is what else can go wrong with machines of their own.
var pulledCables = chaosFault{"pulled_cables", 14, 1, 5,
	func(c *chaos, p *chaosProcess, _ *rng.Rand) error {
		p.up.Store(false)
		return c.machines[p.number].Unplug()
	},
	func(c *chaos, p *chaosProcess) error {
		err := c.machines[p.number].Plug()
		p.up.Store(err == nil)
		return err
	},
	nil,
}
