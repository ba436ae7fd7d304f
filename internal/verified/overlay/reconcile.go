package overlay

import (
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
)

// reconcile brings the neighbourhood in line with what is known.
func (nb *neighbourhood) reconcile() { nb.reconcileWith(nil) }

// reconcileWith calculates the Delaunay star of the node among all that it knows
// and the view that has just come (listing 4.1): who is missing is added if
// there is a link, otherwise connected; who is pending in vain is let go.
func (nb *neighbourhood) reconcileWith(v *NetworkView) {
	star := nb.star(v)
	for _, p := range nb.pending {
		p.mark = false
	}
	var added []*peer
	for _, c := range star {
		p := nb.links.know(c)
		p.mark = true
		switch {
		case p.why&(asNeighbour|asPending) != 0:
		case p.link == linkUp:
			added = append(added, p)
		default:
			nb.pending = append(nb.pending, p)
			nb.links.need(p, asPending)
			p.namedBy = nil
			if v != nil && v.Names(c) {
				p.namedBy = v
			}
		}
	}
	nb.cancelPending()
	if len(added) > 0 {
		nb.addNeighbours(added)
	}
}

// consider looks whether a linked node, whatever the link is for, should be a
// neighbour: a table entry can be the only link to another part of the network.
func (nb *neighbourhood) consider(p *peer) {
	if !nb.joined || p.Contact == nil {
		return
	}
	s := &nb.stars
	s.reset(nb.self)
	s.addPeers(nb.neighbours)
	s.add(p.Contact)
	for _, c := range s.star() {
		if c == p.Contact {
			nb.reconcile()
			return
		}
	}
}

// cancelPending lets go of pending nodes that are no longer wanted (unmarked).
func (nb *neighbourhood) cancelPending() {
	keep := nb.pending[:0]
	for _, p := range nb.pending {
		if p.mark {
			keep = append(keep, p)
		} else {
			nb.links.release(p, asPending)
		}
	}
	clear(nb.pending[len(keep):])
	nb.pending = keep
}

// admit makes a pending node whose link is up a neighbour (listing 4.2).
func (nb *neighbourhood) admit(p *peer) {
	nb.pending = without(nb.pending, p)
	p.why &^= asPending
	p.namedBy = nil
	nb.addNeighbours([]*peer{p})
	nb.reconcile()
}

// addNeighbours adds linked nodes and removes those that they replace; all of
// them get a view, so that who is removed knows the reason (thesis 4.3.2).
func (nb *neighbourhood) addNeighbours(added []*peer) {
	s := &nb.stars
	s.reset(nb.self)
	old := append(nb.neighbours, added...)
	s.addPeers(old)
	for _, p := range old {
		p.mark = false
	}
	nb.neighbours = make([]*peer, 0, 8)
	for _, c := range s.star() {
		p := nb.peers.get(c.ID)
		p.mark = true
		nb.neighbours = append(nb.neighbours, p)
		nb.links.need(p, asNeighbour)
	}
	nb.changed()
	nb.queueAll(nb.neighbours)
	for _, p := range old {
		if !p.mark {
			nb.queue(p)
			nb.links.release(p, asNeighbour)
			if p.view != nil && !p.view.Names(nb.self) {
				p.view = nil
			}
		}
	}
}

// star is the Delaunay star of the node among everything known: neighbours,
// pending ones, the stored views (which connects eagerly, 4.7.1), the last views
// of failed neighbours, every linked node (a joining node has no fragments
// to hold together, so there only those that reported), and the view v, if any.
func (nb *neighbourhood) star(v *NetworkView) []*Contact {
	s := &nb.stars
	s.reset(nb.self)
	s.addPeers(nb.neighbours)
	s.reach = nb.reachOf()
	s.addPeers(nb.pending)
	for _, p := range nb.links.linked {
		if p.Contact != nil && (nb.joined || p.view != nil) {
			s.add(p.Contact)
		}
		if p.view != nil {
			nb.addLive(p.view.Neighbours)
		}
	}
	for _, g := range nb.departures.departed {
		nb.addLive(g.view.Neighbours)
	}
	if v != nil {
		s.add(v.Source)
		nb.addLive(v.Neighbours)
	}
	return s.star()
}

// reachOf is the square of the distance beyond which nobody can become a
// neighbour: who does lies in the circle through this node and two neighbours
// that follow each other. At the hull there is no such bound.
func (nb *neighbourhood) reachOf() int64 {
	if nb.reach == 0 {
		nb.reach = math.MaxInt64
		if len(nb.neighbours) > 2 {
			nb.reach = geom.Reach(nb.self.Pos, nb.stars.points)
		}
	}
	return nb.reach
}

// addLive adds nodes that are not remembered as failed.
func (nb *neighbourhood) addLive(list []*Contact) {
	for _, c := range list {
		if len(nb.departures.failed) == 0 || !nb.departures.hasFailed(c) {
			nb.stars.add(c)
		}
	}
}
