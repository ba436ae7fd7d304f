package nodelab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// cluster is a world that several processes on this machine host, in a folder
// of its own.
type cluster struct {
	ctx   context.Context
	dir   string
	nodes []*NodeProcess
	gen   *terrain.Generator
	spawn world.Pos

	setup clusterSetup
}

// clusterSetup is how a cluster's nodes run; its zero value: in an open world, as they
// are by themselves.
type clusterSetup struct {
	unchecked bool // nobody replays what leaders do
	spareless bool // no node keeps copies
	pairs     bool // masons join two at a node
	admission admission
}

// NodeProcess is one node of a cluster.
type NodeProcess struct {
	*lab.Process
	Data string
	at   string // where it takes part, also if it takes itself for hidden
	NodeReport
	dead bool
}

// SettleTime bounds how long nodes may take to share what they host.
const SettleTime = 60 * time.Second

// startCluster begins a world and lets n nodes host it.
func startCluster(ctx context.Context, seed uint64, n int, setup clusterSetup) (*cluster, error) {
	dir, err := os.MkdirTemp("", "voxelpopuli-lab-")
	if err != nil {
		return nil, err
	}
	gen := terrain.New(seed)
	c := &cluster{ctx: ctx, dir: dir, gen: gen, spawn: gen.Spawn(), setup: setup}
	for i := range n {
		var p *NodeProcess
		data, err := nodeFolder(dir, i)
		if err == nil && i == 0 {
			err = c.setup.admission.found(dir, data, seed)
		}
		if err == nil {
			p, err = c.start(data, "")
		}
		if err != nil {
			c.close()
			return nil, fmt.Errorf("node %d: %w", i, err)
		}
		c.nodes = append(c.nodes, p)
	}
	return c, nil
}

// start runs a node with its folder and address; it joins by the others that
// run.
func (c *cluster) start(data, at string) (*NodeProcess, error) {
	o := NodeOrder{Data: data, At: at, Unchecked: c.setup.unchecked, Spareless: c.setup.spareless}
	if err := c.setup.admission.admit(&o, len(c.nodes) == 0 || data == c.nodes[0].Data); err != nil {
		return nil, err
	}
	for _, other := range c.nodes {
		if !other.dead && other.Nodes != "" && !o.Share { // the founder's has no invitation
			o.Join = append(o.Join, other.Nodes)
		}
	}
	np, err := startNode(c.ctx, o)
	if err != nil {
		return nil, err
	}
	if np.at = np.Nodes; np.at == "" {
		np.at = at
	}
	if np.Invitation != "" {
		c.setup.admission.invitation = np.Invitation
	}
	return np, nil
}

// startNode starts a process with its first order.
func startNode(ctx context.Context, o NodeOrder) (*NodeProcess, error) {
	p, err := lab.Start(ctx, ChildHost, os.Stderr)
	if err != nil {
		return nil, err
	}
	np := &NodeProcess{Process: p, Data: o.Data}
	if np.NodeReport, err = np.Ask(o); err != nil {
		p.Close()
		return nil, err
	}
	return np, nil
}

// Ask gives an order to a node.
func (p *NodeProcess) Ask(o NodeOrder) (r NodeReport, err error) {
	err = p.Do(o, &r, SettleTime)
	if err == nil && r.Error != "" {
		err = errors.New(r.Error)
	}
	return r, err
}

// leader returns the node that leads a region, as most nodes that live know it,
// and with how many voters; nil if they do not agree.
func (c *cluster) leader(at world.RegionPos) (*NodeProcess, int, error) {
	var lead *NodeProcess
	voters := 0
	for _, p := range c.nodes {
		if p.dead {
			continue
		}
		r, err := p.Ask(NodeOrder{Region: &at})
		if err != nil {
			return nil, 0, err
		}
		if r.Leader == p.Self { // who leads knows
			if lead != nil {
				return nil, 0, nil
			}
			lead, voters = p, r.Members
		}
	}
	return lead, voters, nil
}

// settled waits until a region has a leader and so many voters.
func (c *cluster) settled(at world.RegionPos, voters int) (*NodeProcess, error) {
	end := time.Now().Add(SettleTime)
	for {
		lead, have, err := c.leader(at)
		if err != nil || lead != nil && have >= voters {
			return lead, err
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("the region %v has %d hosts of %d after %v", at, have, voters, SettleTime)
		}
		if err := lab.Sleep(c.ctx, 100*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// kill ends a node at once.
func (c *cluster) kill(p *NodeProcess) error {
	p.dead = true
	return p.Kill()
}

// revive starts a node that was killed again, with what is on its disk and at the
// address that others know.
func (c *cluster) revive(p *NodeProcess) error {
	again, err := c.start(p.Data, p.at)
	if err == nil {
		*p = *again
	}
	return err
}

// close ends all nodes and forgets the world. Nothing of it is needed any more,
// so nobody is asked to hand over first.
func (c *cluster) close() error {
	for _, p := range c.nodes {
		if !p.dead {
			_ = c.kill(p) // it may have ended by itself
		}
	}
	return errors.Join(c.setup.admission.close(), os.RemoveAll(c.dir))
}
