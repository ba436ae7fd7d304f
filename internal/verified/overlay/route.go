package overlay

import (
	"cmp"
	"math"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
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

// router passes messages on to the node nearest to their destination, and receives
// those of which this node is it (thesis 4.7.1).
type router struct {
	*core
	hood      *neighbourhood
	areacasts *areacaster
	routing   *routingTable
	shortcuts *shortcutList
	links     *links
	joins     *joiner

	hops     hops            // where messages can go from here
	waiting  []queuedMessage // until the node has its place (4.7.1)
	resuming machine.Time    // when what is routed again has come; 0: nothing is
}

// nextHop returns the linked node nearest to a place (neighbours, routing table
// and shortcuts), or nil if this node itself is (thesis 4.2.3, 4.2.5, 4.7.1).
// The message's origin is passed over: it has had the message.
func (ro *router) nextHop(to geom.Point, origin *Contact) *peer {
	if ro.hops.stale {
		ro.hops.gather(ro.links.linked)
	}
	i := ro.hops.nearest(to, ro.self.Pos, -1)
	if i >= 0 && ro.hops.peers[i].peer.ID == origin.ID {
		i = ro.hops.nearest(to, ro.self.Pos, i)
	}
	if i < 0 {
		return nil
	}
	best := ro.hops.peers[i]
	if best.why&asShortcut != 0 {
		best.used = ro.env.Now()
	}
	return best
}

// hops are the linked peers that messages travel by, with their places side by
// side, from west to east: most of what a node does is to look for the nearest of
// them. Who becomes one or ceases to be one is put in or taken out; they are
// gathered again when their links or places change (stale).
type hops struct {
	places []geom.Point
	peers  []*peer // at the same index
	stale  bool
}

// nearest returns the index of the one that is nearest to a place, -1 if no
// other than except is nearer than self. From the place it looks west and east by
// turns, until what is left is too far west or east alone.
func (h *hops) nearest(to, self geom.Point, except int) int {
	best, near, least := -1, self, to.Dist2(self)
	east, _ := slices.BinarySearchFunc(h.places, to.X, func(p geom.Point, x int32) int { return cmp.Compare(p.X, x) })
	west := east - 1
	for {
		i, gap := -1, int64(math.MaxInt64)
		if west >= 0 {
			i, gap = west, int64(to.X)-int64(h.places[west].X)
		}
		if east < len(h.places) {
			if g := int64(h.places[east].X) - int64(to.X); g < gap {
				i, gap = east, g
			}
		}
		if i < 0 || gap*gap > least {
			return best
		}
		if i == west {
			west--
		} else {
			east++
		}
		pos := h.places[i]
		if d := to.Dist2(pos); i != except && (d < least || d == least && pos.Less(near)) {
			best, near, least = i, pos, d
		}
	}
}

func (h *hops) gather(linked []*peer) {
	clear(h.peers)
	h.places, h.peers, h.stale = h.places[:0], h.peers[:0], false
	for _, p := range linked {
		if p.why&routed != 0 {
			h.peers = append(h.peers, p)
		}
	}
	slices.SortFunc(h.peers, func(p, q *peer) int { return eastward(p.Pos, q.Pos) })
	for _, p := range h.peers {
		h.places = append(h.places, p.Pos)
	}
}

func eastward(p, q geom.Point) int { return cmp.Compare(p.X, q.X) }

func (h *hops) put(p *peer) {
	i, _ := slices.BinarySearchFunc(h.places, p.Pos, eastward)
	h.places, h.peers = slices.Insert(h.places, i, p.Pos), slices.Insert(h.peers, i, p)
}

func (h *hops) take(p *peer) {
	if i := slices.Index(h.peers, p); i >= 0 {
		h.places, h.peers = slices.Delete(h.places, i, i+1), slices.Delete(h.peers, i, i+1)
	}
}

// originate sends a message of this node on its way; one that this node itself is
// nearest to is received here.
func (ro *router) originate(m routable) { ro.forwardOrReceive(m, true) }

// forward takes a routed message that came in.
func (ro *router) forward(m routable) {
	if m.head().Hops < maxHops {
		ro.forwardOrReceive(m, false)
	}
}

// forwardOrReceive sends a message to the next hop, or receives it here. Having reached the
// intermediate destination it goes on to the final one (thesis 4.5.5).
func (ro *router) forwardOrReceive(m routable, own bool) {
	h := m.head()
	via := h.HasVia
	next := ro.nextHop(h.goal(), h.Origin)
	if next == nil && via {
		via = false
		next = ro.nextHop(h.Dest, h.Origin)
	}
	if a, ok := m.(*Areacast); ok && next != nil {
		ro.areacasts.rememberAreacast(a, next)
	}
	switch {
	case next == nil:
		ro.receive(m)
	case own && via == h.HasVia:
		ro.env.Send(next.peer, m)
	default:
		ro.env.Send(next.peer, m.onward(via))
	}
}

// receive receives a message that this node is nearest to. While it has not found
// its place, another node may be nearer, so the message waits (thesis 4.7.1).
func (ro *router) receive(m routable) {
	if !ro.ready() {
		ro.enqueue(m)
		return
	}
	switch m := m.(type) {
	case *RtRequest:
		ro.routing.receiveRtRequest(m)
	case *Unicast:
		ro.receiveUnicast(m)
	}
}

// queuedMessage is a message that waits until the node has its place.
type queuedMessage struct {
	m    routable
	came machine.Time
}

func (ro *router) enqueue(m routable) {
	if len(ro.waiting) < maxWaiting {
		ro.waiting = append(ro.waiting, queuedMessage{m, ro.arrivedAt()})
	}
}

// arrivedAt is when the message that is handled came to this node.
func (ro *router) arrivedAt() machine.Time {
	if ro.resuming != 0 {
		return ro.resuming
	}
	return ro.env.Now()
}

// ready reports whether messages may be received here: a node alone in the
// world has its place as well.
func (ro *router) ready() bool {
	return ro.hood.Stable() || len(ro.hood.neighbours)+len(ro.hood.pending) == 0 && !ro.joins.bootstrapping
}

// flushQueue routes again what had to wait.
func (ro *router) flushQueue() {
	waiting := ro.waiting
	ro.waiting = nil
	for _, k := range waiting {
		if a, ok := k.m.(*Areacast); ok {
			ro.areacasts.onAreacast(a)
			continue
		}
		ro.resuming = k.came
		ro.forwardOrReceive(k.m, false)
		ro.resuming = 0
	}
}
