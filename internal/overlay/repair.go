package overlay

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// Mending areacasts is ours. A node of the tree that fails takes the branch
// behind it along, and until its neighbours notice, every areacast through it
// (thesis 4.7.2: "the whole subtree of the failed node will not receive the
// message"). But those round the failed node notice, close the gap, and are
// neighbours of each other all round it. So each of them, once it has its place
// again, hands the areacasts of the last while to those others; who has had one
// drops it, who has not goes on with it.

const (
	// mendFor is how long ago an areacast may have come to be handed on again:
	// longer than it takes to notice a failure.
	mendFor = 30 * time.Second
	maxMend = 128
)

// passedAreacast is an areacast that came by. Within its area (Root is set) it is handed
// round a neighbour that fails; on the way there it goes another way if the node
// that it was sent to fails.
type passedAreacast struct {
	m     *Areacast
	to    *peer // on the way there
	until machine.Time
}

// rememberAreacast keeps an areacast for nodes that fail later.
func (n *Node) rememberAreacast(m *Areacast, to *peer) {
	now := n.env.Now()
	for len(n.passed) > 0 && (n.passed[0].until <= now || len(n.passed) >= maxMend) {
		n.passed[0] = passedAreacast{} // lets go of what it points to
		n.passed = n.passed[1:]
	}
	n.passed = append(n.passed, passedAreacast{m, to, now.Add(mendFor)})
}

// rerouteAreacasts sends areacasts that were on their way through a failed node another
// way; who has had them from it drops them.
func (n *Node) rerouteAreacasts(failed *peer) {
	now := n.env.Now()
	var again []*Areacast
	for i := range n.passed {
		if p := &n.passed[i]; p.to == failed {
			if p.to = nil; p.until > now {
				again = append(again, p.m)
			}
		}
	}
	for _, m := range again {
		n.onAreacast(m)
	}
}

// repairAreacasts hands on what may have been lost with neighbours that failed since the
// last time.
func (n *Node) repairAreacasts() {
	n.lostNeighbours = false
	now := n.env.Now()
	for i := range n.departed {
		g := &n.departed[i]
		if g.repaired {
			continue
		}
		g.repaired = true
		for _, old := range n.passed {
			if old.m.Root != nil && old.until > now && n.cellOverlapped(g, &old.m.Area) {
				n.resendAreacast(g, old.m)
			}
		}
	}
}

// cellOverlapped reports whether a failed neighbour's cell overlapped an area.
func (n *Node) cellOverlapped(g *departedPeer, a *Area) bool {
	if g.cell == nil {
		s := &n.stars
		s.reset(g.view.Source)
		s.addAll(g.view.Neighbours)
		g.cell = geom.Cell(g.view.Source.Pos, s.points, n.cfg.Space.Bounds(), nil)
	}
	return a.Overlaps(g.cell)
}

// resendAreacast gives an areacast to all overlapping neighbours that were neighbours
// of a failed one.
func (n *Node) resendAreacast(g *departedPeer, m *Areacast) {
	var fwd routable
	for _, p := range n.neighbours {
		if p.view == nil || !g.view.Names(p.Contact) || !m.Area.Overlaps(n.cellOf(p)) {
			continue
		}
		if fwd == nil {
			fwd = m.onward(false)
		}
		n.env.Send(p.peer, fwd)
	}
}
