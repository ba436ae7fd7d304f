package storage

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
)

// Fetch asks one node for cells that it has sent digests of.
type Fetch struct {
	Retrieve
	Cells []CellAt
	Woken []ObjectID
	// Have are versions that the sender has, of objects in these cells; on the
	// wire their digests.
	Have []*Object
	// Base are the same cells an update before, as the sender knows them, nil where
	// it does not; on the wire their digests.
	Base []*Cell
}

// CellAt is a column and a row of the world.
type CellAt struct{ X, Y int32 }

// Blocks answers it: the cells in the order in which they were asked for, nil
// where the sender has none.
type Blocks struct {
	Query uint64
	Cells []*Cell
	Woken []*Object
	Bytes int // of the data
}

// Size makes messages known to simulations.
func (m *Fetch) Size() int {
	size := m.Retrieve.Size() + 2*2 + 4*len(m.Cells) + 8*len(m.Woken) + sizeDigest*len(m.Have)
	for _, c := range m.Base {
		size += sizeDigest * bit(c != nil)
	}
	return size
}

// Size makes messages known to simulations.
func (m *Blocks) Size() int { return 1 + 8 + 2*2 + m.Bytes }

// fetching is what was agreed on, and what of it is still to come.
type fetching struct {
	out     outcome
	votes   int
	cells   []CellAt // missing
	woken   []*Object
	round   int
	asked   []asking
	refused map[*Result]bool // whose sender has not given what its digests promise
}

type asking struct {
	of    *Result
	cells []CellAt
}

// fetchAgain is how long somebody who was asked for cells has to send them.
const fetchAgain = time.Second

// startFetch fetches what was agreed on and the node does not have.
func (n *Node) startFetch(q *query, out outcome, votes int) {
	f := &fetching{out: out, votes: votes, refused: map[*Result]bool{}}
	q.fetch = f
	s := out.seen
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			if c := s.At(x, y); c != nil && !n.holds(q.Of, x, y, c) {
				f.cells = append(f.cells, CellAt{x, y})
			}
		}
	}
	for _, o := range s.Woken {
		if n.asBegun(o) {
			continue
		}
		if n.state == nil || n.state.Of != q.Of || !slices.ContainsFunc(n.state.Woken, func(w *Object) bool { return sameObject(w, o) }) {
			f.woken = append(f.woken, o)
		}
	}
	n.fetchMore(q)
}

// fetchOn is a timer: it ends the vote if that has not come to an end, or asks
// others for what those who were asked have not sent.
func (n *Node) fetchOn(q *query) {
	if q.fetch == nil {
		n.tally(q, true)
		return
	}
	for _, a := range q.fetch.asked {
		if len(a.cells) > 0 {
			q.fetch.refused[a.of] = true
		}
	}
	n.fetchMore(q)
}

// fetchMore asks as few nodes as it takes for what is missing; of those who hold
// most of it, one that the number of the retrieval draws.
func (n *Node) fetchMore(q *query) {
	f := q.fetch
	if len(f.cells) == 0 && len(f.woken) == 0 {
		n.endFetch(q)
		return
	}
	f.asked = f.asked[:0]
	left := slices.Clone(f.cells)
	woken := slices.Clone(f.woken)
	for len(left) > 0 || len(woken) > 0 {
		by, most, luck := (*Result)(nil), 0, uint64(0)
		for i := range q.zones {
			for _, r := range q.zones[i].results {
				if f.refused[r] || !n.fits(q, r) || r.Around.Self.ID == n.self.ID {
					continue
				}
				count := 0
				for _, at := range left {
					count += bit(n.promised(q, r, at))
				}
				for _, o := range woken {
					count += bit(slices.ContainsFunc(r.Seen.Woken, func(w *Object) bool { return sameObject(w, o) }))
				}
				draw := rng.Hash(q.Query, hashBytes(n.self.ID[:8]), hashBytes(r.Around.Self.ID[:8]))
				if count > most || count > 0 && count == most && draw > luck {
					by, most, luck = r, count, draw
				}
			}
		}
		if by == nil {
			break
		}
		left, woken = n.fetchFrom(q, by, left, woken)
	}
	f.round++
	if len(f.asked) == 0 {
		n.endFetch(q) // nobody has the rest
		return
	}
	n.env.SetTimer(n.env.Now().Add(fetchAgain), machine.Timer{Kind: timerFetch, Arg: q.Query})
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// promised reports whether an answer has the digest of a cell that was agreed on.
func (n *Node) promised(q *query, r *Result, at CellAt) bool {
	return r.Seen.bold().covers(at.X, at.Y, n.world.Cell) == inside && sameBlock(r.Seen.At(at.X, at.Y), q.fetch.out.seen.At(at.X, at.Y))
}

// fetchFrom asks one node for all that it has, and returns the rest.
func (n *Node) fetchFrom(q *query, r *Result, cells []CellAt, woken []*Object) (left []CellAt, asleep []*Object) {
	m := &Fetch{Retrieve: q.Retrieve}
	for _, at := range cells {
		if !n.promised(q, r, at) {
			left = append(left, at)
			continue
		}
		m.Cells = append(m.Cells, at)
		if n.cfg.Protocol.Deltas {
			m.Have = n.inventory(m.Have, q.Of, at.X, at.Y)
			m.Base = append(m.Base, n.base(q.Of-1, at.X, at.Y))
		}
	}
	for _, o := range woken {
		if slices.ContainsFunc(r.Seen.Woken, func(w *Object) bool { return sameObject(w, o) }) {
			m.Woken = append(m.Woken, o.ID)
		} else {
			asleep = append(asleep, o)
		}
	}
	slices.SortStableFunc(m.Have, byID)
	q.fetch.asked = append(q.fetch.asked, asking{r, m.Cells})
	n.overlay.Reply(r.Around.Self, m)
	return left, asleep
}

// onFetch sends cells of an area that is the asker's business.
func (n *Node) onFetch(by *overlay.Contact, q *Fetch) {
	s := n.state
	if s == nil || s.Of != q.Of || !saneArea(&q.Area) || !n.business(by, &q.Retrieve) {
		return
	}
	m, known := &Blocks{Query: q.Query}, s.bold()
	base := n.common(q)
	for _, at := range q.Cells {
		var c *Cell
		if known.covers(at.X, at.Y, n.world.Cell) == inside {
			c = s.At(at.X, at.Y)
		}
		m.Cells = append(m.Cells, c)
		m.Bytes += n.sizeBlock(c, q.Have, base)
	}
	for _, o := range s.Woken {
		if slices.Contains(q.Woken, o.ID) {
			m.Woken = append(m.Woken, o)
			m.Bytes += o.Size
		}
	}
	n.overlay.Reply(by, m)
}

// common is what the asker knows of an update before and the node knew as well.
func (n *Node) common(q *Fetch) (base []*Object) {
	if n.last == nil || n.last.Of != q.Of-1 {
		return nil
	}
	for i, c := range q.Base {
		if i >= len(q.Cells) || c == nil {
			continue
		}
		at := q.Cells[i]
		if n.last.bold().covers(at.X, at.Y, n.world.Cell) == inside && sameBlock(n.last.At(at.X, at.Y), c) {
			base = append(base, c.Objects...)
		}
	}
	slices.SortStableFunc(base, byID)
	return base
}

// sizeBlock is what a cell takes for somebody who has some versions: how many
// objects there are, for each one how it is sent, and what is new.
func (n *Node) sizeBlock(c *Cell, have, base []*Object) int {
	size := 2
	if c == nil {
		return size
	}
	for _, o := range c.Objects {
		size += n.sizeFor(o, have, base)
	}
	return size
}

// sizeFor is what an object takes: an index into what the receiver has, or the
// difference from a version that both have, or all of it.
func (n *Node) sizeFor(o *Object, have, base []*Object) int {
	const head = 2
	if len(have) == 0 && len(base) == 0 && !n.cfg.Protocol.Terse {
		return o.Size
	}
	i, _ := slices.BinarySearchFunc(have, o, byID)
	for ; i < len(have) && have[i].ID == o.ID; i++ {
		if sameObject(have[i], o) {
			return head
		}
	}
	best := o.Size
	if i, ok := slices.BinarySearchFunc(base, o, byID); ok {
		best = n.memo.delta(n.cfg.Rules, base[i], o)
	} else if p := n.origin(o); p != nil {
		best = min(best, n.memo.delta(n.cfg.Rules, p, o))
	}
	return head + best
}

// onBlocks takes cells, if they are those that were agreed on.
func (n *Node) onBlocks(from *overlay.Contact, m *Blocks) {
	q := n.query(m.Query)
	if q == nil || q.fetch == nil {
		return
	}
	f := q.fetch
	for i := range f.asked {
		a := &f.asked[i]
		if a.of.Around.Self.ID != from.ID || len(m.Cells) != len(a.cells) {
			continue
		}
		for k, at := range a.cells {
			if !sameBlock(m.Cells[k], f.out.seen.At(at.X, at.Y)) {
				f.refused[a.of] = true
				continue
			}
			f.cells = slices.DeleteFunc(f.cells, func(c CellAt) bool { return c == at })
		}
		a.cells = nil
	}
	for _, o := range m.Woken {
		f.woken = slices.DeleteFunc(f.woken, func(w *Object) bool { return sameObject(w, o) })
	}
	if len(f.cells) == 0 && len(f.woken) == 0 {
		n.endFetch(q)
	}
}

// endFetch ends a retrieval; what has not come is unknown.
func (n *Node) endFetch(q *query) {
	f := q.fetch
	for _, at := range f.cells {
		f.out.seen.guess(at.X, at.Y, n.foreseen(q.Of, at.X, at.Y))
	}
	f.cells = nil
	f.out.seen.Woken = slices.DeleteFunc(f.out.seen.Woken, func(o *Object) bool {
		return slices.ContainsFunc(f.woken, func(w *Object) bool { return w == o })
	})
	n.end(q, &candidate{f.out, f.votes})
}
