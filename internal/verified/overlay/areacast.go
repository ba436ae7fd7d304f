package overlay

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/recent"
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

// areacaster spreads areacasts, and repairs their trees where nodes fail (repair.go).
type areacaster struct {
	*core
	router     *router
	hood       *neighbourhood
	departures *departures
	shortcuts  *shortcutList

	recent recent.Map[messageKey, struct{}]
	passed []passedAreacast // the last of them
	// awaited: own areacasts that another node is the root of and that have not
	// come back.
	awaited []uint64
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
	n.areacasts.awaited = append(n.areacasts.awaited, m.Seq)
	if len(n.areacasts.awaited) > maxAwaited {
		n.areacasts.awaited = n.areacasts.awaited[1:]
	}
	n.areacasts.onAreacast(m)
}

// awaits reports whether a message that says it is this node's own may come back
// to it along the tree: it has sent it and has not seen it since.
func (ac *areacaster) awaits(m *Areacast) bool {
	return m.Root != nil && m.Origin != nil && m.Origin.ID == ac.self.ID && slices.Contains(ac.awaited, m.Seq)
}

// onAreacast begins or goes on with the spreading.
func (ac *areacaster) onAreacast(m *Areacast) {
	switch {
	case m.Hops >= maxHops:
	case m.Root != nil && ac.duplicate(m.Origin.ID, m.Seq):
	case m.Root != nil:
		ac.spread(m)
	case !ac.router.ready() && m.Area.Overlaps(ac.hood.ownCell()):
		ac.router.enqueue(m)
	default:
		anchor, ok := ac.anchor(m)
		if !ok {
			ac.router.forwardOrReceive(m, false)
			return
		}
		if ac.duplicate(m.Origin.ID, m.Seq) {
			return // it came another way before (detour)
		}
		root := *m
		root.Root, root.Anchor = ac.self, anchor
		ac.spread(&root)
	}
}

// anchor returns a place of the area for which this node is responsible, and
// false if another node has to be the root: the whole tree hangs on it, so both
// are asked exactly, and who is responsible for the message's destination always
// has one.
func (ac *areacaster) anchor(m *Areacast) (geom.Point, bool) {
	if ac.hood.owns(m.Dest) {
		return m.Dest, true
	}
	if !m.Area.Overlaps(ac.hood.ownCell()) {
		return geom.Point{}, false
	}
	near := m.Area.nearest(ac.hood.ownCell(), m.Dest)
	for _, p := range [...]geom.Point{near, towards(near, ac.self.Pos, 3)} {
		if ac.inside(p) && m.Area.Contains(p) && ac.hood.owns(p) {
			return p, true
		}
	}
	return geom.Point{}, false
}

// spread receives the message and hands it to the neighbours whose parent in the
// tree is this node.
func (ac *areacaster) spread(m *Areacast) {
	ac.awaited = slices.DeleteFunc(ac.awaited, func(seq uint64) bool {
		return m.Origin.ID == ac.self.ID && seq == m.Seq
	})
	if m.Area.Overlaps(ac.hood.ownCell()) {
		ac.receiveAreacast(m)
	}
	ac.rememberAreacast(m, nil)
	for i := range ac.departures.departed {
		if g := &ac.departures.departed[i]; g.repaired && ac.cellOverlapped(g, &m.Area) {
			ac.resendAreacast(g, m)
		}
	}
	var fwd routable
	for _, p := range ac.hood.neighbours {
		if p.ID == m.Root.ID || p.view == nil || !ac.isParent(p, m) {
			continue
		}
		if fwd == nil {
			fwd = m.onward(false)
		}
		ac.env.Send(p.peer, fwd)
	}
}

// isParent reports whether a neighbour overlaps the area and gets the message
// from this node. Where it is not certain that a better parent overlaps, because
// its cell is not known here, the message is sent; duplicates are suppressed.
func (ac *areacaster) isParent(p *peer, m *Areacast) bool {
	if !m.Area.Overlaps(ac.hood.cellOf(p)) {
		return false
	}
	if m.Root.ID == ac.self.ID {
		return true
	}
	for _, c := range p.view.Neighbours {
		if c.ID == m.Root.ID {
			return false
		}
		if c.ID == ac.self.ID || !closer(m.Anchor, c, ac.self) {
			continue
		}
		q := ac.peers.get(c.ID)
		if q != nil && q.why&asNeighbour != 0 && q.view != nil && m.Area.Overlaps(ac.hood.cellOf(q)) {
			return false
		}
	}
	return true
}

func (ac *areacaster) receiveAreacast(m *Areacast) {
	if m.Origin.ID != ac.self.ID {
		ac.shortcuts.shortcut(m.Origin)
	}
	if ac.cfg.Events != nil {
		ac.cfg.Events.ReceivedArea(m)
	}
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
func (ac *areacaster) duplicate(origin id.ID, seq uint64) bool {
	k := messageKey{origin, seq}
	if _, ok := ac.recent.Get(k); ok {
		return true
	}
	ac.recent.Put(k, struct{}{})
	return false
}
