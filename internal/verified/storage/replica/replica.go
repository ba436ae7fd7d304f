// Package replica is a node's part of the world: its state after the last update, what it
// takes for likely around it, and what it knew before. From these it makes up what others
// need not send (Patches): an object is sent as the difference to a version that both have.
//
// Source: Schuster 2013, section 5.3; patches are of the hardened protocol
// (docs/protocols/storage-hardened.md).
//
// Invariants:
//   - a snapshot that is here does not change any more: it is replaced;
//   - what is tentative never counts as known;
//   - a patch makes an object of what its receiver has named, or none.
//
// Start with Replica, then Patches.For.
package replica

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

// Replica is the node's part of the world, and what it knows or thinks besides.
type Replica struct {
	*part.Part
	area *placement.Area

	State     *state.Snapshot // dynamic data, of the last update; nil: none
	Tentative *state.Snapshot // what the node thinks lies around its part; nil: nothing
	last      *state.Snapshot // the state before
	before    *state.Snapshot // the update area that the last update began with
	observed  *state.Snapshot // around the player's character
	restored  *state.Snapshot // what the node had before it began anew, or missed an update; nil: nothing
}

// New returns the replica of a node that has nothing yet.
func New(p *part.Part, area *placement.Area) *Replica { return &Replica{Part: p, area: area} }

// Install makes a snapshot the node's state.
func (rp *Replica) Install(s *state.Snapshot) { rp.last, rp.State = rp.State, s }

// TakeOver gives a node that has joined its first state; nil: there is none.
func (rp *Replica) TakeOver(s *state.Snapshot) { rp.State = s }

// BeginUpdate notes the update area that an update begins with.
func (rp *Replica) BeginUpdate(from *state.Snapshot) { rp.before = from }

// Observe notes what lies around the player's character; nil: that is not known.
func (rp *Replica) Observe(s *state.Snapshot) { rp.observed = s }

// Restore gives the node what it had before it began anew, or missed an update.
func (rp *Replica) Restore(s *state.Snapshot) { rp.restored = s.WithTentative() }

// HasRestored reports whether it was given any such thing.
func (rp *Replica) HasRestored() bool { return rp.restored != nil }

// KnownCell gives a cell that was agreed on, if the node has it without asking for it.
func (rp *Replica) KnownCell(of int64, x, y int32, c *state.Cell) (*state.Cell, bool) {
	if c == nil || !c.IsDigestOnly() && len(c.Objects) == 0 {
		return c, true // the digest of nothing is known
	}
	for _, s := range [...]*state.Snapshot{rp.State, rp.Tentative} {
		if s = s.WithTentative(); s == nil || s.Of != of || s.Covers(x, y, rp.World.Cell) != state.Inside {
			continue
		}
		if own := s.At(x, y); state.SameCellContent(own, c) {
			return own, true
		}
	}
	return nil, false
}

// KnownVersions appends what the node has or guesses of a cell at the time that is
// asked for: versions of objects that whoever sends the cell may refer to.
func (rp *Replica) KnownVersions(out []*state.Object, of int64, x, y int32) []*state.Object {
	for _, s := range [...]*state.Snapshot{rp.Tentative, rp.State} {
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

// KnownBase is a cell as the node knows it at a time, nil if it does not: whoever sends
// it as it was later, and knew the same then, sends what has changed.
func (rp *Replica) KnownBase(of int64, x, y int32) *state.Cell {
	for _, s := range [...]*state.Snapshot{rp.before, rp.last, rp.observed} {
		if s != nil && s.Of == of && s.Covers(x, y, rp.World.Cell) == state.Inside && s.At(x, y) != nil {
			return s.At(x, y)
		}
	}
	return nil
}

// commonBase is what the asker knows of an update before and the node knew as well,
// ascending by ID.
func (rp *Replica) commonBase(q *messages.Fetch) (base []baseObject) {
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

// Predicted is what the node itself thinks is in a cell, nil if it cannot tell.
func (rp *Replica) Predicted(of int64, x, y int32) *state.Cell {
	for _, s := range [...]*state.Snapshot{rp.State, rp.Tentative} {
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
	return rp.RestoredCell(x, y)
}

// OwnCell is a cell of the node's state, if that is of t_of and has all of the cell.
func (rp *Replica) OwnCell(of int64, x, y int32) (c *state.Cell, known bool) {
	if rp.State == nil || rp.State.Of != of || rp.State.Covers(x, y, rp.World.Cell) != state.Inside {
		return nil, false
	}
	return rp.State.At(x, y), true
}

// Woken is a character that is woken in the state of t_of, as the node has it; nil: it is
// not, or is another version.
func (rp *Replica) Woken(of int64, o *state.Object) *state.Object {
	if rp.State == nil || rp.State.Of != of {
		return nil
	}
	if i := slices.IndexFunc(rp.State.Activated, func(w *state.Object) bool { return state.SameObject(w, o) }); i >= 0 {
		return rp.State.Activated[i]
	}
	return nil
}

// Wake puts those who are woken into the state.
func (rp *Replica) Wake(woken []*state.Object) {
	s := *rp.State
	s.Activated = woken
	rp.State = &s
}

// HasComputed reports whether the node's state is that of t_of, and all of its cell known.
func (rp *Replica) HasComputed(of int64) bool {
	s := rp.State
	if s == nil || s.Of != of || slices.ContainsFunc(rp.area.Now.Cell, func(p geom.Point) bool { return !state.Contains(&s.Cover, p) }) {
		return false
	}
	return !s.HasUnsure(&overlay.Area{Polygon: rp.area.Now.Cell}, rp.World.Cell)
}

// RestoredCell is what the node had in a cell when it last had anything; nil: it
// does not know.
func (rp *Replica) RestoredCell(x, y int32) *state.Cell {
	s := rp.restored
	if s == nil || s.Covers(x, y, rp.World.Cell) != state.Inside {
		return nil
	}
	if c := s.At(x, y); c != nil {
		return c
	}
	return &state.Cell{}
}

// PredictRing computes what the node thinks will be in the ring around its part, as
// well as it can see: what turns out right need not be fetched. Own is that part.
func (rp *Replica) PredictRing(r *state.Replayer, own *state.Snapshot) {
	rp.Tentative = nil
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
	rp.Tentative = g
}
