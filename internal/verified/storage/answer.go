package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/actions"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/dormant"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/replica"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/transfer"
)

// answerer answers those who ask for areas of the world.
type answerer struct {
	*part.Part
	hooks    *hooks
	area     *placement.Area
	replica  *replica.Replica
	patches  *replica.Patches
	store    *actions.Store
	dormant  *dormant.Store
	transfer *transfer.Transfer
	given    budget
}

// gives reports whether somebody may have so many cells and static objects in this
// interval.
func (an *answerer) gives(to *overlay.Contact, want int) bool {
	held := an.dormant.Count()
	if s := an.replica.State; s != nil {
		held += len(s.Cells)
	}
	return !an.Hardened || an.given.grants(to.ID, an.Time.Of(an.Env.Now()), want, held)
}

// onRetrieve answers who asks for an area with the part that the node has.
func (an *answerer) onRetrieve(by *overlay.Contact, q *messages.Retrieve) {
	if !state.ValidArea(&q.Area) || !an.isAskersConcern(by, q) {
		return
	}
	m := &messages.Result{Query: q.Query, Around: an.area.Neighbourhood(), Area: q.Area, Known: q.Known}
	if q.Kind.Static() {
		for _, o := range an.dormant.Since(q.Of) {
			if an.Places.Touches(&q.Area, o.Pos) && an.area.Responsible(o.Pos) {
				m.Static = append(m.Static, o)
			}
		}
		slices.SortFunc(m.Static, state.ByID)
		m.Brief = an.Hardened
		m.Batches = an.store.BatchesAt(func(h geom.Point) bool { return an.Places.Touches(&q.Area, h) && an.area.Responsible(h) })
		m.Asking = an.Hardened && (an.area.NeighbourhoodChanged || an.transfer.IsFetching(&q.Area) || q.Of != 0 && q.Of != an.dormant.LastStep())
	} else {
		m.Seen, m.Brief = an.replica.State, an.Hardened
	}
	m.Seal(an.World)
	if m = an.hooks.answer(by, q, m); m == nil {
		return
	}
	if an.Cfg.Wire && (m.Brief || q.Known != nil) {
		m = m.EncodeDigests(q.Known, an.World)
	}
	an.Overlay.Reply(by, m)
	if q.Kind == messages.ForJoin {
		an.preventEclipse(by, q)
	}
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
func (an *answerer) isAskersConcern(by *overlay.Contact, q *messages.Retrieve) bool {
	home := an.Places.World(by.Pos)
	if state.Contains(&q.Area, home) || by.ID == an.Self.ID {
		return true
	}
	switch q.Kind {
	case messages.ForFailure:
		reach := geom.Circle{C: home, R: 8 * an.area.Now.Circle.R}
		return q.Area.Polygon.OverlapsCircle(reach)
	case messages.ForLook:
		return an.mayWatch(by, q)
	}
	// Rounding may put the home a few units outside.
	if len(q.Area.Polygon) > 0 {
		return q.Area.Polygon.OverlapsCircle(geom.Circle{C: home, R: 64})
	}
	return false
}

func (an *answerer) mayWatch(by *overlay.Contact, q *messages.Retrieve) bool {
	if an.replica.State == nil || len(an.replica.State.Cover.Polygon) > 0 || len(q.Area.Polygon) > 0 {
		return true
	}
	wide := q.Area
	wide.Circle.R += an.Reach
	gap := int64(an.replica.State.Cover.Circle.R) - int64(wide.Circle.R)
	if gap < 0 || wide.Circle.C.Dist2(an.replica.State.Cover.Circle.C) > gap*gap {
		return true // the character may be where it is not seen from here
	}
	for _, o := range an.replica.State.Players(&wide, &an.World, nil) {
		if o.Player.ID == by.ID {
			return true
		}
	}
	return false
}

// preventEclipse tells a node that has joined of somebody who should be its
// neighbour and was kept from it (thesis 5.5.3): the own entry for its zone, if
// a corner of the cell it believes to have is nearer to that one.
func (an *answerer) preventEclipse(by *overlay.Contact, q *messages.Retrieve) {
	zone := an.Space.Zone(by.Pos)
	if zone == an.Zone || len(q.Area.Polygon) == 0 {
		return
	}
	for _, e := range an.Overlay.Table(nil) {
		if e.Slot.Layer != 0 || e.Node.ID == by.ID || an.Space.Zone(e.Node.Pos) != zone {
			continue
		}
		for _, p := range q.Area.Polygon {
			k := an.Places.KeyBeyond(p, zone)
			// By more than rounding: a true neighbour is as near to a corner.
			if d := k.Dist2(e.Node.Pos); d+d/100 < k.Dist2(by.Pos) {
				an.Overlay.Reply(by, &messages.Better{Node: e.Node})
				return
			}
		}
	}
}
