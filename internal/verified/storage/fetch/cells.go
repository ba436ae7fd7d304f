package fetch

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/replica"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/vote"
)

// cellFetch is what was agreed on by digest, and what of it is still to come.
type cellFetch struct {
	poll    *vote.Poll
	out     vote.Outcome
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

// startCells fetches what was agreed on and the node does not have.
func (fe *Fetcher) startCells(q *vote.Poll, out vote.Outcome, votes int) {
	f := &cellFetch{poll: q, out: out, votes: votes, refused: map[*messages.Result]bool{}}
	fe.cells[q.Query] = f
	s := out.Seen
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			c := s.At(x, y)
			if c == nil {
				continue
			}
			own, has := fe.replica.KnownCell(q.Of, x, y, c)
			if !has {
				f.cells = append(f.cells, messages.CellAt{X: x, Y: y})
			} else if c.IsDigestOnly() {
				s.Set(x, y, own)
			}
		}
	}
	for i, o := range s.Activated {
		if w := fe.replica.WokenInitial(o); w != nil {
			s.Activated[i] = w
			continue
		}
		if own := fe.replica.Woken(q.Of, o); own == nil {
			f.woken = append(f.woken, o)
		} else if messages.IsDigestOnly(o) {
			s.Activated[i] = own
		}
	}
	fe.fetchMore(f)
}

// cellsLate asks others for what those who were asked have not sent.
func (fe *Fetcher) cellsLate(f *cellFetch) {
	for _, a := range f.asked {
		if len(a.cells) > 0 {
			f.refused[a.of] = true
		}
	}
	fe.fetchMore(f)
}

// fetchMore asks as few nodes as it takes for what is missing; of those who hold
// most of it, one that the number of the retrieval draws.
func (fe *Fetcher) fetchMore(f *cellFetch) {
	q := f.poll
	if len(f.cells) == 0 && len(f.woken) == 0 {
		fe.endCells(f)
		return
	}
	f.asked = f.asked[:0]
	left := slices.Clone(f.cells)
	woken := slices.Clone(f.woken)
	for len(left) > 0 || len(woken) > 0 {
		by, most, luck := (*messages.Result)(nil), 0, uint64(0)
		for i := range q.Zones {
			for _, r := range q.Zones[i].Results {
				if f.refused[r] || !q.Fits(r) || r.Around.Self.ID == fe.Self.ID {
					continue
				}
				count := 0
				for _, at := range left {
					count += state.Indicator(f.hasAgreedDigest(r, at, fe.World.Cell))
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
		left, woken = fe.fetchFrom(f, by, left, woken)
	}
	f.round++
	if len(f.asked) == 0 {
		fe.endCells(f) // nobody has the rest
		return
	}
	fe.Env.SetTimer(fe.Env.Now().Add(fetchAgain), machine.Timer{Kind: part.TimerFetch, Arg: q.Query})
}

// hasAgreedDigest reports whether an answer has the digest of a cell that was agreed on.
func (f *cellFetch) hasAgreedDigest(r *messages.Result, at messages.CellAt, side int32) bool {
	return r.Seen.WithTentative().Covers(at.X, at.Y, side) == state.Inside && state.SameCellContent(r.Seen.At(at.X, at.Y), f.out.Seen.At(at.X, at.Y))
}

// fetchFrom asks one node for all that it has, and returns the rest.
func (fe *Fetcher) fetchFrom(f *cellFetch, r *messages.Result, cells []messages.CellAt, woken []*state.Object) (left []messages.CellAt, asleep []*state.Object) {
	q := f.poll
	m := &messages.Fetch{Retrieve: q.Retrieve}
	for _, at := range cells {
		if !f.hasAgreedDigest(r, at, fe.World.Cell) {
			left = append(left, at)
			continue
		}
		m.Cells = append(m.Cells, at)
		m.Have = fe.replica.KnownVersions(m.Have, q.Of, at.X, at.Y)
		m.Base = append(m.Base, fe.replica.KnownBase(q.Of-1, at.X, at.Y))
	}
	for _, o := range woken {
		if slices.ContainsFunc(r.Seen.Activated, func(w *state.Object) bool { return state.SameObject(w, o) }) {
			m.Characters = append(m.Characters, o.ID)
		} else {
			asleep = append(asleep, o)
		}
	}
	slices.SortStableFunc(m.Have, state.ByID)
	f.asked = append(f.asked, asking{r, m.Cells, m})
	sent := m
	if fe.Cfg.Wire {
		sent = replica.EncodeQuestion(m)
	}
	fe.Overlay.Reply(r.Around.Self, sent)
	return left, asleep
}

// onCells takes cells, if they are those that were agreed on.
func (fe *Fetcher) onCells(from *overlay.Contact, f *cellFetch, m *messages.Blocks) {
	for i := range f.asked {
		a := &f.asked[i]
		if a.of.Around.Self.ID != from.ID || len(a.cells) == 0 {
			continue
		}
		cells := m.Cells
		if fe.Cfg.Wire {
			cells = fe.patches.DecodeCells(m, a.said)
		}
		if len(cells) != len(a.cells) {
			continue
		}
		for k, at := range a.cells {
			if !state.SameCellContent(cells[k], f.out.Seen.At(at.X, at.Y)) {
				f.refused[a.of] = true
				continue
			}
			if f.out.Seen.At(at.X, at.Y).IsDigestOnly() {
				f.out.Seen.Set(at.X, at.Y, cells[k])
			}
			f.cells = slices.DeleteFunc(f.cells, func(c messages.CellAt) bool { return c == at })
		}
		a.cells = nil
	}
	for _, o := range m.Characters {
		is := func(w *state.Object) bool { return state.SameObject(w, o) }
		f.woken = slices.DeleteFunc(f.woken, is)
		if i := slices.IndexFunc(f.out.Seen.Activated, is); i >= 0 && messages.IsDigestOnly(f.out.Seen.Activated[i]) {
			f.out.Seen.Activated[i] = o
		}
	}
	if len(f.cells) == 0 && len(f.woken) == 0 {
		fe.endCells(f)
	}
}

// endCells ends a fetch; what has not come is unknown.
func (fe *Fetcher) endCells(f *cellFetch) {
	for _, at := range f.cells {
		f.out.Seen.SetTentative(at.X, at.Y, fe.replica.Predicted(f.poll.Of, at.X, at.Y))
	}
	f.cells = nil
	f.out.Seen.MarkWokenUnsure(f.woken, &fe.World)
	f.out.Seen.Activated = slices.DeleteFunc(f.out.Seen.Activated, func(o *state.Object) bool {
		return slices.ContainsFunc(f.woken, func(w *state.Object) bool { return w == o })
	})
	delete(fe.cells, f.poll.Query)
	fe.done(f.poll.Query, f.out, f.votes)
}
