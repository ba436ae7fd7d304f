package storage

import (
	"cmp"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// replica is the node's part of the world, and what it knows or thinks besides.
type replica struct {
	*part.Part
	area *placement.Area

	state     *state.Snapshot // dynamic data, of the last update; nil: none
	last      *state.Snapshot // the one before
	tentative *state.Snapshot // what the node thinks lies around its part; nil: nothing
	before    *state.Snapshot // the update area that the last update began with
	observed  *state.Snapshot // around the player's character
	restored  *state.Snapshot // what the node had before it began anew, or missed an update; nil: nothing
}

// knownCell gives a cell that was agreed on, if the node has it without asking for it.
func (rp *replica) knownCell(of int64, x, y int32, c *state.Cell) (*state.Cell, bool) {
	if c == nil || !c.IsDigestOnly() && len(c.Objects) == 0 {
		return c, true // the digest of nothing is known
	}
	for _, s := range [...]*state.Snapshot{rp.state, rp.tentative} {
		if s = s.WithTentative(); s == nil || s.Of != of || s.Covers(x, y, rp.World.Cell) != state.Inside {
			continue
		}
		if own := s.At(x, y); state.SameCellContent(own, c) {
			return own, true
		}
	}
	return nil, false
}

// knownVersions appends what the node has or guesses of a cell at the time that is
// asked for: versions of objects that whoever sends the cell may refer to.
func (rp *replica) knownVersions(out []*state.Object, of int64, x, y int32) []*state.Object {
	for _, s := range [...]*state.Snapshot{rp.tentative, rp.state} {
		if s == nil || s.Of != of {
			continue
		}
		if c := s.At(x, y); c != nil {
			for _, o := range c.Objects {
				if !slices.ContainsFunc(out, func(p *state.Object) bool { return p.ID == o.ID && state.SameObject(p, o) }) {
					out = append(out, o)
				}
			}
		}
	}
	return out
}

// knownBase is a cell as the node knows it at a time, nil if it does not: whoever sends
// it as it was later, and knew the same then, sends what has changed.
func (rp *replica) knownBase(of int64, x, y int32) *state.Cell {
	for _, s := range [...]*state.Snapshot{rp.before, rp.last, rp.observed} {
		if s != nil && s.Of == of && s.Covers(x, y, rp.World.Cell) == state.Inside && s.At(x, y) != nil {
			return s.At(x, y)
		}
	}
	return nil
}

// commonBase is what the asker knows of an update before and the node knew as well,
// ascending by ID.
func (rp *replica) commonBase(q *messages.Fetch) (base []baseObject) {
	if rp.last == nil || rp.last.Of != q.Of-1 {
		return nil
	}
	last := rp.last.WithTentative()
	for i, at := range q.Cells {
		if last.Covers(at.X, at.Y, rp.World.Cell) != state.Inside {
			continue
		}
		c := last.At(at.X, at.Y)
		switch {
		case c == nil:
			continue
		case i < len(q.Base) && q.Base[i] != nil && state.SameCellContent(c, q.Base[i]):
		case i < len(q.BaseTags) && q.BaseTags[i] != state.SaltedDigest{} && state.Salted(q.Query, c) == q.BaseTags[i]:
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
func (rp *replica) predicted(of int64, x, y int32) *state.Cell {
	for _, s := range [...]*state.Snapshot{rp.state, rp.tentative} {
		if s = s.WithTentative(); s == nil || s.Of != of {
			continue
		}
		how, c := s.Covers(x, y, rp.World.Cell), s.At(x, y)
		switch {
		case how == state.Outside:
			continue
		case c == nil:
			return &state.Cell{}
		case how == state.Across: // what is known of it is better than nothing
			return state.NewCell(slices.DeleteFunc(slices.Clone(c.Objects), func(o *state.Object) bool { return !s.Knows(o.Pos, rp.World) }))
		}
		return c
	}
	return rp.restoredCell(x, y)
}

// ownCell is the node's own version of a cell that too few zones have spoken of.
func (rp *replica) ownCell(q *query, x, y int32, votes int) (*state.Cell, int, verdict) {
	if rp.state == nil || rp.state.Of != q.Of || rp.state.Covers(x, y, rp.World.Cell) != state.Inside {
		return nil, votes, unknown
	}
	return rp.state.At(x, y), votes, kept
}

// hasComputed reports whether the node's state is that of t_of, and all of its cell known.
func (rp *replica) hasComputed(of int64) bool {
	s := rp.state
	if s == nil || s.Of != of || slices.ContainsFunc(rp.area.Now.Cell, func(p geom.Point) bool { return !state.Contains(&s.Cover, p) }) {
		return false
	}
	return !s.HasUnsure(&overlay.Area{Polygon: rp.area.Now.Cell}, rp.World.Cell)
}

// restoredCell is what the node had in a cell when it last had anything; nil: it
// does not know.
func (rp *replica) restoredCell(x, y int32) *state.Cell {
	s := rp.restored
	if s == nil || s.Covers(x, y, rp.World.Cell) != state.Inside {
		return nil
	}
	if c := s.At(x, y); c != nil {
		return c
	}
	return &state.Cell{}
}

// predictRing computes what the node thinks will be in the ring around its part, as
// well as it can see: what turns out right need not be fetched. Own is that part.
func (rp *replica) predictRing(r *state.Replayer, own *state.Snapshot) {
	rp.tentative = nil
	if !rp.Hardened {
		return
	}
	from := r.From
	g := &state.Snapshot{Of: r.Of, Cover: from.Cover, Whole: true, Grid: state.GridOver(&from.Cover, &rp.World, 0)}
	for y := g.Y; y < g.Y+g.H; y++ {
		for x := g.X; x < g.X+g.W; x++ {
			switch {
			case own.Covers(x, y, rp.World.Cell) == state.Inside:
				g.Set(x, y, own.At(x, y))
			case from.FreezeOf(x, y) != state.NotFrozen:
				g.SetTentative(x, y, from.At(x, y))
				g.SetFreeze(x, y, from.FreezeOf(x, y))
			case from.Covers(x, y, rp.World.Cell) != state.Outside:
				g.Set(x, y, r.Cell(x, y))
			default:
				g.MarkUnsure(x, y) // not empty: unknown
			}
		}
	}
	rp.tentative = g
}

// Actions returns the actions that the node stores.
func (n *Node) Actions() []*state.Batch {
	return n.actions.Store.All()
}
