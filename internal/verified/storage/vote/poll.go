package vote

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Poll is what has been answered to a retrieval of an area (thesis 5.2.2).
type Poll struct {
	messages.Retrieve
	Zones []Zone
}

// Zone is what has come from a zone.
type Zone struct {
	Results []*messages.Result
	Over    bool // all of its nodes that the question is for have answered

	// What those answer for by where they stand who have answered, when there were so many
	// answers.
	circles   map[circleKey]geom.Circle
	circlesOf int
}

// Outcome is the result of a retrieval.
type Outcome struct {
	Seen    *state.Snapshot // dynamic data
	Static  []*state.Object
	Batches []*state.Batch
	Again   bool // the static data has to be asked for again
}

// Fits reports whether an answer is about the time that is asked for.
func (q *Poll) Fits(r *messages.Result) bool { return r.Seen != nil && r.Seen.Of == q.Of }

// Answered reports whether a node has.
func (z *Zone) Answered(who id.ID) bool {
	return slices.ContainsFunc(z.Results, func(r *messages.Result) bool { return r.Around.Self.ID == who })
}

// Without is how many zones have answered and do not name a static object.
func (q *Poll) Without(o *state.Object) (count int) {
	for i := range q.Zones {
		z := &q.Zones[i]
		count += state.Indicator(z.Over && !slices.ContainsFunc(z.Results, func(r *messages.Result) bool { return r.HasStatic(o) }))
	}
	return count
}

// Keepers are those who have answered and see some of a cell, zone by zone.
func (q *Poll) Keepers(x, y, side int32) (out []*overlay.Contact) {
	for _, z := range q.Zones {
		for _, r := range z.Results {
			if q.Fits(r) && r.Seen.Through(&r.Seen.Cover, x, y, side) != state.Outside {
				out = append(out, r.Around.Self)
			}
		}
	}
	return out
}

// withTentative is the retrieval as if all that was guessed in its answers were known.
func (q *Poll) withTentative() *Poll { return q.withTentativeAtLeast(state.NotFrozen) }

// withTentativeAgreed is the retrieval as if all were known that enough zones have said.
func (q *Poll) withTentativeAgreed() *Poll { return q.withTentativeAtLeast(state.FrozenByMajority) }

func (q *Poll) withTentativeAtLeast(least state.Freeze) *Poll {
	b := *q
	b.Zones = make([]Zone, len(q.Zones))
	for i, z := range q.Zones {
		b.Zones[i] = z
		b.Zones[i].Results = make([]*messages.Result, len(z.Results))
		for k, r := range z.Results {
			c := *r
			c.Seen = r.Seen.WithTentativeAtLeast(least)
			b.Zones[i].Results[k] = &c
		}
	}
	return &b
}

// Silent reports whether no answer of a zone is waited for: it has given its last, or
// is deserted.
func (q *Poll) Silent(zone int, el *placement.Electorate) bool {
	return q.Zones[zone].Over || el.IsDeserted(zone)
}

// AllSilent reports whether no answer is waited for.
func (q *Poll) AllSilent(el *placement.Electorate) bool {
	for zone := range q.Zones {
		if !q.Silent(zone, el) {
			return false
		}
	}
	return true
}
