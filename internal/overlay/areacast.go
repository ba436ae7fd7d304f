package overlay

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// Areacast is a message for all nodes whose cells overlap an area (thesis
// 4.7.2). It travels as a unicast to the area's centre; the first node that
// overlaps is the root of a tree along which it spreads.
//
// Deviation: the thesis lets every node of the tree have the parent that compass
// routing towards the root gives, and such a parent may lie outside the area and
// never get the message. Here the parent of a node is its overlapping neighbour
// nearest to the anchor, a point of the area in the root's cell. The straight
// way from a node's share of the area to the anchor stays in the convex area and
// leaves the node's cell towards a neighbour that is nearer to the anchor: there
// is always such a parent, and parents come nearer to the root. As in the
// thesis, all can calculate it alike from the views that they have, and the
// root's neighbours have the root for a parent.
type Areacast struct {
	Route
	Area   Area
	Root   *Contact // nil: on the way to the centre
	Anchor geom.Point
	Body   machine.Message
}

func (m *Areacast) onward(via bool) routable {
	fwd := *m
	fwd.step(via)
	return &fwd
}

// Areacast sends a message to all nodes that overlap an area.
func (n *Node) Areacast(area Area, body machine.Message) {
	to, ok := area.centre(n.cfg.Space.Bounds())
	if !ok {
		return // nobody overlaps it
	}
	m := &Areacast{
		Route: Route{Origin: n.self, Seq: n.nextSeq(), Dest: to},
		Area:  area, Body: body,
	}
	n.awaited = append(n.awaited, m.Seq)
	if len(n.awaited) > maxAwaited {
		n.awaited = n.awaited[1:]
	}
	n.onAreacast(m)
}

// awaits reports whether a message that says it is this node's own may come back
// to it along the tree: it has sent it and has not seen it since.
func (n *Node) awaits(m *Areacast) bool {
	return m.Root != nil && m.Origin != nil && m.Origin.ID == n.self.ID && slices.Contains(n.awaited, m.Seq)
}

// onAreacast begins or goes on with the spreading.
func (n *Node) onAreacast(m *Areacast) {
	switch {
	case m.Hops >= maxHops:
	case m.Root != nil && n.duplicate(m.Origin.ID, m.Seq):
	case m.Root != nil:
		n.spread(m)
	case !n.ready() && m.Area.Overlaps(n.ownCell()):
		n.enqueue(m)
	default:
		anchor, ok := n.anchor(m)
		if !ok {
			n.forwardOrReceive(m, false)
			return
		}
		if n.duplicate(m.Origin.ID, m.Seq) {
			return // it came another way before (detour)
		}
		root := *m
		root.Root, root.Anchor = n.self, anchor
		n.spread(&root)
	}
}

// anchor returns a place of the area for which this node is responsible, and
// false if another node has to be the root: the whole tree hangs on it, so both
// are asked exactly, and who is responsible for the message's destination always
// has one.
func (n *Node) anchor(m *Areacast) (geom.Point, bool) {
	if n.owns(m.Dest) {
		return m.Dest, true
	}
	if !m.Area.Overlaps(n.ownCell()) {
		return geom.Point{}, false
	}
	near := m.Area.nearest(n.ownCell(), m.Dest)
	for _, p := range [...]geom.Point{near, towards(near, n.self.Pos, 3)} {
		if n.inside(p) && m.Area.Contains(p) && n.owns(p) {
			return p, true
		}
	}
	return geom.Point{}, false
}

// owns reports whether the node, not one of its neighbours, is responsible for a
// place.
func (n *Node) owns(to geom.Point) bool {
	for _, p := range n.neighbours {
		if closer(to, p.Contact, n.self) {
			return false
		}
	}
	return true
}

// spread receives the message and hands it to the neighbours whose parent in the
// tree is this node.
func (n *Node) spread(m *Areacast) {
	n.awaited = slices.DeleteFunc(n.awaited, func(seq uint64) bool {
		return m.Origin.ID == n.self.ID && seq == m.Seq
	})
	if m.Area.Overlaps(n.ownCell()) {
		n.receiveAreacast(m)
	}
	n.rememberAreacast(m, nil)
	for i := range n.departed {
		if g := &n.departed[i]; g.repaired && n.cellOverlapped(g, &m.Area) {
			n.resendAreacast(g, m)
		}
	}
	var fwd routable
	for _, p := range n.neighbours {
		if p.ID == m.Root.ID || p.view == nil || !n.isParent(p, m) {
			continue
		}
		if fwd == nil {
			fwd = m.onward(false)
		}
		n.env.Send(p.peer, fwd)
	}
}

// isParent reports whether a neighbour overlaps the area and gets the message
// from this node. Where it is not certain that a better parent overlaps, because
// its cell is not known here, the message is sent; duplicates are suppressed.
func (n *Node) isParent(p *peer, m *Areacast) bool {
	if !m.Area.Overlaps(n.cellOf(p)) {
		return false
	}
	if m.Root.ID == n.self.ID {
		return true
	}
	for _, c := range p.view.Neighbours {
		if c.ID == m.Root.ID {
			return false
		}
		if c.ID == n.self.ID || !closer(m.Anchor, c, n.self) {
			continue
		}
		q := n.peers.get(c.ID)
		if q != nil && q.why&asNeighbour != 0 && q.view != nil && m.Area.Overlaps(n.cellOf(q)) {
			return false
		}
	}
	return true
}

func (n *Node) receiveAreacast(m *Areacast) {
	if m.Origin.ID != n.self.ID {
		n.shortcut(m.Origin)
	}
	if n.cfg.Events != nil {
		n.cfg.Events.ReceivedArea(m)
	}
}

// ownCell is the node's Voronoi cell; valid until the neighbours change.
func (n *Node) ownCell() geom.Polygon {
	if len(n.cell) == 0 {
		s := &n.stars
		s.reset(n.self)
		s.addPeers(n.neighbours)
		n.cell = geom.Cell(n.self.Pos, s.points, n.cfg.Space.Bounds(), n.cell[:0])
	}
	return n.cell
}

// Cell appends the corners of the node's Voronoi cell to out.
func (n *Node) Cell(out geom.Polygon) geom.Polygon { return append(out, n.ownCell()...) }

// CellOf appends the corners of a neighbour's cell, as its view tells it, to out;
// none if there is no view.
func (n *Node) CellOf(neighbour id.ID, out geom.Polygon) geom.Polygon {
	if p := n.peers.get(neighbour); p != nil && p.why&asNeighbour != 0 && p.view != nil {
		out = append(out, n.cellOf(p)...)
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

// cellOf is a neighbour's cell as its view tells it.
func (n *Node) cellOf(p *peer) geom.Polygon {
	if p.cellView != p.view {
		s := &n.stars
		s.reset(p.Contact)
		s.addAll(p.view.Neighbours)
		p.cell = geom.Cell(p.Pos, s.points, n.cfg.Space.Bounds(), p.cell[:0])
		p.cellView = p.view
	}
	return p.cell
}

// maxAwaited bounds how many areacasts of its own a node expects back.
const maxAwaited = 64

// window is how many areacasts are remembered at the least for the suppression of
// duplicates (the thesis' text breaks off before it says how).
const window = 1024

type messageKey struct {
	origin id.ID
	seq    uint64
}

// duplicate reports whether a message has been here and remembers it.
func (n *Node) duplicate(origin id.ID, seq uint64) bool {
	k := messageKey{origin, seq}
	if _, ok := n.recent.Get(k); ok {
		return true
	}
	n.recent.Put(k, struct{}{})
	return false
}
