package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// The zones' votes on static objects and actions.

// countStatic decides about static objects and actions one by one. What no
// majority reports is left as it is with the node.
func (bl *ballot) countStatic(q *query) (out outcome, votes int, decided bool) {
	need := bl.zones.VotesNeeded()
	zones := make([]outcome, 0, len(q.zones))
	decided = true
	for i := range q.zones {
		zones = append(zones, bl.assembleStatic(&q.zones[i]))
		decided = decided && q.silent(i, bl.zones)
	}
	votes = len(zones)
	same := func(list []*state.Object, o *state.Object) bool {
		return slices.ContainsFunc(list, func(p *state.Object) bool { return state.SameObject(p, o) })
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
			if !counts && 2*v >= bl.zones.Voters() {
				denied, open := bl.unreported(q, o)
				counts = !denied && !open
				out.again = out.again || !denied && open
			}
			if counts {
				out.static, votes = append(out.static, o), min(votes, v)
			}
		}
		for _, b := range z.batches {
			is := func(c *state.Batch) bool { return c.Player.ID == b.Player.ID && c.Of == b.Of && state.SameBatch(c, b) }
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
	slices.SortFunc(out.static, state.ByID)
	return out, votes, decided
}

// unreported looks at the zones that do not report a static object. It is denied if one
// of them has answered, and the node there whose it would be is not asking itself;
// open, if one has not answered. When the nodes of several zones that keep a place
// leave together, those who follow them ask each other: that they know of nobody is
// no vote against who sleeps there.
func (bl *ballot) unreported(q *query, o *state.Object) (denied, open bool) {
	for zone := range q.zones {
		z := &q.zones[zone]
		if slices.ContainsFunc(z.results, func(r *messages.Result) bool { return r.HasStatic(o) }) {
			continue
		}
		k := bl.Places.KeyBeyond(o.Pos, zone)
		var near *messages.Result
		for _, r := range z.results {
			if near == nil || geom.Closer(k, r.Around.Self.Pos, near.Around.Self.Pos) {
				near = r
			}
		}
		open = open || !q.silent(zone, bl.zones)
		denied = denied || z.over && !near.Asking
	}
	return denied, open
}
