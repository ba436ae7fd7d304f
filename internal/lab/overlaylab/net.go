package overlaylab

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay/attack"
)

// IDs is how many places for nodes there are (thesis 6.2.5).
const IDs = 5000

// overlayNet is a simulated network of overlay nodes, as in the thesis' tests
// (6.2, 6.3.1).
type overlayNet struct {
	sim     *sim.Sim
	space   overlay.Space
	places  []geom.Point
	boot    *sim.Bootstrap[*overlay.Contact]
	nodes   []*overlayNode
	byPlace map[geom.Point]*overlayNode
	traffic sim.Traffic

	wary                bool
	attackAt, attackers int // so many honest nodes first, then so many malicious ones
	eclipsed            int
	mail                *mailbox // nil: nobody listens to messages
}

type overlayNode struct {
	*sim.Node
	self       *overlay.Contact
	malicious  bool
	joined     bool // has found its place; known only while somebody listens
	came, left machine.Time
}

// machine returns what the node runs, nil if it has left.
func (n *overlayNode) machine() *overlay.Node {
	switch m := n.Machine().(type) {
	case *overlay.Node:
		return m
	case attack.Greedy:
		return m.Node
	}
	return nil
}

// quickPings lets failures be noticed within ten seconds; the thesis has none, it
// lets nodes leave in an orderly way (6.2.3).
func quickPings(in *sim.Internet) { in.Ping = 10 * time.Second }

func newOverlayNet(seed uint64, space overlay.Space, places int, options ...func(*sim.Internet)) *overlayNet {
	in := sim.ThesisInternet()
	for _, change := range options {
		change(in)
	}
	in.Clocks = sim.ThesisClocks()
	n := &overlayNet{sim: sim.NewWith(seed, sim.Config{Internet: in}), space: space, byPlace: map[geom.Point]*overlayNode{}}
	draw := rng.New(seed, 0x1d5)
	n.places = n.space.Raster(places, &draw)
	n.boot = sim.NewBootstrap(n.sim, space.Zones(), func(c *overlay.Contact) int { return n.space.Zone(c.Pos) })
	n.sim.Watch(&n.traffic)
	return n
}

// add starts the next node, or returns nil if all places are taken. After the
// first honest nodes the attackers join (6.3.4).
func (n *overlayNet) add() *sim.Node {
	node := n.start(false)
	if n.attackers > 0 && len(n.nodes) == n.attackAt {
		for k := range n.attackers {
			n.sim.At(n.sim.Now().Add(time.Duration(k+1)*attackEvery), func() { n.start(true) })
		}
	}
	return node
}

// attackEvery is the time between the joins of two attackers, "directly after"
// the honest nodes.
const attackEvery = 200 * time.Millisecond

func (n *overlayNet) start(malicious bool) *sim.Node {
	k := len(n.nodes)
	if k == len(n.places) {
		return nil
	}
	self := &overlay.Contact{ID: id.Of(fmt.Appendf(nil, "node %d", k)), Pos: n.places[k]}
	o := &overlayNode{self: self, malicious: malicious, came: n.sim.Now()}
	n.nodes = append(n.nodes, o)
	n.byPlace[self.Pos] = o
	o.Node = n.sim.AddAs(self.Peer(), func(env machine.Env) machine.Machine {
		var events overlay.Events
		if n.mail != nil {
			events = listener{n, o}
		}
		m := overlay.New(overlay.Config{
			Self: self, Space: n.space, Events: events, Seek: func() machine.Job { return n.seek(o) },
			Announce: func(on bool) machine.Job {
				if !on {
					o.left = n.sim.Now()
				}
				return n.boot.Announce(self, on)
			},
		}, env)
		if malicious {
			return attack.Greedy{Node: m, Wary: n.wary, Space: n.space}
		}
		return m
	})
	return o.Node
}

// seek asks the bootstrapping service and looks whether an honest node is told
// of malicious ones only, which eclipse it (6.3.4).
func (n *overlayNet) seek(o *overlayNode) machine.Job {
	job := n.boot.Seek()
	if n.attackers == 0 || o.malicious {
		return job
	}
	return watchedSeek{job, func(named []*overlay.Contact) {
		for _, c := range named {
			if !n.byPlace[c.Pos].malicious {
				return
			}
		}
		if len(named) > 0 {
			n.eclipsed++
		}
	}}
}

// watchedSeek tells what a job's result was.
type watchedSeek struct {
	machine.Job
	seen func([]*overlay.Contact)
}

func (w watchedSeek) Cost() time.Duration { return w.Job.(sim.Coster).Cost() }

func (w watchedSeek) Run() (any, error) {
	result, err := w.Job.(machine.Work).Run()
	if named, ok := result.([]*overlay.Contact); ok {
		w.seen(named)
	}
	return result, err
}

// churn lets nodes come and go until a minute before the end (6.2.3, 6.3.2).
func (n *overlayNet) churn(iad, session, length time.Duration) {
	n.sim.Churn(sim.Churn{
		Arrival: iad, Session: session, Come: n.add,
		Until: n.sim.Now().Add(length - time.Minute),
	})
}

func (n *overlayNet) live() (out []*overlayNode) {
	for _, o := range n.nodes {
		if o.machine() != nil {
			out = append(out, o)
		}
	}
	return out
}
