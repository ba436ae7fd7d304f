package vote

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// The zones' votes on static objects and actions.

// countStatic decides about static objects and actions one by one. What no
// majority reports is left as it is with the node.
func (bl *Ballot) countStatic(q *Poll) (out Outcome, votes int, decided bool) {
	need := bl.zones.VotesNeeded()
	zones := make([]Outcome, 0, len(q.Zones))
	decided = true
	for i := range q.Zones {
		zones = append(zones, bl.assembleStatic(bl.fromOwners(&q.Zones[i], i)))
		decided = decided && q.Silent(i, bl.zones)
	}
	votes = len(zones)
	same := func(list []*state.Object, o *state.Object) bool {
		return slices.ContainsFunc(list, func(p *state.Object) bool { return state.SameObject(p, o) })
	}
	for i, z := range zones {
		for _, o := range z.Static {
			if slices.ContainsFunc(zones[:i], func(y Outcome) bool { return same(y.Static, o) }) {
				continue // counted
			}
			v := 0
			for _, y := range zones {
				if same(y.Static, o) {
					v++
				}
			}
			counts := v >= need
			if !counts && 2*v >= bl.zones.Voters() {
				denied, open := bl.unreported(q, o)
				counts = !denied && !open
				out.Again = out.Again || !denied && open
			}
			if counts {
				out.Static, votes = append(out.Static, o), min(votes, v)
			}
		}
		for _, b := range z.Batches {
			is := func(c *state.Batch) bool { return c.Player.ID == b.Player.ID && c.Of == b.Of && state.SameBatch(c, b) }
			if slices.ContainsFunc(zones[:i], func(y Outcome) bool { return slices.ContainsFunc(y.Batches, is) }) {
				continue
			}
			v := 0
			for _, y := range zones {
				if slices.ContainsFunc(y.Batches, is) {
					v++
				}
			}
			if v >= need {
				out.Batches, votes = append(out.Batches, b), min(votes, v)
			}
		}
	}
	slices.SortFunc(out.Static, state.ByID)
	return out, votes, decided
}

// fromOwners is a zone of whose answers only those static objects are left that nobody who
// has answered is nearer to: only in one cell of a zone lies what sleeps. Who has just come,
// and asks itself, takes nothing from who was nearest before.
func (bl *Ballot) fromOwners(z *Zone, zone int) *Zone {
	out := &Zone{Over: z.Over}
	for _, r := range z.Results {
		own := *r
		own.Static = slices.DeleteFunc(slices.Clone(r.Static), func(o *state.Object) bool {
			k := bl.Places.KeyBeyond(o.Pos, zone)
			return slices.ContainsFunc(z.Results, func(n *messages.Result) bool {
				return !n.Asking && geom.Closer(k, n.Around.Self.Pos, r.Around.Self.Pos)
			})
		})
		out.Results = append(out.Results, &own)
	}
	return out
}

// unreported looks at the zones that do not report a static object. It is denied if one
// of them has answered, and the node there whose it would be is not asking itself;
// open, if one has not answered. When the nodes of several zones that keep a place
// leave together, those who follow them ask each other: that they know of nobody is
// no vote against who sleeps there.
func (bl *Ballot) unreported(q *Poll, o *state.Object) (denied, open bool) {
	for zone := range q.Zones {
		z := &q.Zones[zone]
		if slices.ContainsFunc(z.Results, func(r *messages.Result) bool { return r.HasStatic(o) }) {
			continue
		}
		k := bl.Places.KeyBeyond(o.Pos, zone)
		var near *messages.Result
		for _, r := range z.Results {
			if near == nil || geom.Closer(k, r.Around.Self.Pos, near.Around.Self.Pos) {
				near = r
			}
		}
		open = open || !q.Silent(zone, bl.zones)
		denied = denied || z.Over && !near.Asking
	}
	return denied, open
}
