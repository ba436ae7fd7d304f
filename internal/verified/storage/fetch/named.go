package fetch

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/vote"
)

// nameFetch is static data that was agreed on by name, and what of it is still to come.
type nameFetch struct {
	poll    *vote.Poll
	out     vote.Outcome
	votes   int
	missing []*state.Object  // only known by name
	lacking bool             // somebody has not sent all that it was asked for
	asked   *messages.Result // whose sender is asked for some of what is missing
	wanted  []state.ObjectID
	round   uint32
	refused map[*messages.Result]bool // whose sender has sent nothing
}

// startNamed fetches what was agreed on and the node does not have.
func (fe *Fetcher) startNamed(q *vote.Poll, out vote.Outcome, votes int) {
	f := &nameFetch{poll: q, out: out, votes: votes, refused: map[*messages.Result]bool{}}
	fe.named[q.Query] = f
	f.out.Static = nil
	for _, o := range out.Static {
		if own := fe.static.Object(o.ID); own != nil && state.SameObject(own, o) {
			f.out.Static = append(f.out.Static, own)
		} else {
			f.missing = append(f.missing, o)
		}
	}
	fe.static.Fetched(f.out.Static, f.out.Batches)
	fe.fetchNamed(f)
}

// fetchNamed asks for the next of those that are missing somebody who has named the
// first of them, a different one each time. Who is asking itself has perhaps nothing
// but the name, from somebody who has left.
func (fe *Fetcher) fetchNamed(f *nameFetch) {
	q := f.poll
	var by *messages.Result
	if luck := uint64(0); len(f.missing) > 0 {
		f.round++
		for i := range q.Zones {
			for _, r := range q.Zones[i].Results {
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
		fe.endNamed(f)
		return
	}
	m := &messages.Fetch{Retrieve: q.Retrieve}
	for _, o := range f.missing {
		if len(m.Characters) < NamesAtOnce && by.HasStatic(o) {
			m.Characters = append(m.Characters, o.ID)
		}
	}
	f.asked, f.wanted = by, m.Characters
	fe.Env.SetTimer(fe.Env.Now().Add(fetchPatience), machine.Timer{Kind: part.TimerFetch, Gen: f.round, Arg: q.Query})
	fe.Overlay.Reply(by.Around.Self, m)
}

// onNamed takes static objects, if they are those that were named. What is not among
// them the sender does not have any more: somebody has woken it, perhaps.
func (fe *Fetcher) onNamed(from *overlay.Contact, f *nameFetch, m *messages.Blocks) {
	if f.asked.Around.Self.ID != from.ID {
		return
	}
	var came []*state.Object
	for _, o := range m.Characters {
		if o.Static && slices.Contains(f.wanted, o.ID) && f.asked.HasStatic(o) && !state.Among(came, o) {
			came = append(came, o)
		}
	}
	if len(came) == 0 {
		return
	}
	f.lacking = f.lacking || len(came) < len(f.wanted)
	f.missing = slices.DeleteFunc(f.missing, func(o *state.Object) bool { return slices.Contains(f.wanted, o.ID) })
	f.out.Static = append(f.out.Static, came...)
	fe.static.Fetched(came, nil)
	fe.fetchNamed(f)
}

// namedLate is a timer: others are asked if who was asked has not answered.
func (fe *Fetcher) namedLate(f *nameFetch, round uint32) {
	if f.round == round {
		f.refused[f.asked] = true
		fe.fetchNamed(f)
	}
}

// endNamed ends a fetch; what nobody has sent is asked for again.
func (fe *Fetcher) endNamed(f *nameFetch) {
	f.out.Again = f.out.Again || f.lacking || len(f.missing) > 0
	slices.SortFunc(f.out.Static, state.ByID)
	delete(fe.named, f.poll.Query)
	fe.done(f.poll.Query, f.out, f.votes)
}

// NamesAtOnce is how many static objects are fetched with one question: in the
// thesis' world 400 KB. Who is asked has fetchPatience to send them.
const (
	NamesAtOnce   = 64
	fetchPatience = 2 * time.Second
)
