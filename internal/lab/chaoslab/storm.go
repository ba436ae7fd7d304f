package chaoslab

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// chaosFault is something that goes wrong with a node, or with several at once, for some
// rounds.
type chaosFault struct {
	name  string
	share int // of all faults
	least int // rounds
	most  int
	begin func(c *chaos, p *chaosProcess, r *rng.Rand) error
	end   func(c *chaos, p *chaosProcess) error // nil: calm state
	// choose chooses the nodes of those that are well; nil: any one. None: it does not
	// happen now.
	choose func(c *chaos, round int, well []*chaosProcess, r *rng.Rand) []*chaosProcess
}

var chaosFaults = []chaosFault{
	{"kills", 20, 1, 2, (*chaos).killNode, (*chaos).start, nil},
	{"long_absences", 6, 6, 8, (*chaos).killNode, (*chaos).start, nil}, // others take its places, it comes back with its old data
	{"freezes", 16, 1, 4, func(_ *chaos, p *chaosProcess, _ *rng.Rand) error { return p.freeze() }, func(_ *chaos, p *chaosProcess) error { return p.thaw() }, nil},
	{"cuts", 14, 1, 5, (*chaos).cutNode, nil, nil},
	{"one_way_cuts", 14, 1, 4, (*chaos).muteNode, nil, nil},
	{"slow_disks", 12, 1, 4, func(_ *chaos, p *chaosProcess, r *rng.Rand) error {
		p.state.Sync = time.Duration(50+r.Intn(500)) * time.Millisecond
		return nil
	}, nil, nil},
	{"full_disks", 10, 1, 3, func(_ *chaos, p *chaosProcess, _ *rng.Rand) error { p.state.Full = true; return nil }, nil, nil},
	{"clock_jumps", 8, 1, 4, func(_ *chaos, p *chaosProcess, r *rng.Rand) error {
		p.state.Clock = time.Duration(r.Intn(10000)-4000) * time.Millisecond
		return nil
	}, nil, nil},
}

func (c *chaos) killNode(p *chaosProcess, _ *rng.Rand) error {
	p.kill()
	return nil
}

// cutNode cuts a node off from some others, both ways.
func (c *chaos) cutNode(p *chaosProcess, r *rng.Rand) error {
	for _, o := range c.nodes {
		if o != p && r.Intn(3) > 0 {
			p.state.Cut = append(p.state.Cut, o.config.Nodes)
			o.state.Cut = append(o.state.Cut, p.config.Nodes)
		}
	}
	return nil
}

// muteNode lets nothing from a node reach some others.
func (c *chaos) muteNode(p *chaosProcess, r *rng.Rand) error {
	for _, o := range c.nodes {
		if o != p && r.Intn(3) > 0 {
			p.state.Cut = append(p.state.Cut, o.config.Nodes)
		}
	}
	return nil
}

// going is a fault that lasts.
type going struct {
	chaosFault
	nodes []*chaosProcess
	until int // round
}

// hits reports whether it goes wrong with a node.
func (g *going) hits(p *chaosProcess) bool { return slices.Contains(g.nodes, p) }

const (
	roundTime = 2 * time.Second
	atOnce    = 3 // faults
)

// storm lets things go wrong for a while. The seed decides what and in which
// order; how far the nodes have come by then is up to the machine.
func (c *chaos) storm(d time.Duration) error {
	r := rng.New(c.t.Seed, 0x5704)
	var now []going
	lab.Sleep(c.t.Context, 3*time.Second) // something to lose
	for round := range max(1, int(d/roundTime)) {
		var err error
		if now, err = c.expire(now, round); err != nil {
			return err
		}
		if len(now) < atOnce && r.Intn(4) > 0 {
			if g := c.choose(now, round, &r); len(g.nodes) > 0 {
				c.counts[g.name]++
				for _, p := range g.nodes {
					c.logf("round %d: %s: node %d until round %d", round, g.name, p.number, g.until)
					if err := g.begin(c, p, &r); err != nil {
						return fmt.Errorf("%s: %w", g.name, err)
					}
				}
				now = append(now, g)
			}
		}
		if err := c.tell(); err != nil {
			return err
		}
		lab.Sleep(c.t.Context, roundTime)
		if c.t.Context.Err() != nil {
			return c.t.Context.Err()
		}
	}
	if _, err := c.expire(now, 1<<30); err != nil {
		return err
	}
	return c.tell()
}

// choose draws a fault and a node that is well, or several.
func (c *chaos) choose(now []going, round int, r *rng.Rand) going {
	sum := 0
	for _, f := range c.faults {
		sum += f.share
	}
	n := r.Intn(sum)
	i := 0
	for ; n >= c.faults[i].share; i++ {
		n -= c.faults[i].share
	}
	var well []*chaosProcess
	for _, p := range c.nodes {
		if !slices.ContainsFunc(now, func(g going) bool { return g.hits(p) }) {
			well = append(well, p)
		}
	}
	f := c.faults[i]
	if len(well) == 0 {
		return going{}
	}
	nodes := []*chaosProcess{well[r.Intn(len(well))]}
	if f.choose != nil {
		nodes = f.choose(c, round, well, r)
	}
	return going{f, nodes, round + f.least + r.Intn(f.most-f.least+1)}
}

// expire ends what has lasted long enough.
func (c *chaos) expire(now []going, round int) (on []going, err error) {
	for _, g := range now {
		if g.until > round {
			on = append(on, g)
			continue
		}
		for _, p := range g.nodes {
			if g.end != nil {
				if err := g.end(c, p); err != nil {
					return nil, fmt.Errorf("after %s of node %d: %w", g.name, p.number, err)
				}
				continue
			}
			for _, o := range c.nodes { // of links that two have cut, both are well again
				o.state.Cut = slices.DeleteFunc(o.state.Cut, func(a string) bool { return a == p.config.Nodes })
			}
			p.state = chaosOrder{}
		}
	}
	return on, nil
}

// tell tells all nodes that run how bad things are. A clock is corrected once.
func (c *chaos) tell() error {
	for _, p := range c.nodes {
		if !p.up.Load() {
			continue
		}
		if err := p.order(p.state); err != nil {
			return fmt.Errorf("node %d: %w (its log: %s)", p.number, err, tailOf(p.log.Name()))
		}
		p.state.Clock = 0
	}
	return nil
}

// calm waits until all is well again, and everybody can edit.
func (c *chaos) calm() error {
	c.logf("calm")
	before := make([]int64, len(c.editors))
	for i, e := range c.editors {
		before[i] = e.acks.Load()
	}
	err := c.wait(c.t.Context, calmTime, func() (bool, string) {
		for i, e := range c.editors {
			if e.acks.Load() < before[i]+3 {
				return false, fmt.Sprintf("%s cannot edit at %v", e.who.Name, e.home)
			}
		}
		return true, ""
	})
	if err != nil {
		c.wrong.add("when all was well again: %v", err)
	}
	return c.t.Context.Err()
}

// calmTime is how long the world may take to be well again, on whatever machine
// it has; it is not what is measured.
const calmTime = 5 * time.Minute
