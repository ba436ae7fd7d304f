package vote

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Tally counts the zones that give the same result as a whole, as the thesis does (5.2.2).
type Tally struct {
	results []Result
}

// Result is a result that zones agree on.
type Result struct {
	Outcome
	Votes int
}

// Vote gives a zone's vote to its result; it returns the one that has enough votes, nil if
// none has yet.
func (bl *Ballot) Vote(t *Tally, q *Poll, out Outcome) *Result {
	i := slices.IndexFunc(t.results, func(r Result) bool { return bl.same(q, &r.Outcome, &out) })
	if i < 0 {
		i = len(t.results)
		t.results = append(t.results, Result{Outcome: out})
	}
	r := &t.results[i]
	if r.Votes++; r.Votes >= bl.zones.VotesNeeded() {
		return r
	}
	return nil
}

// Leading is the result with most votes, of several the one that came first; nil: there is
// none.
func (t *Tally) Leading() (best *Result) {
	for i := range t.results {
		if r := &t.results[i]; best == nil || r.Votes > best.Votes {
			best = r
		}
	}
	return best
}

// Assemble puts the answers of one zone together (thesis 5.2.2, 5.3.4). It fails
// if the zone cannot have a vote: an answer is of another time, or versions of
// an object that several nodes hold are tied.
func (bl *Ballot) Assemble(q *Poll, z *Zone) (Outcome, bool) {
	if q.Kind.Static() {
		return bl.assembleStatic(z), true
	}
	s := &state.Snapshot{Of: q.Of, Cover: q.Area, Grid: state.GridOver(&q.Area, &bl.World, 0)}
	for _, r := range z.Results {
		if r.Seen == nil || r.Seen.Of != q.Of {
			return Outcome{}, false
		}
	}
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			if state.Relate(&q.Area, x*bl.World.Cell, y*bl.World.Cell, bl.World.Cell) == state.Outside {
				continue
			}
			c, ok := bl.combine(q, z, x, y)
			if !ok {
				return Outcome{}, false
			}
			s.Set(x, y, c)
		}
	}
	for _, r := range z.Results {
		for _, o := range r.Seen.Activated {
			if r.Seen.Sees(&q.Area, o.Pos, &bl.World) {
				s.Activated = append(s.Activated, o)
			}
		}
	}
	slices.SortFunc(s.Activated, state.ByID)
	s.Activated = slices.CompactFunc(s.Activated, func(a, b *state.Object) bool { return a.ID == b.ID })
	return Outcome{Seen: s}, true
}

// combine is a cell as those who see a part of it report it. In most cases somebody
// sees all of it, and the others see the same as far as they see anything.
func (bl *Ballot) combine(q *Poll, z *Zone, x, y int32) (*state.Cell, bool) {
	side := bl.World.Cell
	whole := slices.IndexFunc(z.Results, func(r *messages.Result) bool { return r.Seen.Covers(x, y, side) == state.Inside })
	if whole < 0 {
		return bl.combineObjects(q, z, x, y)
	}
	one := z.Results[whole].Seen.At(x, y)
	for _, r := range z.Results {
		if c := r.Seen.At(x, y); c != one {
			if how := r.Seen.Covers(x, y, side); how != state.Outside && !state.SameWithin(&r.Seen.Cover, c, one, how == state.Inside) {
				return bl.combineObjects(q, z, x, y)
			}
		}
	}
	return one, true
}

// combineObjects votes for each object among those whose part of the world it
// lies in: one that does not report it votes that it is not there (5.3.4).
func (bl *Ballot) combineObjects(q *Poll, z *Zone, x, y int32) (*state.Cell, bool) {
	var all []*state.Object
	for _, r := range z.Results {
		if c := r.Seen.At(x, y); c != nil {
			for _, o := range c.Objects {
				if r.Seen.Sees(&q.Area, o.Pos, &bl.World) {
					all = append(all, o)
				}
			}
		}
	}
	slices.SortStableFunc(all, state.ByID)
	var out []*state.Object
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].ID == all[i].ID {
			j++
		}
		o, ok := elect(z, all[i:j], &bl.World)
		if !ok {
			return nil, false
		}
		if o != nil {
			out = append(out, o)
		}
		i = j
	}
	return state.NewCell(out), true
}

// elect returns the version of an object that has most votes, nil if that it is
// not there has; a tie fails.
func elect(z *Zone, versions []*state.Object, w *state.World) (best *state.Object, ok bool) {
	most := 0 // votes for its not being there
	for _, r := range z.Results {
		if slices.ContainsFunc(versions, func(o *state.Object) bool { return r.Seen.Knows(o.Pos, *w) }) {
			most++
		}
	}
	most -= len(versions)
	return mostVoted(versions, most)
}

// mostVoted returns the version that most of those who have one say, nil if
// more say that the object is not there; a tie fails.
func mostVoted(versions []*state.Object, absent int) (best *state.Object, ok bool) {
	most := absent
	ok = true
	for i, o := range versions {
		same := func(p *state.Object) bool { return state.SameObject(p, o) }
		if slices.ContainsFunc(versions[:i], same) {
			continue // counted
		}
		votes := 0
		for _, p := range versions {
			if same(p) {
				votes++
			}
		}
		switch {
		case votes > most:
			best, most, ok = o, votes, true
		case votes == most:
			ok = false
		}
	}
	return best, ok
}

// assembleStatic joins what does not overlap.
func (bl *Ballot) assembleStatic(z *Zone) Outcome {
	var out Outcome
	for _, r := range z.Results {
		out.Static = append(out.Static, r.Static...)
		out.Batches = append(out.Batches, r.Batches...)
	}
	slices.SortFunc(out.Static, state.ByID)
	out.Static = slices.CompactFunc(out.Static, func(a, b *state.Object) bool { return a.ID == b.ID })
	slices.SortFunc(out.Batches, func(a, b *state.Batch) int {
		if c := state.CompareIDs(a.Player.ID, b.Player.ID); c != 0 {
			return c
		}
		return int(a.Of - b.Of)
	})
	return out
}

// same reports whether two zones give the same result.
func (bl *Ballot) same(q *Poll, a, b *Outcome) bool {
	if q.Kind.Static() {
		return slices.EqualFunc(a.Static, b.Static, state.SameObject) && slices.EqualFunc(a.Batches, b.Batches, func(x, y *state.Batch) bool {
			return x.Of == y.Of && state.SameBatch(x, y)
		})
	}
	if !slices.EqualFunc(a.Seen.Activated, b.Seen.Activated, state.SameObject) {
		return false
	}
	for i, c := range a.Seen.Cells {
		d := b.Seen.Cells[i]
		if c == d {
			continue
		}
		x, y := a.Seen.X+int32(i)%a.Seen.W, a.Seen.Y+int32(i)/a.Seen.W
		if !state.SameWithin(&q.Area, c, d, state.Relate(&q.Area, x*bl.World.Cell, y*bl.World.Cell, bl.World.Cell) == state.Inside) {
			return false
		}
	}
	return true
}
