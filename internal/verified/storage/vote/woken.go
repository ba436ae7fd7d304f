package vote

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Votes on who is woken, of which only those who store them know.

// countActivated are the woken characters that enough zones report, and the node's
// own ones if there may be enough. Claimed are those that half of the zones report, and no
// zone otherwise: that is enough for an update, in which only those are awake who have signed
// actions. Open are those of whom the zones that have not finished may make a majority: who is
// forgotten now may be forgotten for ever.
func (bl *Ballot) countActivated(q *Poll) (out, claimed, open []*state.Object) {
	var all, own []*state.Object
	if bl.replica.State != nil && bl.replica.State.Of == q.Of {
		own = bl.replica.State.Activated
	}
	coming := 0
	for i := range q.Zones {
		coming += state.Indicator(!q.Silent(i, bl.zones))
		var zone []*state.Object
		for _, r := range q.Zones[i].Results {
			if !q.Fits(r) {
				continue
			}
			for _, o := range r.Seen.Activated {
				if state.RelateCell(&q.Area, o.Pos, &bl.World) != state.Outside && !slices.ContainsFunc(zone, func(p *state.Object) bool { return sameActivated(p, o) }) {
					zone = append(zone, o)
				}
			}
		}
		all = append(all, zone...)
	}
	slices.SortStableFunc(all, state.ByID)
	for i, o := range all {
		votes := 0
		for _, p := range all[i:] {
			votes += state.Indicator(p.ID == o.ID && sameActivated(p, o))
		}
		if votes >= bl.zones.VotesNeeded() {
			out = append(out, o)
			continue
		}
		otherwise := slices.ContainsFunc(all, func(p *state.Object) bool { return p.ID == o.ID && !sameActivated(p, o) })
		if 2*votes >= bl.zones.Voters() && !otherwise {
			claimed = append(claimed, o)
		}
		if votes+coming >= bl.zones.VotesNeeded() && !state.Among(out, o) && !state.Among(own, o) {
			open = append(open, o)
		}
	}
	for _, o := range own {
		if state.RelateCell(&q.Area, o.Pos, &bl.World) != state.Outside && !bl.mayBeActivated(q, o) {
			out = append(out, o)
		}
	}
	slices.SortStableFunc(out, state.ByID)
	claimed = slices.DeleteFunc(claimed, func(o *state.Object) bool { return state.Among(out, o) })
	return slices.CompactFunc(out, func(a, b *state.Object) bool { return a.ID == b.ID }), claimed, open
}

// mayBeActivated reports whether so many zones have answered and do not know that somebody
// was woken that no majority does: all leave him asleep.
func (bl *Ballot) mayBeActivated(q *Poll, o *state.Object) bool {
	without := 0
	for i := range q.Zones {
		z := &q.Zones[i]
		without += state.Indicator(z.Over && !slices.ContainsFunc(z.Results, func(r *messages.Result) bool { return q.Fits(r) && state.Among(r.Seen.Activated, o) }))
	}
	return without > bl.zones.Voters()-bl.zones.VotesNeeded()
}

// sameActivated compares two woken characters; where one that is only named is, its
// digest does not show to somebody who does not have it.
func sameActivated(a, b *state.Object) bool { return state.SameObject(a, b) && a.Pos == b.Pos }
