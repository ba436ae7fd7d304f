package vote

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/replica"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Ballot lets the zones vote on what has been answered to a retrieval.
type Ballot struct {
	*part.Part
	area    *placement.Area
	zones   *placement.Electorate
	replica *replica.Replica // what counts where no majority agrees
}

// New returns the ballot of a node.
func New(p *part.Part, area *placement.Area, zones *placement.Electorate, own *replica.Replica) *Ballot {
	return &Ballot{Part: p, area: area, zones: zones, replica: own}
}

// Count lets the zones vote for each cell by its digest. An answer has a
// say about the places that its sender sees, whether or not the rest of its zone
// has answered. It reports whether nothing is left to be decided. When no more
// answers will come (last), guesses count too.
func (bl *Ballot) Count(q *Poll, last bool) (out Outcome, votes int, decided bool) {
	if q.Kind.Static() {
		return bl.countStatic(q)
	}
	s := &state.Snapshot{Of: q.Of, Cover: q.Area, Grid: state.GridOver(&q.Area, &bl.World, 0), Whole: true}
	votes, decided = len(q.Zones), true
	var bold, firm *Poll
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			if state.Relate(&q.Area, x*bl.World.Cell, y*bl.World.Cell, bl.World.Cell) == state.Outside {
				continue
			}
			c, least, how := bl.countCell(q, x, y)
			if how != elected && last {
				if bold == nil {
					bold, firm = q.withTentative(), q.withTentativeAgreed()
				}
				g, v, by := bl.countCell(bold, x, y)
				open := q.Kind == messages.ForUpdate && how == unknown
				lively := open && bl.halfOfZonesKnow(q, x, y)
				rests := open && !lively && bl.isFrozenByVote(q, x, y)
				switch {
				case rests && by == elected && !bl.thawsAt(firm, x, y):
					s.SetTentative(x, y, g)
					s.SetFreeze(x, y, state.FrozenByMajority)
				case by == elected && how == unknown:
					c, least, how = g, v, by
				case how == unknown && bl.isUncontested(q, bold, x, y):
					c, how = bl.versions(q, x, y)[0].cell, kept
				case how == unknown:
					if s.SetTentative(x, y, bl.mostLikelyCell(q, bold, x, y)); rests {
						s.SetFreeze(x, y, state.Waits)
					} else if lively {
						s.SetFreeze(x, y, state.Lives)
					}
				}
			}
			votes, decided = min(votes, least), decided && how == elected
			if how == unknown {
				s.MarkUnsure(x, y)
				continue
			}
			s.Set(x, y, c)
		}
	}
	woken, claimed, open := bl.countActivated(q)
	if q.Kind == messages.ForUpdate {
		woken = append(woken, claimed...)
		slices.SortFunc(woken, state.ByID)
	}
	if s.Activated = woken; last {
		s.MarkWokenUnsure(open, &bl.World)
	}
	return Outcome{Seen: s}, votes, decided && len(open) == 0
}

// verdict is how something was decided.
type verdict uint8

const (
	elected verdict = iota // by enough zones
	kept                   // the node's own, or what has most votes
	unknown
)

// countCell decides what is in a cell. Of t_0 nobody else is asked to decide: everybody
// can make it (thesis 5.3.6).
func (bl *Ballot) countCell(q *Poll, x, y int32) (cell *state.Cell, least int, how verdict) {
	if q.Of == 0 {
		return bl.Cache.InitialCell(bl.Cfg.Rules, &bl.World, x, y), len(q.Zones), elected
	}
	if c, votes := bl.sameCell(q, x, y); votes >= bl.zones.VotesNeeded() {
		return c, votes, elected
	}
	return bl.countOwners(q, x, y)
}

// sameCell returns the cell that most complete zones hold as a whole.
func (bl *Ballot) sameCell(q *Poll, x, y int32) (best *state.Cell, votes int) {
	type choice struct {
		cell  *state.Cell
		votes int
	}
	var few [4]choice
	choices := few[:0]
zones:
	for i := range q.Zones {
		z := &q.Zones[i]
		if !z.Over {
			continue
		}
		var one *state.Cell
		first := true
		for _, r := range z.Results {
			if !q.Fits(r) {
				continue zones
			}
			if r.Seen.Covers(x, y, bl.World.Cell) == state.Outside {
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
