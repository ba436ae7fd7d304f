package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// responsibility is what a node is responsible for: its Voronoi cell for static data,
// the smallest circle around it for dynamic data (thesis 5.3.4, 5.4.1).
type responsibility struct {
	cell       geom.Polygon // in the world
	circle     geom.Circle
	neighbours []*overlay.Contact // in the same zone
}

// computeResponsibility returns the territory among the present neighbours.
func (n *Node) computeResponsibility() responsibility {
	var t responsibility
	var points []geom.Point
	for _, c := range n.overlay.Neighbours(nil) {
		if n.space.Zone(c.Pos) == n.zone {
			t.neighbours = append(t.neighbours, c)
			points = append(points, c.Pos)
		}
	}
	keys := geom.Cell(n.self.Pos, points, n.space.SubArea(n.zone), nil)
	t.cell = n.places.polygon(keys)
	t.circle = geom.Enclosing(t.cell)
	t.circle.R += 2 // what rounding to keys may leave out
	return t
}

// Cell is the node's Voronoi cell in the world, Circle its maintenance area.
func (n *Node) Cell() geom.Polygon { return n.part.cell }

// Circle is the node's maintenance area (thesis 5.3.4).
func (n *Node) Circle() geom.Circle { return n.part.circle }

// responsible reports whether a place lies in the node's cell.
func (n *Node) responsible(p geom.Point) bool {
	k := n.places.keyBeyond(p, n.zone)
	for _, c := range n.part.neighbours {
		if geom.Closer(k, c.Pos, n.self.Pos) {
			return false
		}
	}
	return true
}

// nearestTo reports whether a neighbour is responsible for a place rather than
// all the others.
func (n *Node) nearestTo(who *overlay.Contact, p geom.Point) bool {
	k := n.places.keyBeyond(p, n.zone)
	for _, c := range n.part.neighbours {
		if c.ID != who.ID && geom.Closer(k, c.Pos, who.Pos) {
			return false
		}
	}
	return geom.Closer(k, who.Pos, n.self.Pos)
}

// onNeighbourhoodChanged looks at what a change of the neighbourhood, which is stable again,
// means for what is stored.
func (n *Node) onNeighbourhoodChanged() {
	n.neighbourhoodChanged = false
	old := n.part
	n.part = n.computeResponsibility()
	if !n.begun {
		return
	}
	for _, c := range n.part.neighbours {
		if !slices.ContainsFunc(old.neighbours, isContact(c)) {
			n.push(c)
		}
	}
	if !n.ready {
		n.awaitPushes()
		return
	}
	n.claimHandOffs()
	n.takeAdded(old.neighbours)
	n.activateLate()
}

func isContact(c *overlay.Contact) func(*overlay.Contact) bool {
	return func(d *overlay.Contact) bool { return c.ID == d.ID }
}

// push hands a new neighbour what lies in its cell, and lets go of static data
// that is no longer the node's own (thesis 5.4.1). It goes to every new
// neighbour, empty perhaps, for one that has joined waits for it.
func (n *Node) push(to *overlay.Contact) {
	m := &Push{}
	if n.ready {
		points := []geom.Point{n.self.Pos}
		for _, c := range n.part.neighbours {
			if c.ID != to.ID {
				points = append(points, c.Pos)
			}
		}
		m.Area.Polygon = n.places.polygon(geom.Cell(to.Pos, points, n.space.SubArea(n.zone), nil))
		m.Static = n.releaseStatic(to)
		m.Batches = n.batchesAt(func(h geom.Point) bool { return n.nearestTo(to, h) })
		n.actions.take(n.cache, true, func(p *Player) bool { return !n.stores(p) })
		m.Seen = n.state
		m.Seal(n.world)
	}
	n.sendPush(to, m)
}

func (n *Node) sendPush(to *overlay.Contact, m *Push) {
	if b := n.cfg.Behaviour; b != nil {
		if m = b.Push(n, to, m); m == nil {
			return
		}
	}
	n.overlay.Reply(to, m)
}

// batchesAt are the actions that the node stores of those players one of whose
// homes is wanted.
func (n *Node) batchesAt(want func(home geom.Point) bool) []*Batch {
	return n.actions.take(n.cache, false, func(p *Player) bool { return slices.ContainsFunc(n.homes(p), want) })
}

// releaseStatic removes static objects that a neighbour is now responsible for, and
// returns them in order.
func (n *Node) releaseStatic(to *overlay.Contact) (out []*Object) {
	for _, o := range n.static {
		if n.nearestTo(to, o.Pos) {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, byID)
	for _, o := range out {
		delete(n.static, o.ID)
	}
	return out
}

// awaitPushes takes over when every neighbour in the zone has pushed, or after
// the time that a question and its answer may take.
func (n *Node) awaitPushes() {
	for _, c := range n.part.neighbours {
		if !n.pushed[c.ID] {
			if !n.waiting {
				n.waiting = true
				n.env.SetTimer(n.env.Now().Add(2*n.time.lmax), machine.Timer{Kind: timerPushes})
			}
			return
		}
	}
	n.finishJoin()
}

func (n *Node) onPush(from *overlay.Contact, m *Push) {
	if n.space.Zone(from.Pos) != n.zone {
		return
	}
	if n.ready {
		out := outcome{static: m.Static, names: namedAll(m.Names), batches: m.Batches}
		n.addStatic(out)
		n.keepHandOff(from, out)
		return
	}
	if !n.pushed[from.ID] {
		n.pushed[from.ID] = true
		n.pushes = append(n.pushes, m)
	}
	if n.waiting {
		n.awaitPushes()
	}
}

// finishJoin begins to answer with what the neighbours have pushed (5.4.1), and
// compares its static data with that of the other zones after l_max.
func (n *Node) finishJoin() {
	if n.ready || n.stopped {
		return
	}
	n.ready = true
	if n.begun {
		n.state = n.mergePushes()
	}
	if n.early && n.state == nil {
		// Neighbours push to who is new to them, and knew this node before there was
		// anything to push.
		n.makeInitial()
	}
	for _, p := range n.pushes {
		n.addStatic(outcome{static: p.Static, batches: p.Batches})
	}
	n.pushes, n.pushed = nil, nil
	n.fetchLater(ForJoin, n.part.cell)
	n.catchUp()
	n.handleDeferred()
}

// mergePushes makes a snapshot of the own cell from what was pushed; none if the
// neighbours were not at the same update (thesis 5.4.1: inconsistent).
func (n *Node) mergePushes() *Snapshot {
	s := &Snapshot{Of: -1, Cover: overlay.Area{Polygon: n.part.cell}, Whole: n.cfg.Protocol.Digests}
	for _, p := range n.pushes {
		switch {
		case p.Seen == nil:
		case s.Of < 0:
			s.Of = p.Seen.Of
		case p.Seen.Of != s.Of:
			return nil
		}
	}
	if s.Of < 0 || len(n.part.cell) < 3 {
		return nil
	}
	s.Grid = gridOver(&s.Cover, &n.world, 0)
	for _, p := range n.pushes {
		if p.Seen == nil || len(p.Area.Polygon) < 3 {
			continue
		}
		p.Seen.parts(&p.Area, &n.world, func(v part) {
			if v.x < s.X || v.y < s.Y || v.x >= s.X+s.W || v.y >= s.Y+s.H || v.cell == nil {
				return
			}
			if have := s.At(v.x, v.y); have != nil && have != v.cell {
				s.set(v.x, v.y, union(have, v.cell))
			} else {
				s.set(v.x, v.y, v.cell)
			}
		})
	}
	for _, p := range n.pushes {
		s.copyUnsure(p, n.world.Cell)
	}
	if n.cfg.Protocol.Majority {
		n.markUnreportedUnsure(s)
	}
	return s
}

// markUnreportedUnsure makes unsure what no neighbour has told the node of: one that has
// just come in itself has nothing yet.
func (n *Node) markUnreportedUnsure(s *Snapshot) {
	side := n.world.Cell
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			told := slices.ContainsFunc(n.pushes, func(p *Push) bool {
				return p.Seen != nil && len(p.Area.Polygon) > 2 && relate(&p.Area, x*side, y*side, side) != outside && p.Seen.covers(x, y, side) != outside
			})
			if blank := s.unsure(x, y) && s.At(x, y) == nil; (blank || !told) && relate(&s.Cover, x*side, y*side, side) != outside {
				s.setTentative(x, y, n.restoredCell(x, y))
				s.setFreeze(x, y, waits)
			}
		}
	}
}

// copyUnsure makes unsure what a neighbour is not sure of.
func (s *Snapshot) copyUnsure(p *Push, side int32) {
	if p.Seen == nil || p.Seen.Unsure == nil || len(p.Area.Polygon) < 3 {
		return
	}
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			if p.Seen.unsure(x, y) && relate(&p.Area, x*side, y*side, side) != outside {
				if s.At(x, y) == nil {
					s.setTentative(x, y, p.Seen.At(x, y))
				}
				s.markUnsure(x, y)
				s.setFreeze(x, y, p.Seen.freezeOf(x, y))
			}
		}
	}
}

// union is all objects of two versions of a cell, the first one's before the
// second's.
func union(a, b *Cell) *Cell {
	out := slices.Concat(a.Objects, b.Objects)
	slices.SortStableFunc(out, byID)
	return NewCell(slices.CompactFunc(out, func(a, b *Object) bool { return a.ID == b.ID }))
}

// handleDeferred handles what had to wait.
func (n *Node) handleDeferred() {
	held := n.deferred
	n.deferred = nil
	n.events = append(n.events, held...)
}

// takeAdded fetches the static data of what was added to the cell because
// neighbours have left (thesis 5.4.2): one polygon, or the whole cell if several
// have. What is added outside the world is not fetched.
func (n *Node) takeAdded(before []*overlay.Contact) {
	var added geom.Polygon
	several := false
	for _, c := range before {
		if slices.ContainsFunc(n.part.neighbours, isContact(c)) {
			continue
		}
		if p := n.nearer(c); len(p) > 2 {
			several = several || added != nil
			added = p
		}
	}
	switch {
	case several:
		n.fetchLater(ForFailure, n.part.cell)
	case added != nil:
		n.fetchLater(ForFailure, added)
	}
}

// nearer is the part of the node's cell that is nearer to somebody who is not a
// neighbour any more: what was added by its leaving.
func (n *Node) nearer(c *overlay.Contact) geom.Polygon {
	points := []geom.Point{n.self.Pos}
	for _, d := range n.part.neighbours {
		points = append(points, d.Pos)
	}
	theirs := geom.Cell(c.Pos, points, n.space.SubArea(n.zone), nil)
	if len(theirs) < 3 {
		return nil
	}
	own := points[:0]
	for _, d := range n.part.neighbours {
		own = append(own, d.Pos)
	}
	keys := geom.Cell(n.self.Pos, own, n.space.SubArea(n.zone), nil)
	return n.places.polygon(geom.Nearer(keys, c.Pos, n.self.Pos))
}

// fetch is a retrieval of static data that waits for l_max to pass.
type fetch struct {
	kind  Kind
	area  geom.Polygon
	of    int64 // see Retrieve
	tries int   // before
}

// fetchLater waits for l_max, so that actions of before the change are stored.
func (n *Node) fetchLater(k Kind, area geom.Polygon) { n.fetchWhen(fetch{kind: k, area: area}) }

func (n *Node) fetchWhen(f fetch) {
	if len(f.area) < 3 {
		return
	}
	n.fetched++
	n.fetches[n.fetched] = f
	n.env.SetTimer(n.env.Now().Add(n.time.lmax), machine.Timer{Kind: timerStatic, Arg: n.fetched})
}

func (n *Node) fetchStatic(t machine.Timer) {
	f := n.fetches[t.Arg]
	delete(n.fetches, t.Arg)
	n.retrieve(f.kind, overlay.Area{Polygon: f.area}, f.of).tries = f.tries
}

// fetching reports whether the static data of a place has been asked for, or is
// going to be, and has not come.
func (n *Node) fetching(p geom.Point) bool {
	for _, f := range n.fetches {
		if n.places.touches(&overlay.Area{Polygon: f.area}, p) {
			return true
		}
	}
	return slices.ContainsFunc(n.running, func(q *query) bool { return q.Kind.static() && n.places.touches(&q.Area, p) })
}

// addStatic adds static data that lies in the node's cell.
func (n *Node) addStatic(out outcome) {
	for _, o := range out.static {
		if o.Static && n.responsible(o.Pos) {
			n.static[o.ID] = o
			delete(n.bequests, o.ID)
		}
	}
	for _, b := range out.batches {
		if n.stores(b.Player) {
			n.actions.merge([]*Batch{b})
		}
	}
}
