package storage

import (
	"iter"
	"slices"
)

// The zones' votes on single objects.

// electAmongZones decides about one object.
func (bl *ballot) electAmongZones(q *query, versions []*Object) (*Object, int, verdict) {
	best, votes := bl.mostZones(q, versions)
	switch {
	case votes >= bl.zones.votesNeeded():
		return best, votes, elected
	case !bl.cfg.Protocol.Majority:
		return best, votes, kept
	}
	return bl.ownObject(q, versions, votes)
}

// mostZones is the version that most zones vote for, nil if that the object is
// not there. Each has a vote for what most of those say who see the place; a zone
// in which two versions are tied has none.
func (bl *ballot) mostZones(q *query, versions []*Object) (best *Object, votes int) {
	type choice struct {
		object *Object
		votes  int
	}
	var few [4]choice
	choices := few[:0]
	for i := range q.zones {
		z := zoneAnswer{results: q.zones[i].results}
		if slices.ContainsFunc(z.results, func(r *Result) bool { return !bl.fits(q, r) }) {
			z.results = slices.DeleteFunc(slices.Clone(z.results), func(r *Result) bool { return !bl.fits(q, r) })
		}
		o, ok := bl.electInZone(q, &z, versions[0].ID, versions)
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
func (bl *ballot) electInZone(q *query, z *zoneAnswer, id ObjectID, versions []*Object) (*Object, bool) {
	places := func(r *Result) bool {
		return slices.ContainsFunc(versions, func(o *Object) bool { return r.Seen.knows(o.Pos, &bl.world) })
	}
	var said []*Object
	absent := 0
	for _, r := range z.results {
		if !places(r) {
			continue
		}
		var o *Object
		for _, v := range versions {
			if c := r.Seen.At(v.Pos.X/bl.world.Cell, v.Pos.Y/bl.world.Cell); c != nil && r.Seen.sees(&q.Area, v.Pos, &bl.world) {
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
func (bl *ballot) ownObject(q *query, versions []*Object, votes int) (*Object, int, verdict) {
	s := bl.replica.state
	if s == nil || s.Of != q.Of {
		return nil, votes, unknown
	}
	how := unknown
	for _, v := range versions {
		if !s.knows(v.Pos, &bl.world) {
			continue
		}
		how = kept
		if c := s.At(v.Pos.X/bl.world.Cell, v.Pos.Y/bl.world.Cell); c != nil {
			if o := c.find(v.ID); o != nil && s.knows(o.Pos, &bl.world) {
				return o, votes, kept
			}
		}
	}
	return nil, votes, how
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
