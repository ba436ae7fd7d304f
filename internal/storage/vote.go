package storage

import (
	"iter"
	"slices"
)

// countVotes lets the zones vote for each object (Protocol.Objects). An answer has a
// say about the places that its sender sees, whether or not the rest of its zone
// has answered. It reports whether nothing is left to be decided. When no more
// answers will come (last), guesses count too.
func (n *Node) countVotes(q *query, last bool) (out outcome, votes int, decided bool) {
	if q.Kind.static() {
		return n.countStatic(q)
	}
	s := &Snapshot{Of: q.Of, Cover: q.Area, Grid: gridOver(&q.Area, &n.world, 0), Whole: n.votesOnDigests(q)}
	votes, decided = len(q.zones), true
	var bold, firm *query
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			if relate(&q.Area, x*n.world.Cell, y*n.world.Cell, n.world.Cell) == outside {
				continue
			}
			c, least, how := n.countCell(q, x, y)
			if how != elected && last && n.cfg.Protocol.Majority {
				if bold == nil {
					bold, firm = q.withTentative(), q.withTentativeAgreed()
				}
				g, v, by := n.countCell(bold, x, y)
				open := q.Kind == ForUpdate && how == unknown
				lively := open && n.halfOfZonesKnow(q, x, y)
				rests := open && !lively && n.isFrozenByVote(q, x, y)
				switch {
				case rests && by == elected && !n.thawsAt(firm, x, y):
					s.setTentative(x, y, g)
					s.setFreeze(x, y, frozenByMajority)
				case by == elected:
					c, least, how = g, v, by
				case how == unknown:
					if s.setTentative(x, y, n.mostLikelyCell(bold, x, y)); rests {
						s.setFreeze(x, y, waits)
					} else if lively {
						s.setFreeze(x, y, lives)
					}
				}
			}
			votes, decided = min(votes, least), decided && how == elected
			if how == unknown {
				s.markUnsure(x, y)
				continue
			}
			s.set(x, y, c)
		}
	}
	woken, open := n.countActivated(q)
	if s.Woken = woken; last && n.cfg.Protocol.Majority {
		s.markWokenUnsure(open, &n.world)
	}
	return outcome{seen: s}, votes, decided && len(open) == 0
}

// verdict is how something was decided.
type verdict uint8

const (
	elected verdict = iota // by enough zones
	kept                   // the node's own, or what has most votes
	unknown
)

// countCell decides what is in a cell. In most cases enough zones hold the same
// cell; only otherwise its objects are looked at one by one. Of t_0 nobody else is
// asked to decide.
func (n *Node) countCell(q *query, x, y int32) (cell *Cell, least int, how verdict) {
	if q.Of == 0 && n.canDeriveInitial() {
		return n.cache.initialCell(n.cfg.Rules, &n.world, x, y), len(q.zones), elected
	}
	if c, votes := n.sameCell(q, x, y); votes >= n.votesNeeded() {
		return c, votes, elected
	}
	if n.votesOnDigests(q) {
		return n.countCellDigests(q, x, y)
	}
	all, seen := n.reported(q, x, y)
	least, how = seen, elected
	if seen < n.votesNeeded() && n.cfg.Protocol.Majority {
		return n.ownCell(q, x, y, seen)
	}
	var out []*Object
	for versions := range versionsOf(all) {
		o, votes, by := n.electAmongZones(q, versions)
		if by == unknown {
			return nil, votes, unknown
		}
		least, how = min(least, votes), max(how, by)
		if o != nil {
			out = append(out, o)
		}
	}
	return NewCell(out), least, how
}

// reported is all that answers say of a cell, ascending by ID, and how many zones
// have answered about it.
func (n *Node) reported(q *query, x, y int32) (all []*Object, seen int) {
	for i := range q.zones {
		knows := 0
		for _, r := range q.zones[i].results {
			if !n.fits(q, r) || r.Seen.covers(x, y, n.world.Cell) == outside {
				continue
			}
			knows = 1
			if c := r.Seen.At(x, y); c != nil {
				for _, o := range c.Objects {
					if r.Seen.sees(&q.Area, o.Pos, &n.world) {
						all = append(all, o)
					}
				}
			}
		}
		seen += knows
	}
	slices.SortStableFunc(all, byID)
	return all, seen
}

// versionsOf goes through objects that ascend by ID, all versions of one at a
// time.
func versionsOf(all []*Object) iter.Seq[[]*Object] {
	return func(yield func([]*Object) bool) {
		for i := 0; i < len(all); {
			j := i
			for j < len(all) && all[j].ID == all[i].ID {
				j++
			}
			if !yield(all[i:j]) {
				return
			}
			i = j
		}
	}
}

// fits reports whether an answer is about the time that is asked for.
func (n *Node) fits(q *query, r *Result) bool { return r.Seen != nil && r.Seen.Of == q.Of }

// ownCell is the node's own version of a cell that too few zones have spoken of.
func (n *Node) ownCell(q *query, x, y int32, votes int) (*Cell, int, verdict) {
	if n.state == nil || n.state.Of != q.Of || n.state.covers(x, y, n.world.Cell) != inside {
		return nil, votes, unknown
	}
	return n.state.At(x, y), votes, kept
}

// sameCell returns the cell that most complete zones hold as a whole.
func (n *Node) sameCell(q *query, x, y int32) (best *Cell, votes int) {
	type choice struct {
		cell  *Cell
		votes int
	}
	var few [4]choice
	choices := few[:0]
zones:
	for i := range q.zones {
		z := &q.zones[i]
		if !z.over {
			continue
		}
		var one *Cell
		first := true
		for _, r := range z.results {
			if !n.fits(q, r) {
				continue zones
			}
			if r.Seen.covers(x, y, n.world.Cell) == outside {
				continue
			}
			c := r.Seen.At(x, y)
			if !first && c != one {
				continue zones
			}
			one, first = c, false
		}
		if first {
			continue
		}
		k := slices.IndexFunc(choices, func(c choice) bool { return c.cell == one })
		if k < 0 {
			k = len(choices)
			choices = append(choices, choice{cell: one})
		}
		choices[k].votes++
	}
	for _, c := range choices {
		if c.votes > votes {
			best, votes = c.cell, c.votes
		}
	}
	return best, votes
}

// electAmongZones decides about one object.
func (n *Node) electAmongZones(q *query, versions []*Object) (*Object, int, verdict) {
	best, votes := n.mostZones(q, versions)
	switch {
	case votes >= n.votesNeeded():
		return best, votes, elected
	case !n.cfg.Protocol.Majority:
		return best, votes, kept
	}
	return n.ownObject(q, versions, votes)
}

// mostZones is the version that most zones vote for, nil if that the object is
// not there. Each has a vote for what most of those say who see the place; a zone
// in which two versions are tied has none.
func (n *Node) mostZones(q *query, versions []*Object) (best *Object, votes int) {
	type choice struct {
		object *Object
		votes  int
	}
	var few [4]choice
	choices := few[:0]
	for i := range q.zones {
		z := zoneAnswer{results: q.zones[i].results}
		if slices.ContainsFunc(z.results, func(r *Result) bool { return !n.fits(q, r) }) {
			z.results = slices.DeleteFunc(slices.Clone(z.results), func(r *Result) bool { return !n.fits(q, r) })
		}
		o, ok := n.electInZone(q, &z, versions[0].ID, versions)
		if !ok {
			continue
		}
		k := slices.IndexFunc(choices, func(c choice) bool {
			return c.object == o || c.object != nil && o != nil && sameObject(c.object, o)
		})
		if k < 0 {
			k = len(choices)
			choices = append(choices, choice{object: o})
		}
		choices[k].votes++
	}
	for _, c := range choices {
		if c.votes > votes {
			best, votes = c.object, c.votes
		}
	}
	return best, votes
}

// electInZone is a zone's vote about an object.
func (n *Node) electInZone(q *query, z *zoneAnswer, id ObjectID, versions []*Object) (*Object, bool) {
	places := func(r *Result) bool {
		return slices.ContainsFunc(versions, func(o *Object) bool { return r.Seen.knows(o.Pos, &n.world) })
	}
	var said []*Object
	absent := 0
	for _, r := range z.results {
		if !places(r) {
			continue
		}
		var o *Object
		for _, v := range versions {
			if c := r.Seen.At(v.Pos.X/n.world.Cell, v.Pos.Y/n.world.Cell); c != nil && r.Seen.sees(&q.Area, v.Pos, &n.world) {
				if f := c.find(id); f != nil && f.Pos == v.Pos {
					o = f
					break
				}
			}
		}
		if o == nil {
			absent++
		} else {
			said = append(said, o)
		}
	}
	if absent == 0 && len(said) == 0 {
		return nil, false
	}
	return mostVoted(said, absent)
}

// ownObject is the node's own version of an object about which no majority
// agrees, not there perhaps; unknown if the node does not see its place.
func (n *Node) ownObject(q *query, versions []*Object, votes int) (*Object, int, verdict) {
	s := n.state
	if s == nil || s.Of != q.Of {
		return nil, votes, unknown
	}
	how := unknown
	for _, v := range versions {
		if !s.knows(v.Pos, &n.world) {
			continue
		}
		how = kept
		if c := s.At(v.Pos.X/n.world.Cell, v.Pos.Y/n.world.Cell); c != nil {
			if o := c.find(v.ID); o != nil && s.knows(o.Pos, &n.world) {
				return o, votes, kept
			}
		}
	}
	return nil, votes, how
}

// countStatic decides about static objects and actions one by one. What no
// majority reports is left as it is with the node.
func (n *Node) countStatic(q *query) (out outcome, votes int, decided bool) {
	need := n.votesNeeded()
	zones := make([]outcome, 0, len(q.zones))
	decided = true
	for i := range q.zones {
		zones = append(zones, n.assembleStatic(&q.zones[i]))
		decided = decided && n.silent(q, i)
	}
	votes = len(zones)
	same := func(list []*Object, o *Object) bool {
		return slices.ContainsFunc(list, func(p *Object) bool { return sameObject(p, o) })
	}
	for i, z := range zones {
		for _, o := range z.static {
			if slices.ContainsFunc(zones[:i], func(y outcome) bool { return same(y.static, o) }) {
				continue // counted
			}
			v := 0
			for _, y := range zones {
				if same(y.static, o) {
					v++
				}
			}
			counts := v >= need
			if !counts && 2*v >= n.voters() {
				denied, open := n.unreported(q, o)
				counts = !denied && !open
				out.again = out.again || !denied && open
			}
			if counts {
				out.static, votes = append(out.static, o), min(votes, v)
			}
		}
		for _, b := range z.batches {
			is := func(c *Batch) bool { return c.Player.ID == b.Player.ID && c.Of == b.Of && sameBatch(c, b) }
			if slices.ContainsFunc(zones[:i], func(y outcome) bool { return slices.ContainsFunc(y.batches, is) }) {
				continue
			}
			v := 0
			for _, y := range zones {
				if slices.ContainsFunc(y.batches, is) {
					v++
				}
			}
			if v >= need {
				out.batches, votes = append(out.batches, b), min(votes, v)
			}
		}
	}
	slices.SortFunc(out.static, byID)
	return out, votes, decided
}

// tally looks whether the answers so far decide a retrieval; last: no more will
// come.
func (n *Node) tally(q *query, last bool) {
	if q.done || q.fetch != nil || q.naming != nil || !last && q.full < n.votesNeeded() {
		return
	}
	if q.answers == 0 && !n.continuesAlone(q) {
		n.end(q, nil)
		return
	}
	if out, votes, decided := n.countVotes(q, last); decided || last {
		switch {
		case n.votesOnDigests(q):
			n.startFetch(q, out, votes)
			return
		case n.byName(q):
			n.startNaming(q, out, votes)
			return
		}
		n.end(q, &candidate{out, votes})
	}
}

// among reports whether a list has an object in this version.
func among(list []*Object, o *Object) bool {
	return slices.ContainsFunc(list, func(p *Object) bool { return p.ID == o.ID && sameObject(p, o) })
}
