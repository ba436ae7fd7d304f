package overlay

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
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
func (ac *areacaster) rememberAreacast(m *Areacast, to *peer) {
	now := ac.env.Now()
	for len(ac.passed) > 0 && (ac.passed[0].until <= now || len(ac.passed) >= maxMend) {
		ac.passed[0] = passedAreacast{} // lets go of what it points to
		ac.passed = ac.passed[1:]
	}
	ac.passed = append(ac.passed, passedAreacast{m, to, now.Add(mendFor)})
}

// rerouteAreacasts sends areacasts that were on their way through a failed node another
// way; who has had them from it drops them.
func (ac *areacaster) rerouteAreacasts(failed *peer) {
	now := ac.env.Now()
	var again []*Areacast
	for i := range ac.passed {
		if p := &ac.passed[i]; p.to == failed {
			if p.to = nil; p.until > now {
				again = append(again, p.m)
			}
		}
	}
	for _, m := range again {
		ac.onAreacast(m)
	}
}

// repairAreacasts hands on what may have been lost with neighbours that failed since the
// last time.
func (ac *areacaster) repairAreacasts() {
	ac.departures.lostNeighbours = false
	now := ac.env.Now()
	for i := range ac.departures.departed {
		g := &ac.departures.departed[i]
		if g.repaired {
			continue
		}
		g.repaired = true
		for _, old := range ac.passed {
			if old.m.Root != nil && old.until > now && ac.cellOverlapped(g, &old.m.Area) {
				ac.resendAreacast(g, old.m)
			}
		}
	}
}

// cellOverlapped reports whether a failed neighbour's cell overlapped an area.
func (ac *areacaster) cellOverlapped(g *departedPeer, a *Area) bool {
	if g.cell == nil {
		s := &ac.stars
		s.reset(g.view.Source)
		s.addAll(g.view.Neighbours)
		g.cell = geom.Cell(g.view.Source.Pos, s.points, ac.cfg.Space.Bounds(), nil)
	}
	return a.Overlaps(g.cell)
}

// resendAreacast gives an areacast to all overlapping neighbours that were neighbours
// of a failed one.
func (ac *areacaster) resendAreacast(g *departedPeer, m *Areacast) {
	var fwd routable
	for _, p := range ac.hood.neighbours {
		if p.view == nil || !g.view.Names(p.Contact) || !m.Area.Overlaps(ac.hood.cellOf(p)) {
			continue
		}
		if fwd == nil {
			fwd = m.onward(false)
		}
		ac.env.Send(p.peer, fwd)
	}
}
