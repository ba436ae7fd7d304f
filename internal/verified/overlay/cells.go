package overlay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Voronoi cells: the node's own, and its neighbours' as their views tell them.

// owns reports whether the node, not one of its neighbours, is responsible for a
// place.
func (nb *neighbourhood) owns(to geom.Point) bool {
	for _, p := range nb.neighbours {
		if closer(to, p.Contact, nb.self) {
			return false
		}
	}
	return true
}

// ownCell is the node's Voronoi cell; valid until the neighbours change.
func (nb *neighbourhood) ownCell() geom.Polygon {
	if len(nb.cell) == 0 {
		s := &nb.stars
		s.reset(nb.self)
		s.addPeers(nb.neighbours)
		nb.cell = geom.Cell(nb.self.Pos, s.points, nb.cfg.Space.Bounds(), nb.cell[:0])
	}
	return nb.cell
}

// cellOf is a neighbour's cell as its view tells it.
func (nb *neighbourhood) cellOf(p *peer) geom.Polygon {
	if p.omits > 0 {
		nb.completeView(p) // others may have come since
	}
	if p.cellView != p.view {
		s := &nb.stars
		s.reset(p.Contact)
		s.addAll(p.view.Neighbours)
		p.cell = geom.Cell(p.Pos, s.points, nb.cfg.Space.Bounds(), p.cell[:0])
		p.cellView = p.view
	}
	return p.cell
}

// Cell appends the corners of the node's Voronoi cell to out.
func (n *Node) Cell(out geom.Polygon) geom.Polygon { return append(out, n.hood.ownCell()...) }

// CellOf appends the corners of a neighbour's cell, as its view tells it, to out;
// none if there is no view.
func (n *Node) CellOf(neighbour id.ID, out geom.Polygon) geom.Polygon {
	if p := n.peers.get(neighbour); p != nil && p.why&asNeighbour != 0 && p.view != nil {
		out = append(out, n.hood.cellOf(p)...)
	}
	return out
}

// NeighboursOf appends the neighbours of a neighbour, as its view tells them, to
// out.
func (n *Node) NeighboursOf(neighbour id.ID, out []*Contact) []*Contact {
	if p := n.peers.get(neighbour); p != nil && p.why&asNeighbour != 0 && p.view != nil {
		out = append(out, p.view.Neighbours...)
	}
	return out
}
