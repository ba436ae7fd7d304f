package overlay

import (
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
)

// reconcile brings the neighbourhood in line with what is known.
func (n *Node) reconcile() { n.reconcileWith(nil) }

// reconcileWith calculates the Delaunay star of the node among all that it knows
// and the view that has just come (listing 4.1): who is missing is added if
// there is a link, otherwise connected; who is pending in vain is let go.
func (n *Node) reconcileWith(v *NetworkView) {
	star := n.star(v)
	for _, p := range n.pending {
		p.mark = false
	}
	var added []*peer
	for _, c := range star {
		p := n.know(c)
		p.mark = true
		switch {
		case p.why&(asNeighbour|asPending) != 0:
		case p.link == linkUp:
			added = append(added, p)
		default:
			n.pending = append(n.pending, p)
			n.need(p, asPending)
			p.namedBy = nil
			if v != nil && v.Names(c) {
				p.namedBy = v
			}
		}
	}
	n.cancelPending()
	if len(added) > 0 {
		n.addNeighbours(added)
	}
}

// consider looks whether a linked node, whatever the link is for, should be a
// neighbour: a table entry can be the only link to another part of the network.
func (n *Node) consider(p *peer) {
	if !n.joined || p.Contact == nil {
		return
	}
	s := &n.stars
	s.reset(n.self)
	s.addPeers(n.neighbours)
	s.add(p.Contact)
	for _, c := range s.star() {
		if c == p.Contact {
			n.reconcile()
			return
		}
	}
}

// cancelPending lets go of pending nodes that are no longer wanted (unmarked).
func (n *Node) cancelPending() {
	keep := n.pending[:0]
	for _, p := range n.pending {
		if p.mark {
			keep = append(keep, p)
		} else {
			n.release(p, asPending)
		}
	}
	clear(n.pending[len(keep):])
	n.pending = keep
}

// admit makes a pending node whose link is up a neighbour (listing 4.2).
func (n *Node) admit(p *peer) {
	n.pending = without(n.pending, p)
	p.why &^= asPending
	p.namedBy = nil
	n.addNeighbours([]*peer{p})
	n.reconcile()
}

// addNeighbours adds linked nodes and removes those that they replace; all of
// them get a view, so that who is removed knows the reason (thesis 4.3.2).
func (n *Node) addNeighbours(added []*peer) {
	s := &n.stars
	s.reset(n.self)
	old := append(n.neighbours, added...)
	s.addPeers(old)
	for _, p := range old {
		p.mark = false
	}
	n.neighbours = make([]*peer, 0, 8)
	for _, c := range s.star() {
		p := n.peers.get(c.ID)
		p.mark = true
		n.neighbours = append(n.neighbours, p)
		n.need(p, asNeighbour)
	}
	n.changed()
	n.queueAll(n.neighbours)
	for _, p := range old {
		if !p.mark {
			n.queue(p)
			n.release(p, asNeighbour)
			if p.view != nil && !p.view.Names(n.self) {
				p.view = nil
			}
		}
	}
}

// star is the Delaunay star of the node among everything known: neighbours,
// pending ones, the stored views (which connects eagerly, 4.7.1), the last views
// of failed neighbours, every linked node (a joining node has no fragments
// to hold together, so there only those that reported), and the view v, if any.
func (n *Node) star(v *NetworkView) []*Contact {
	s := &n.stars
	s.reset(n.self)
	s.addPeers(n.neighbours)
	s.reach = n.reachOf()
	s.addPeers(n.pending)
	for _, p := range n.linked {
		if p.Contact != nil && (n.joined || p.view != nil) {
			s.add(p.Contact)
		}
		if p.view != nil {
			n.addLive(p.view.Neighbours)
		}
	}
	for _, g := range n.departed {
		n.addLive(g.view.Neighbours)
	}
	if v != nil {
		s.add(v.Source)
		n.addLive(v.Neighbours)
	}
	return s.star()
}

// reachOf is the square of the distance beyond which nobody can become a
// neighbour: who does lies in the circle through this node and two neighbours
// that follow each other. At the hull there is no such bound.
func (n *Node) reachOf() int64 {
	if n.reach == 0 {
		n.reach = math.MaxInt64
		if len(n.neighbours) > 2 {
			n.reach = geom.Reach(n.self.Pos, n.stars.points)
		}
	}
	return n.reach
}

// addLive adds nodes that are not remembered as failed.
func (n *Node) addLive(list []*Contact) {
	for _, c := range list {
		if len(n.failed) == 0 || !n.hasFailed(c) {
			n.stars.add(c)
		}
	}
}
