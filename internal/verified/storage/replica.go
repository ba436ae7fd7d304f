package storage

import (
	"cmp"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// replica is the node's part of the world, and what it knows or thinks besides.
type replica struct {
	*core
	area *ownArea

	state     *Snapshot // dynamic data, of the last update; nil: none
	last      *Snapshot // the one before
	tentative *Snapshot // what the node thinks lies around its part; nil: nothing
	before    *Snapshot // the update area that the last update began with
	observed  *Snapshot // around the player's character
	restored  *Snapshot // what the node had before it began anew, or missed an update; nil: nothing
}

// knownCell gives a cell that was agreed on, if the node has it without asking for it.
func (rp *replica) knownCell(of int64, x, y int32, c *Cell) (*Cell, bool) {
	if c == nil || !c.isDigestOnly() && len(c.Objects) == 0 {
		return c, true // the digest of nothing is known
	}
	for _, s := range [...]*Snapshot{rp.state, rp.tentative} {
		if s = s.withTentative(); s == nil || s.Of != of || s.covers(x, y, rp.world.Cell) != inside {
			continue
		}
		if own := s.At(x, y); sameCellContent(own, c) {
			return own, true
		}
	}
	return nil, false
}

// knownVersions appends what the node has or guesses of a cell at the time that is
// asked for: versions of objects that whoever sends the cell may refer to.
func (rp *replica) knownVersions(out []*Object, of int64, x, y int32) []*Object {
	for _, s := range [...]*Snapshot{rp.tentative, rp.state} {
		if s == nil || s.Of != of {
			continue
		}
		if c := s.At(x, y); c != nil {
			for _, o := range c.Objects {
				if !slices.ContainsFunc(out, func(p *Object) bool { return p.ID == o.ID && sameObject(p, o) }) {
					out = append(out, o)
				}
			}
		}
	}
	return out
}

// knownBase is a cell as the node knows it at a time, nil if it does not: whoever sends
// it as it was later, and knew the same then, sends what has changed.
func (rp *replica) knownBase(of int64, x, y int32) *Cell {
	for _, s := range [...]*Snapshot{rp.before, rp.last, rp.observed} {
		if s != nil && s.Of == of && s.covers(x, y, rp.world.Cell) == inside && s.At(x, y) != nil {
			return s.At(x, y)
		}
	}
	return nil
}

// commonBase is what the asker knows of an update before and the node knew as well,
// ascending by ID.
func (rp *replica) commonBase(q *Fetch) (base []baseObject) {
	if rp.last == nil || rp.last.Of != q.Of-1 {
		return nil
	}
	last := rp.last.withTentative()
	for i, at := range q.Cells {
		if last.covers(at.X, at.Y, rp.world.Cell) != inside {
			continue
		}
		c := last.At(at.X, at.Y)
		switch {
		case c == nil:
			continue
		case i < len(q.Base) && q.Base[i] != nil && sameCellContent(c, q.Base[i]):
		case i < len(q.BaseTags) && q.BaseTags[i] != SaltedDigest{} && saltedDigest(q.Query, c) == q.BaseTags[i]:
		default:
			continue
		}
		for k, o := range c.Objects {
			base = append(base, baseObject{o, i, k})
		}
	}
	slices.SortStableFunc(base, func(a, b baseObject) int { return cmp.Compare(a.ID, b.ID) })
	return base
}

// predicted is what the node itself thinks is in a cell, nil if it cannot tell.
func (rp *replica) predicted(of int64, x, y int32) *Cell {
	for _, s := range [...]*Snapshot{rp.state, rp.tentative} {
		if s = s.withTentative(); s == nil || s.Of != of {
			continue
		}
		how, c := s.covers(x, y, rp.world.Cell), s.At(x, y)
		switch {
		case how == outside:
			continue
		case c == nil:
			return &Cell{}
		case how == across: // what is known of it is better than nothing
			return NewCell(slices.DeleteFunc(slices.Clone(c.Objects), func(o *Object) bool { return !s.Knows(o.Pos, rp.world) }))
		}
		return c
	}
	return rp.restoredCell(x, y)
}

// ownCell is the node's own version of a cell that too few zones have spoken of.
func (rp *replica) ownCell(q *query, x, y int32, votes int) (*Cell, int, verdict) {
	if rp.state == nil || rp.state.Of != q.Of || rp.state.covers(x, y, rp.world.Cell) != inside {
		return nil, votes, unknown
	}
	return rp.state.At(x, y), votes, kept
}

// hasComputed reports whether the node's state is that of t_of, and all of its cell known.
func (rp *replica) hasComputed(of int64) bool {
	s := rp.state
	if s == nil || s.Of != of || slices.ContainsFunc(rp.area.part.cell, func(p geom.Point) bool { return !contains(&s.Cover, p) }) {
		return false
	}
	return !s.hasUnsure(&overlay.Area{Polygon: rp.area.part.cell}, rp.world.Cell)
}

// restoredCell is what the node had in a cell when it last had anything; nil: it
// does not know.
func (rp *replica) restoredCell(x, y int32) *Cell {
	s := rp.restored
	if s == nil || s.covers(x, y, rp.world.Cell) != inside {
		return nil
	}
	if c := s.At(x, y); c != nil {
		return c
	}
	return &Cell{}
}

// predictRing computes what the node thinks will be in the ring around its part, as
// well as it can see: what turns out right need not be fetched. Own is that part.
func (rp *replica) predictRing(r *replayer, own *Snapshot) {
	rp.tentative = nil
	if !rp.hardened() {
		return
	}
	from := r.from
	g := &Snapshot{Of: r.of, Cover: from.Cover, Whole: true, Grid: gridOver(&from.Cover, &rp.world, 0)}
	for y := g.Y; y < g.Y+g.H; y++ {
		for x := g.X; x < g.X+g.W; x++ {
			switch {
			case own.covers(x, y, rp.world.Cell) == inside:
				g.set(x, y, own.At(x, y))
			case from.freezeOf(x, y) != notFrozen:
				g.setTentative(x, y, from.At(x, y))
				g.setFreeze(x, y, from.freezeOf(x, y))
			case from.covers(x, y, rp.world.Cell) != outside:
				g.set(x, y, r.cell(x, y))
			default:
				g.markUnsure(x, y) // not empty: unknown
			}
		}
	}
	rp.tentative = g
}

// updateMargin is how far the update area reaches beyond the maintenance area. Whole
// cells need all cells around them: their corners are farther away than reach.
func (c *core) updateMargin() int32 {
	if !c.hardened() {
		return c.reach
	}
	return int32(int64(c.world.ring(c.reach))*int64(c.world.Cell)*14143/10000) + 1
}

// Actions returns the actions that the node stores.
func (n *Node) Actions() []*Batch {
	return n.store.actions.take(n.cache, false, func(*Player) bool { return true })
}
