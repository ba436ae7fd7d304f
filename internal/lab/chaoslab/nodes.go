package chaoslab

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
)

// chaosProcess is one of the nodes as chaos sees it.
type chaosProcess struct {
	number int
	config chaosConfig
	log    *os.File
	*lab.Process
	up    atomic.Bool // runs, and is not stopped
	state chaosOrder  // how bad things are
	dir   string      // of its world
	taken time.Time   // when its disk was copied that it is put back to
	last  chaosReport
}

// orderTime is how long a node may take to answer an order, with a slow disk on
// a busy machine.
const orderTime = 3 * time.Minute

// node readies a node: addresses in subnets of their own, as in the real world.
func (c *chaos) node(i int) (*chaosProcess, error) {
	var ip, listen, code string
	var err error
	port := 4747
	if c.machines != nil {
		ip, listen, code = c.machines[i].Addr, ":4747", nodelab.GuestCode
	} else {
		ip = fmt.Sprintf("127.%d.%d.1", 1+c.t.Seed%200, i+1)
		if port, err = freePort(ip); err != nil {
			return nil, err
		}
	}
	dir := filepath.Join(c.dir, fmt.Sprint("node", i))
	p := &chaosProcess{number: i, config: chaosConfig{
		Data: dir, Seed: fmt.Sprint(c.t.Seed), Nodes: fmt.Sprintf("%s:%d", ip, port), Gateway: fmt.Sprintf("%s:%d", ip, port), Listen: listen, Code: code, Leads: dir + ".leads", Held: dir + ".held",
	}}
	p.log, err = os.Create(dir + ".log")
	return p, err
}

// start starts a node's process, which opens its world.
func (c *chaos) start(p *chaosProcess) (err error) {
	p.config.Join = nil
	for _, o := range c.nodes { // a few that are there; else by those it knew
		if o != p && o.up.Load() && len(p.config.Join) < 2 {
			p.config.Join = append(p.config.Join, o.config.Nodes)
		}
	}
	var on []string
	if c.machines != nil {
		on = c.machines[p.number].On()
	}
	if p.Process, err = lab.Start(c.t.Context, childNode, p.log, on...); err != nil {
		return err
	}
	p.state = chaosOrder{}
	first := chaosOrder{Config: &p.config}
	if err := p.order(first); err != nil {
		return fmt.Errorf("node %d: %w", p.number, err)
	}
	p.dir = p.last.Dir
	p.up.Store(true)
	return nil
}

// order tells a node how bad things are.
func (p *chaosProcess) order(o chaosOrder) error {
	p.last = chaosReport{}
	if err := p.Do(o, &p.last, orderTime); err != nil {
		return err
	}
	if p.last.Error != "" {
		return fmt.Errorf("%s", p.last.Error)
	}
	return nil
}

// kill ends a node as a power cut does.
func (p *chaosProcess) kill() {
	p.up.Store(false)
	if p.Process != nil {
		_ = p.Cmd.Process.Kill()
		_ = p.Close() // killed: there is no error to tell
		p.Process = nil
	}
}

// freeze stops a node's process, thaw lets it go on.
func (p *chaosProcess) freeze() error {
	p.up.Store(false)
	return lab.StopProcess(p.Cmd.Process)
}

func (p *chaosProcess) thaw() error {
	err := lab.ContProcess(p.Cmd.Process)
	p.up.Store(err == nil)
	return err
}

// door is the gateway of some node that runs.
func (c *chaos) door(r *rng.Rand) string {
	var urls []string
	for _, p := range c.nodes {
		if p.up.Load() {
			urls = append(urls, p.config.Gateway)
		}
	}
	if len(urls) == 0 {
		return c.nodes[0].config.Gateway
	}
	return urls[r.Intn(len(urls))]
}

// settled reports whether all members of each part's group are at the same
// entry. Nodes that were members once may not know yet that they are none.
func (c *chaos) settled() (bool, string) {
	parts := map[string]map[string]chaosPart{} // by part and node
	for _, p := range c.nodes {
		if err := p.order(chaosOrder{}); err != nil {
			return false, err.Error()
		}
		for _, x := range p.last.Parts {
			if parts[x.Part] == nil {
				parts[x.Part] = map[string]chaosPart{}
			}
			parts[x.Part][p.last.Node] = x
		}
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		var newest chaosPart
		for _, x := range parts[name] {
			if cmp.Or(cmp.Compare(x.Applied, newest.Applied), cmp.Compare(x.Term, newest.Term)) >= 0 {
				newest = x
			}
		}
		for _, m := range newest.Members {
			if x, there := parts[name][m]; there && x.Applied != newest.Applied { // one that was not opened has nothing to catch up with
				return false, fmt.Sprintf("%s: one member has applied %d, another %d", name, newest.Applied, x.Applied)
			}
		}
	}
	return len(parts) > 0, "no parts"
}

// wait waits for a condition.
func (c *chaos) wait(ctx context.Context, limit time.Duration, ok func() (bool, string)) error {
	end := time.Now().Add(limit)
	for {
		good, why := ok()
		if good {
			return nil
		}
		if ctx.Err() != nil || time.Now().After(end) {
			return fmt.Errorf("after %v: %s", limit, why)
		}
		lab.Sleep(ctx, 250*time.Millisecond)
	}
}

// freePort finds a UDP port that is free at an address.
func freePort(ip string) (int, error) {
	c, err := net.ListenPacket("udp", ip+":0")
	if err != nil {
		return 0, err
	}
	defer c.Close()
	return c.LocalAddr().(*net.UDPAddr).Port, nil
}
