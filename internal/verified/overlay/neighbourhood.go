package overlay

import "github.com/voxelpopuli/voxelpopuli/internal/core/geom"

// neighbourhood is the primary structure: the node's neighbours in the Delaunay graph,
// and those who are going to be (thesis 4.3).
type neighbourhood struct {
	*core
	links      *links
	hello      *greeter
	departures *departures
	falseViews *viewRecords
	stabilizer *stabilizer

	neighbours []*peer // counter-clockwise
	pending    []*peer // to be neighbours when their link is up (4.3.3)
	// receivers get a view when nothing is pending (4.3.3).
	receivers []*peer
	view      *NetworkView // the current one; nil: to be made
	reach     int64        // see reachOf; 0: to be calculated
	cell      geom.Polygon // own; empty: to be calculated
	stableNow verdict
}

func (nb *neighbourhood) wouldBeNeighbour(c *Contact) bool {
	s := &nb.stars
	s.reset(nb.self)
	s.addPeers(nb.neighbours)
	s.add(c)
	if !hasPlace(s.star(), c.Pos) {
		return false
	}
	for _, s := range nb.star(&NetworkView{Source: c}) {
		if s.ID == c.ID {
			return true
		}
	}
	return false
}

func (nb *neighbourhood) nearestNeighbour() *peer {
	best := nb.neighbours[0]
	for _, p := range nb.neighbours[1:] {
		if closer(nb.self.Pos, p.Contact, best.Contact) {
			best = p
		}
	}
	return best
}

// expectedStar is the star that a neighbour should have by what is known.
func (nb *neighbourhood) expectedStar(p *peer) []*Contact {
	nb.gather(p)
	return nb.stars.star()
}

// Neighbours appends the node's neighbours, counter-clockwise, to out.
func (n *Node) Neighbours(out []*Contact) []*Contact { return n.hood.Neighbours(out) }

// Stable reports whether the node has its place (thesis 4.7.1).
func (n *Node) Stable() bool { return n.hood.Stable() }
