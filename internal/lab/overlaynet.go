package lab

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/sim"
)

// overlayIDs is how many places for nodes there are (thesis 6.2.5).
const overlayIDs = 5000

// overlayNet is a simulated network of overlay nodes, as in the thesis' tests
// (6.2, 6.3.1).
type overlayNet struct {
	sim     *sim.Sim
	space   overlay.Space
	places  []geom.Point
	boot    *sim.Bootstrap[*overlay.Contact]
	nodes   []*overlayNode
	traffic sim.Traffic
}

type overlayNode struct {
	*sim.Node
	self *overlay.Contact
}

// machine returns what the node runs, nil if it has left.
func (n *overlayNode) machine() *overlay.Node {
	m, _ := n.Machine().(*overlay.Node)
	return m
}

func newOverlayNet(seed uint64, r, places int) *overlayNet {
	in := sim.ThesisInternet()
	in.Clocks = sim.ThesisClocks()
	n := &overlayNet{sim: sim.NewWith(seed, sim.Config{Internet: in}), space: overlay.SpaceFor(r)}
	draw := rng.New(seed, 0x1d5)
	n.places = n.space.Raster(places, &draw)
	n.boot = sim.NewBootstrap(n.sim, r, func(c *overlay.Contact) int { return n.space.Zone(c.Pos) })
	n.sim.Watch(&n.traffic)
	return n
}

// add starts the next node, or returns nil if all places are taken.
func (n *overlayNet) add() *sim.Node {
	k := len(n.nodes)
	if k == len(n.places) {
		return nil
	}
	self := &overlay.Contact{ID: id.Of(fmt.Appendf(nil, "node %d", k)), Pos: n.places[k]}
	o := &overlayNode{self: self}
	n.nodes = append(n.nodes, o)
	o.Node = n.sim.AddAs(self.Peer(), func(env machine.Env) machine.Machine {
		return overlay.New(overlay.Config{
			Self: self, Space: n.space, Seek: n.boot.Seek,
			Announce: func(on bool) machine.Job { return n.boot.Announce(self, on) },
		}, env)
	})
	return o.Node
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
