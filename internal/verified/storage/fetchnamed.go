package storage

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// naming is static data that was agreed on, and what of it is still to come.
type naming struct {
	out     outcome
	votes   int
	missing []*state.Object  // only known by name
	lacking bool             // somebody has not sent all that it was asked for
	asked   *messages.Result // whose sender is asked for some of what is missing
	wanted  []state.ObjectID
	round   uint32
	refused map[*messages.Result]bool // whose sender has sent nothing
}

// startNaming fetches what was agreed on and the node does not have.
func (fe *fetcher) startNaming(q *query, out outcome, votes int) {
	f := &naming{votes: votes, refused: map[*messages.Result]bool{}}
	q.naming, f.out = f, out
	f.out.static = nil
	for _, o := range out.static {
		if own := fe.dormant.static[o.ID]; own != nil && state.SameObject(own, o) {
			f.out.static = append(f.out.static, own)
		} else {
			f.missing = append(f.missing, o)
		}
	}
	fe.dormant.addStatic(f.out)
	fe.fetchNamed(q)
}

// fetchNamed asks for the next of those that are missing somebody who has named the
// first of them, a different one each time. Who is asking itself has perhaps nothing
// but the name, from somebody who has left.
func (fe *fetcher) fetchNamed(q *query) {
	f := q.naming
	var by *messages.Result
	if luck := uint64(0); len(f.missing) > 0 {
		f.round++
		for i := range q.zones {
			for _, r := range q.zones[i].results {
				if f.refused[r] || r.Around.Self.ID == fe.Self.ID || !r.HasStatic(f.missing[0]) || by != nil && r.Asking && !by.Asking {
					continue
				}
				if draw := rng.Hash(q.Query, uint64(f.round), state.HashBytes(fe.Self.ID[:8]), state.HashBytes(r.Around.Self.ID[:8])); by == nil || by.Asking && !r.Asking || draw > luck {
					by, luck = r, draw
				}
			}
		}
	}
	if by == nil {
		fe.endNaming(q)
		return
	}
	m := &messages.Fetch{Retrieve: q.Retrieve}
	for _, o := range f.missing {
		if len(m.Characters) < namesAtOnce && by.HasStatic(o) {
			m.Characters = append(m.Characters, o.ID)
		}
	}
	f.asked, f.wanted = by, m.Characters
	fe.Env.SetTimer(fe.Env.Now().Add(fetchPatience), machine.Timer{Kind: part.TimerFetch, Gen: f.round, Arg: q.Query})
	fe.Overlay.Reply(by.Around.Self, m)
}

// onNamed takes static objects, if they are those that were named. What is not among
// them the sender does not have any more: somebody has woken it, perhaps.
func (fe *fetcher) onNamed(from *overlay.Contact, q *query, m *messages.Blocks) {
	f := q.naming
	if f.asked.Around.Self.ID != from.ID {
		return
	}
	var came outcome
	for _, o := range m.Characters {
		if o.Static && slices.Contains(f.wanted, o.ID) && f.asked.HasStatic(o) && !state.Among(came.static, o) {
			came.static = append(came.static, o)
		}
	}
	if len(came.static) == 0 {
		return
	}
	f.lacking = f.lacking || len(came.static) < len(f.wanted)
	f.missing = slices.DeleteFunc(f.missing, func(o *state.Object) bool { return slices.Contains(f.wanted, o.ID) })
	f.out.static = append(f.out.static, came.static...)
	fe.dormant.addStatic(came)
	fe.fetchNamed(q)
}

// namedLate is a timer: others are asked if who was asked has not answered.
func (fe *fetcher) namedLate(q *query, round uint32) {
	if f := q.naming; f.round == round {
		f.refused[f.asked] = true
		fe.fetchNamed(q)
	}
}

// endNaming ends a retrieval; what nobody has sent is asked for again.
func (fe *fetcher) endNaming(q *query) {
	f := q.naming
	f.out.again = f.out.again || f.lacking || len(f.missing) > 0
	slices.SortFunc(f.out.static, state.ByID)
	fe.queries.end(q, &candidate{f.out, f.votes})
}

// namesAtOnce is how many static objects are fetched with one question: in the
// thesis' world 400 KB. Who is asked has fetchPatience to send them.
const (
	namesAtOnce   = 64
	fetchPatience = 2 * time.Second
)
