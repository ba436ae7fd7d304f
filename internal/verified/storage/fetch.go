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

// fetcher gets what has been agreed on by digest or by name from those who hold it.
type fetcher struct {
	*part.Part
	replica *replica
	patches *patchCodec
	ballot  *ballot
	queries *retrievals
	dormant *dormantStore
}

// fetching is what was agreed on, and what of it is still to come.
type fetching struct {
	out     outcome
	votes   int
	cells   []messages.CellAt // missing
	woken   []*state.Object
	round   int
	asked   []asking
	refused map[*messages.Result]bool // whose sender has not given what its digests promise
}

type asking struct {
	of    *messages.Result
	cells []messages.CellAt
	said  *messages.Fetch
}

// fetchAgain is how long somebody who was asked for cells has to send them.
const fetchAgain = time.Second

// startFetch fetches what was agreed on and the node does not have.
func (fe *fetcher) startFetch(q *query, out outcome, votes int) {
	f := &fetching{out: out, votes: votes, refused: map[*messages.Result]bool{}}
	q.fetch = f
	s := out.seen
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			c := s.At(x, y)
			if c == nil {
				continue
			}
			own, has := fe.replica.knownCell(q.Of, x, y, c)
			if !has {
				f.cells = append(f.cells, messages.CellAt{X: x, Y: y})
			} else if c.IsDigestOnly() {
				s.Set(x, y, own)
			}
		}
	}
	for i, o := range s.Activated {
		if w := fe.replica.wokenInitial(o); w != nil {
			s.Activated[i] = w
			continue
		}
		own := -1
		if fe.replica.state != nil && fe.replica.state.Of == q.Of {
			own = slices.IndexFunc(fe.replica.state.Activated, func(w *state.Object) bool { return state.SameObject(w, o) })
		}
		if own < 0 {
			f.woken = append(f.woken, o)
		} else if messages.IsDigestOnly(o) {
			s.Activated[i] = fe.replica.state.Activated[own]
		}
	}
	fe.fetchMore(q)
}

// continueFetch is a timer: it ends the vote if that has not come to an end, or asks
// others for what those who were asked have not sent.
func (fe *fetcher) continueFetch(q *query, round uint32) {
	switch {
	case q.naming != nil:
		fe.namedLate(q, round)
		return
	case q.fetch == nil:
		fe.queries.tally(q, true)
		return
	}
	for _, a := range q.fetch.asked {
		if len(a.cells) > 0 {
			q.fetch.refused[a.of] = true
		}
	}
	fe.fetchMore(q)
}

// fetchMore asks as few nodes as it takes for what is missing; of those who hold
// most of it, one that the number of the retrieval draws.
func (fe *fetcher) fetchMore(q *query) {
	f := q.fetch
	if len(f.cells) == 0 && len(f.woken) == 0 {
		fe.endFetch(q)
		return
	}
	f.asked = f.asked[:0]
	left := slices.Clone(f.cells)
	woken := slices.Clone(f.woken)
	for len(left) > 0 || len(woken) > 0 {
		by, most, luck := (*messages.Result)(nil), 0, uint64(0)
		for i := range q.zones {
			for _, r := range q.zones[i].results {
				if f.refused[r] || !fe.ballot.fits(q, r) || r.Around.Self.ID == fe.Self.ID {
					continue
				}
				count := 0
				for _, at := range left {
					count += state.Indicator(fe.hasAgreedDigest(q, r, at))
				}
				for _, o := range woken {
					count += state.Indicator(slices.ContainsFunc(r.Seen.Activated, func(w *state.Object) bool { return state.SameObject(w, o) }))
				}
				draw := rng.Hash(q.Query, state.HashBytes(fe.Self.ID[:8]), state.HashBytes(r.Around.Self.ID[:8]))
				if count > most || count > 0 && count == most && draw > luck {
					by, most, luck = r, count, draw
				}
			}
		}
		if by == nil {
			break
		}
		left, woken = fe.fetchFrom(q, by, left, woken)
	}
	f.round++
	if len(f.asked) == 0 {
		fe.endFetch(q) // nobody has the rest
		return
	}
	fe.Env.SetTimer(fe.Env.Now().Add(fetchAgain), machine.Timer{Kind: part.TimerFetch, Arg: q.Query})
}

// hasAgreedDigest reports whether an answer has the digest of a cell that was agreed on.
func (fe *fetcher) hasAgreedDigest(q *query, r *messages.Result, at messages.CellAt) bool {
	return r.Seen.WithTentative().Covers(at.X, at.Y, fe.World.Cell) == state.Inside && state.SameCellContent(r.Seen.At(at.X, at.Y), q.fetch.out.seen.At(at.X, at.Y))
}

// fetchFrom asks one node for all that it has, and returns the rest.
func (fe *fetcher) fetchFrom(q *query, r *messages.Result, cells []messages.CellAt, woken []*state.Object) (left []messages.CellAt, asleep []*state.Object) {
	m := &messages.Fetch{Retrieve: q.Retrieve}
	for _, at := range cells {
		if !fe.hasAgreedDigest(q, r, at) {
			left = append(left, at)
			continue
		}
		m.Cells = append(m.Cells, at)
		m.Have = fe.replica.knownVersions(m.Have, q.Of, at.X, at.Y)
		m.Base = append(m.Base, fe.replica.knownBase(q.Of-1, at.X, at.Y))
	}
	for _, o := range woken {
		if slices.ContainsFunc(r.Seen.Activated, func(w *state.Object) bool { return state.SameObject(w, o) }) {
			m.Characters = append(m.Characters, o.ID)
		} else {
			asleep = append(asleep, o)
		}
	}
	slices.SortStableFunc(m.Have, state.ByID)
	q.fetch.asked = append(q.fetch.asked, asking{r, m.Cells, m})
	fe.Overlay.Reply(r.Around.Self, fe.encodeFetch(m))
	return left, asleep
}

// encodeFetch is a question as it travels.
func (fe *fetcher) encodeFetch(m *messages.Fetch) *messages.Fetch {
	if !fe.Cfg.Wire {
		return m
	}
	out := *m
	out.Have, out.Base = nil, nil
	for _, o := range m.Have {
		out.HaveTags = append(out.HaveTags, versionPrefix(o))
	}
	for _, c := range m.Base {
		tag := state.SaltedDigest{}
		if c != nil {
			tag = state.Salted(m.Query, c)
		}
		out.BaseTags = append(out.BaseTags, tag)
	}
	return &out
}

// onBlocks takes cells, if they are those that were agreed on.
func (fe *fetcher) onBlocks(from *overlay.Contact, m *messages.Blocks) {
	q := fe.queries.query(m.Query)
	if q != nil && q.naming != nil {
		fe.onNamed(from, q, m)
		return
	}
	if q == nil || q.fetch == nil {
		return
	}
	f := q.fetch
	for i := range f.asked {
		a := &f.asked[i]
		if a.of.Around.Self.ID != from.ID || len(a.cells) == 0 {
			continue
		}
		cells := m.Cells
		if fe.Cfg.Wire {
			cells = fe.patches.decodeCells(m, a.said)
		}
		if len(cells) != len(a.cells) {
			continue
		}
		for k, at := range a.cells {
			if !state.SameCellContent(cells[k], f.out.seen.At(at.X, at.Y)) {
				f.refused[a.of] = true
				continue
			}
			if f.out.seen.At(at.X, at.Y).IsDigestOnly() {
				f.out.seen.Set(at.X, at.Y, cells[k])
			}
			f.cells = slices.DeleteFunc(f.cells, func(c messages.CellAt) bool { return c == at })
		}
		a.cells = nil
	}
	for _, o := range m.Characters {
		is := func(w *state.Object) bool { return state.SameObject(w, o) }
		f.woken = slices.DeleteFunc(f.woken, is)
		if i := slices.IndexFunc(f.out.seen.Activated, is); i >= 0 && messages.IsDigestOnly(f.out.seen.Activated[i]) {
			f.out.seen.Activated[i] = o
		}
	}
	if len(f.cells) == 0 && len(f.woken) == 0 {
		fe.endFetch(q)
	}
}

// endFetch ends a retrieval; what has not come is unknown.
func (fe *fetcher) endFetch(q *query) {
	f := q.fetch
	for _, at := range f.cells {
		f.out.seen.SetTentative(at.X, at.Y, fe.replica.predicted(q.Of, at.X, at.Y))
	}
	f.cells = nil
	f.out.seen.MarkWokenUnsure(f.woken, &fe.World)
	f.out.seen.Activated = slices.DeleteFunc(f.out.seen.Activated, func(o *state.Object) bool {
		return slices.ContainsFunc(f.woken, func(w *state.Object) bool { return w == o })
	})
	fe.queries.end(q, &candidate{f.out, f.votes})
}
