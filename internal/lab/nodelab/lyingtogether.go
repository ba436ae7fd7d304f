package nodelab

import (
	"context"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// lieTogether lets the leader of the spawn's region lie while another of the three hosts,
// which checks nothing, follows it. What was acknowledged to players at honest nodes counts.
func (c *cluster) lieTogether(es *masons, what lie, load time.Duration, nodes, number int) (o lieOutcome, err error) {
	region := c.spawn.Region()
	second, err := c.addNode(true)
	if err != nil {
		return o, err
	}
	ctx, stop := context.WithCancel(c.ctx)
	defer stop()
	reports := es.play(ctx)
	if _, err = c.settled(region, 3); err != nil {
		return o, err
	}
	for len(c.nodes) < nodes { // they host nothing there
		if _, err = c.addNode(false); err != nil {
			return o, err
		}
	}
	liar, _, began, err := c.begin(es, what, load, 1, func(leader *NodeProcess) error {
		r, err := second.Ask(NodeOrder{Region: &region})
		if err == nil && (leader == second || !r.Holds) {
			err = errOtherHosts
		}
		return err
	})
	if err != nil {
		return o, err
	}
	liar.dead, second.dead = true, true // nobody asks them any more; they go on
	defer func() { liar.dead, second.dead = false, false }()
	if err = c.wait(liar, liar.Self.ID, region, began, caughtTimeTwo, &o, func() bool { return o.caught && o.replace > 0 }); err != nil {
		return o, err
	}
	o.caught = o.caught && o.replace > 0
	var honest []*Mason
	for i, e := range es.all {
		if es.at[i] == liar || es.at[i] == second {
			continue
		}
		honest = append(honest, e)
		if !o.caught {
			continue
		}
		took, err := again(ctx, reports[i], began.Add(lab.Duration(o.replace)), recoverTime)
		if err != nil {
			return o, fmt.Errorf("editor %d: %w", i, err)
		}
		o.accepts = max(o.accepts, took.Seconds()+o.replace)
	}
	stop()
	es.settle(liar)
	if o.held, o.lost, _, err = c.look(acknowledged(honest), number); err != nil || !o.caught {
		return o, err
	}
	return o, c.explained(liar.Self.ID)
}

// addNode starts another node.
func (c *cluster) addNode(unchecked bool) (*NodeProcess, error) {
	data, err := nodeFolder(c.dir, len(c.nodes))
	if err != nil {
		return nil, err
	}
	c.setup.unchecked = unchecked
	p, err := c.start(data, "")
	c.setup.unchecked = false
	if err == nil {
		c.nodes = append(c.nodes, p)
	}
	return p, err
}
