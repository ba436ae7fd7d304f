package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// onRetrieve answers who asks for an area with the part that the node has.
func (n *Node) onRetrieve(by *overlay.Contact, q *Retrieve) {
	if !validArea(&q.Area) || !n.isAskersConcern(by, q) {
		return
	}
	m := &Result{Query: q.Query, Around: n.neighbourhood(), Area: q.Area, Known: q.Known}
	if q.Kind.static() {
		for _, o := range n.dormantSince(q.Of) {
			if n.places.touches(&q.Area, o.Pos) && n.responsible(o.Pos) {
				m.Static = append(m.Static, o)
			}
		}
		slices.SortFunc(m.Static, byID)
		m.Brief = n.cfg.Protocol.Digests
		m.Batches = n.batchesAt(func(h geom.Point) bool { return n.places.touches(&q.Area, h) && n.responsible(h) })
		m.Asking = n.cfg.Protocol.Farewell && (n.neighbourhoodChanged || n.isFetchingStatic(&q.Area) || q.Of != 0 && q.Of != n.recentlyDormant.of)
	} else {
		m.Seen, m.Brief = n.state, n.cfg.Protocol.Digests
	}
	m.Seal(n.world)
	if b := n.cfg.Behaviour; b != nil {
		if m = b.Answer(n, by, q, m); m == nil {
			return
		}
	}
	if n.cfg.Wire && (m.Brief || q.Known != nil) {
		m = m.encodeDigests(q.Known, n.world)
	}
	n.overlay.Reply(by, m)
	if q.Kind == ForJoin {
		n.preventEclipse(by, q)
	}
}

func (n *Node) neighbourhood() *Around {
	if n.around == nil {
		n.around = NewAround(n.self, n.overlay.Neighbours(nil), n.space.Bounds())
	}
	return n.around
}

// validArea reports whether an area is one that can be calculated with.
func validArea(a *overlay.Area) bool {
	const half = geom.Limit / 2
	small := func(p geom.Point) bool { return p.X > -half && p.X < half && p.Y > -half && p.Y < half }
	if len(a.Polygon) == 0 {
		return a.Circle.R >= 0 && a.Circle.R < half && small(a.Circle.C)
	}
	return len(a.Polygon) > 2 && len(a.Polygon) <= 64 && !slices.ContainsFunc(a.Polygon, func(p geom.Point) bool { return !small(p) })
}

// isAskersConcern reports whether an area is any business of who asks for it (thesis
// 5.5.4): the node's own part of the world, or the surroundings of its player's
// character. Others are not answered.
//
//   - The update area contains the asking node's home, and so does its cell.
//   - What was added to a cell when a neighbour left lies near its home: within
//     four times the diameter of the part that is asked.
//   - An area of interest has the player's character in it. Who sees all of it
//     and does not see the character does not answer; it may have moved since the
//     last update as far as anything can.
func (n *Node) isAskersConcern(by *overlay.Contact, q *Retrieve) bool {
	home := n.places.world(by.Pos)
	if contains(&q.Area, home) || by.ID == n.self.ID {
		return true
	}
	switch q.Kind {
	case ForFailure:
		reach := geom.Circle{C: home, R: 8 * n.part.circle.R}
		return q.Area.Polygon.OverlapsCircle(reach)
	case ForLook:
		return n.mayWatch(by, q)
	}
	// Rounding may put the home a few units outside.
	if len(q.Area.Polygon) > 0 {
		return q.Area.Polygon.OverlapsCircle(geom.Circle{C: home, R: 64})
	}
	return false
}

func (n *Node) mayWatch(by *overlay.Contact, q *Retrieve) bool {
	if n.state == nil || len(n.state.Cover.Polygon) > 0 || len(q.Area.Polygon) > 0 {
		return true
	}
	wide := q.Area
	wide.Circle.R += n.reach
	gap := int64(n.state.Cover.Circle.R) - int64(wide.Circle.R)
	if gap < 0 || wide.Circle.C.Dist2(n.state.Cover.Circle.C) > gap*gap {
		return true // the character may be where it is not seen from here
	}
	for _, o := range n.state.players(&wide, &n.world, nil) {
		if o.Player.ID == by.ID {
			return true
		}
	}
	return false
}

// preventEclipse tells a node that has joined of somebody who should be its
// neighbour and was kept from it (thesis 5.5.3): the own entry for its zone, if
// a corner of the cell it believes to have is nearer to that one.
func (n *Node) preventEclipse(by *overlay.Contact, q *Retrieve) {
	zone := n.space.Zone(by.Pos)
	if zone == n.zone || len(q.Area.Polygon) == 0 {
		return
	}
	for _, e := range n.overlay.Table(nil) {
		if e.Slot.Layer != 0 || e.Node.ID == by.ID || n.space.Zone(e.Node.Pos) != zone {
			continue
		}
		for _, p := range q.Area.Polygon {
			k := n.places.keyBeyond(p, zone)
			// By more than rounding: a true neighbour is as near to a corner.
			if d := k.Dist2(e.Node.Pos); d+d/100 < k.Dist2(by.Pos) {
				n.overlay.Reply(by, &Better{e.Node})
				return
			}
		}
	}
}

// onRetrieveActions answers for a player's actions.
func (n *Node) onRetrieveActions(by *overlay.Contact, q *RetrieveActions) {
	m := &ActionsResult{Query: q.Query}
	m.Batch, m.Certificate = n.actions.certifiedBatch(q.Player, q.Of, n.cache)
	if m.Certificate != nil {
		m.saved = m.Certificate.savedBytes(q.Known)
		if n.cfg.Wire {
			m.Certificate = m.Certificate.shortened(q.Known)
		}
	}
	if b := n.cfg.Behaviour; b != nil {
		if m = b.AnswerActions(n, by, q, m); m == nil {
			return
		}
	}
	n.overlay.Reply(by, m)
}

// onStore stores an action, unless it has come too late to be in the next update,
// or too early to be of the present (thesis 5.3.3).
func (n *Node) onStore(m *Store, came machine.Time) {
	a := m.Action
	if a == nil || a.Player == nil || n.time.late(a, came) || a.At > came.Add(n.time.interval()) {
		return
	}
	if n.cfg.Check != nil && !n.cfg.Check(a) {
		return
	}
	if b := n.cfg.Behaviour; b != nil && !b.Keep(n, a) {
		return
	}
	of := n.time.of(a.At)
	if n.actions.playerLog(a.Player).intervalLog(of).sealed {
		return // the player has said that there are no more
	}
	n.actions.add(of, a)
	n.cache.noteAction(of, a)
}

// Act stores an action of the node's player in all zones, and forgets it
// (thesis 5.2.3).
func (n *Node) Act(a *Action) {
	if n.cfg.Protocol.Receipts {
		n.addPending(a)
	}
	m := &Store{a}
	for z := range n.space.Zones() {
		n.overlay.Unicast(n.places.key(a.Player.Home, z), m)
	}
	n.drain()
}
