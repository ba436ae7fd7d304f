package overlay

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
)

// routable is a message that goes to the node nearest to a place.
type routable interface {
	head() *Route
	// onward is the message for the next hop, on its way to Via or not.
	onward(via bool) routable
}

func (r *Route) head() *Route { return r }

// step is the change of a hop.
func (r *Route) step(via bool) {
	r.Hops++
	r.HasVia = via
	if !via {
		r.Via = geom.Point{}
	}
}

// nextHop returns the linked node nearest to a place (neighbours, routing table
// and shortcuts), or nil if this node itself is (thesis 4.2.3, 4.2.5, 4.7.1).
// The message's origin is passed over: it has had the message.
func (n *Node) nextHop(to geom.Point, origin *Contact) *peer {
	if n.hops.stale {
		n.hops.gather(n.linked)
	}
	i := n.hops.nearest(to, n.self.Pos, -1)
	if i >= 0 && n.hops.peers[i].peer.ID == origin.ID {
		i = n.hops.nearest(to, n.self.Pos, i)
	}
	if i < 0 {
		return nil
	}
	best := n.hops.peers[i]
	if best.why&asShortcut != 0 {
		best.used = n.env.Now()
	}
	return best
}

// hops are the linked peers that messages travel by, with their places side by
// side: most of what a node does is to look for the nearest of them. Who becomes
// one or ceases to be one is put in or taken out; they are gathered again when
// their links or places change (stale).
type hops struct {
	places []geom.Point
	peers  []*peer // at the same index
	stale  bool
}

// nearest returns the index of the one that is nearest to a place, -1 if no
// other than except is nearer than self.
func (h *hops) nearest(to, self geom.Point, except int) int {
	best, near, least := -1, self, to.Dist2(self)
	for i, pos := range h.places {
		d := to.Dist2(pos)
		if d > least || d == least && !pos.Less(near) || i == except {
			continue
		}
		best, near, least = i, pos, d
	}
	return best
}

func (h *hops) gather(linked []*peer) {
	clear(h.peers)
	h.places, h.peers, h.stale = h.places[:0], h.peers[:0], false
	for _, p := range linked {
		if p.why&routed != 0 {
			h.put(p)
		}
	}
}

func (h *hops) put(p *peer) {
	h.places, h.peers = append(h.places, p.Pos), append(h.peers, p)
}

// take takes one out; the last moves to its index.
func (h *hops) take(p *peer) {
	i, last := slices.Index(h.peers, p), len(h.peers)-1
	if i < 0 {
		return
	}
	h.places[i], h.peers[i] = h.places[last], h.peers[last]
	h.peers[last] = nil
	h.places, h.peers = h.places[:last], h.peers[:last]
}

// launch sends a message of this node on its way; one that this node itself is
// nearest to is received here.
func (n *Node) launch(m routable) { n.pass(m, true) }

// relay takes a routed message that came in.
func (n *Node) relay(m routable) {
	if m.head().Hops < maxHops {
		n.pass(m, false)
	}
}

// pass sends a message to the next hop, or receives it here. Having reached the
// intermediate destination it goes on to the final one (thesis 4.5.5).
func (n *Node) pass(m routable, own bool) {
	h := m.head()
	via := h.HasVia
	next := n.nextHop(h.goal(), h.Origin)
	if next == nil && via {
		via = false
		next = n.nextHop(h.Dest, h.Origin)
	}
	if a, ok := m.(*Areacast); ok && next != nil {
		n.remember(a, next)
	}
	switch {
	case next == nil:
		n.arrive(m)
	case own && via == h.HasVia:
		n.env.Send(next.peer, m)
	default:
		n.env.Send(next.peer, m.onward(via))
	}
}

// arrive receives a message that this node is nearest to. While it has not found
// its place, another node may be nearer, so the message waits (thesis 4.7.1).
func (n *Node) arrive(m routable) {
	if !n.settled() {
		n.keep(m)
		return
	}
	switch m := m.(type) {
	case *RtRequest:
		n.receiveRtRequest(m)
	case *Unicast:
		n.receiveUnicast(m)
	}
}

// keep lets a message wait until the node has its place.
func (n *Node) keep(m routable) {
	if len(n.waiting) < maxWaiting {
		n.waiting = append(n.waiting, m)
	}
}

// settled reports whether messages may be received here: a node alone in the
// world has its place as well.
func (n *Node) settled() bool {
	return n.Stable() || len(n.neighbours)+len(n.pending) == 0 && !n.seeking
}

// resume routes again what had to wait.
func (n *Node) resume() {
	waiting := n.waiting
	n.waiting = nil
	for _, m := range waiting {
		if a, ok := m.(*Areacast); ok {
			n.onAreacast(a)
			continue
		}
		n.pass(m, false)
	}
}
