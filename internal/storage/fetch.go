package storage

import (
	"cmp"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
)

// Fetch asks one node for cells that it has sent digests of.
type Fetch struct {
	Retrieve
	Cells      []CellAt
	Characters []ObjectID // that were named
	// Have are versions that the sender has, of objects in these cells; on the
	// wire their digests.
	Have []*Object
	// Base are the same cells an update before, as the sender knows them, nil where
	// it does not; on the wire their digests.
	Base []*Cell

	// Between real nodes: the beginnings of the digests of Have, in their order,
	// and the tags of Base, zero for those that are nil.
	HaveTags []uint64
	BaseTags []SaltedDigest
}

// CellAt is a column and a row of the world.
type CellAt struct{ X, Y int32 }

// Blocks answers it: the cells in the order in which they were asked for, nil
// where the sender has none.
type Blocks struct {
	Query      uint64
	Cells      []*Cell
	Characters []*Object
	Bytes      int // of the data
	// Pieces are the cells as they travel between real nodes.
	Pieces [][]ObjectPatch
}

// Size makes messages known to simulations.
func (m *Fetch) Size() int {
	size := m.Retrieve.Size() + 2*2 + 4*len(m.Cells) + 8*len(m.Characters) + sizeDigest*(len(m.Have)+len(m.HaveTags))
	for _, c := range m.Base {
		size += sizeDigest * bit(c != nil)
	}
	for _, t := range m.BaseTags {
		size += sizeDigest * bit(t != SaltedDigest{})
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
	said  *Fetch
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
			c := s.At(x, y)
			if c == nil {
				continue
			}
			own, has := n.knownCell(q.Of, x, y, c)
			if !has {
				f.cells = append(f.cells, CellAt{x, y})
			} else if c.isDigestOnly() {
				s.set(x, y, own)
			}
		}
	}
	for i, o := range s.Woken {
		if n.isInitial(o) {
			continue
		}
		own := -1
		if n.state != nil && n.state.Of == q.Of {
			own = slices.IndexFunc(n.state.Woken, func(w *Object) bool { return sameObject(w, o) })
		}
		if own < 0 {
			f.woken = append(f.woken, o)
		} else if isDigestOnly(o) {
			s.Woken[i] = n.state.Woken[own]
		}
	}
	n.fetchMore(q)
}

// continueFetch is a timer: it ends the vote if that has not come to an end, or asks
// others for what those who were asked have not sent.
func (n *Node) continueFetch(q *query, round uint32) {
	switch {
	case q.naming != nil:
		n.namedLate(q, round)
		return
	case q.fetch == nil:
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
					count += bit(n.hasAgreedDigest(q, r, at))
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

// hasAgreedDigest reports whether an answer has the digest of a cell that was agreed on.
func (n *Node) hasAgreedDigest(q *query, r *Result, at CellAt) bool {
	return r.Seen.withTentative().covers(at.X, at.Y, n.world.Cell) == inside && sameCellContent(r.Seen.At(at.X, at.Y), q.fetch.out.seen.At(at.X, at.Y))
}

// fetchFrom asks one node for all that it has, and returns the rest.
func (n *Node) fetchFrom(q *query, r *Result, cells []CellAt, woken []*Object) (left []CellAt, asleep []*Object) {
	m := &Fetch{Retrieve: q.Retrieve}
	for _, at := range cells {
		if !n.hasAgreedDigest(q, r, at) {
			left = append(left, at)
			continue
		}
		m.Cells = append(m.Cells, at)
		if n.cfg.Protocol.Deltas {
			m.Have = n.knownVersions(m.Have, q.Of, at.X, at.Y)
			m.Base = append(m.Base, n.knownBase(q.Of-1, at.X, at.Y))
		}
	}
	for _, o := range woken {
		if slices.ContainsFunc(r.Seen.Woken, func(w *Object) bool { return sameObject(w, o) }) {
			m.Characters = append(m.Characters, o.ID)
		} else {
			asleep = append(asleep, o)
		}
	}
	slices.SortStableFunc(m.Have, byID)
	q.fetch.asked = append(q.fetch.asked, asking{r, m.Cells, m})
	n.overlay.Reply(r.Around.Self, n.encodeFetch(m))
	return left, asleep
}

// encodeFetch is a question as it travels.
func (n *Node) encodeFetch(m *Fetch) *Fetch {
	if !n.cfg.Wire {
		return m
	}
	out := *m
	out.Have, out.Base = nil, nil
	for _, o := range m.Have {
		out.HaveTags = append(out.HaveTags, versionPrefix(o))
	}
	for _, c := range m.Base {
		tag := SaltedDigest{}
		if c != nil {
			tag = saltedDigest(m.Query, c)
		}
		out.BaseTags = append(out.BaseTags, tag)
	}
	return &out
}

// onFetch sends cells of an area that is the asker's business.
func (n *Node) onFetch(by *overlay.Contact, q *Fetch) {
	if !validArea(&q.Area) || !n.isAskersConcern(by, &q.Retrieve) {
		return
	}
	if q.Kind.static() {
		n.giveNamed(by, q)
		return
	}
	s := n.state
	if s == nil || s.Of != q.Of {
		return
	}
	m, known := &Blocks{Query: q.Query}, s.withTentative()
	base, have := n.commonBase(q), q.versions()
	for k, at := range q.Cells {
		var c *Cell
		if known.covers(at.X, at.Y, n.world.Cell) == inside {
			c = s.At(at.X, at.Y)
		}
		m.Bytes += n.sizeBlock(c, k, have, base)
		if n.cfg.Wire {
			m.Pieces = append(m.Pieces, n.encodeCell(c, k, have, base))
		} else {
			m.Cells = append(m.Cells, c)
		}
	}
	for _, o := range s.Woken {
		if slices.Contains(q.Characters, o.ID) {
			m.Characters = append(m.Characters, o)
			m.Bytes += o.Size
		}
	}
	n.overlay.Reply(by, m)
}

// commonBase is what the asker knows of an update before and the node knew as well,
// ascending by ID.
func (n *Node) commonBase(q *Fetch) (base []baseObject) {
	if n.last == nil || n.last.Of != q.Of-1 {
		return nil
	}
	last := n.last.withTentative()
	for i, at := range q.Cells {
		if last.covers(at.X, at.Y, n.world.Cell) != inside {
			continue
		}
		c := last.At(at.X, at.Y)
		switch {
		case c == nil:
			continue
		case i < len(q.Base) && q.Base[i] != nil && sameCellContent(c, q.Base[i]):
		case i < len(q.BaseTags) && q.BaseTags[i] != SaltedDigest{} && saltedDigest(q.Query, c) == q.BaseTags[i]:
		default:
			continue
		}
		for k, o := range c.Objects {
			base = append(base, baseObject{o, i, k})
		}
	}
	slices.SortStableFunc(base, func(a, b baseObject) int { return cmp.Compare(a.ID, b.ID) })
	return base
}

// sizeBlock is what a cell takes for somebody who has some versions: how many
// objects there are, and each of them.
func (n *Node) sizeBlock(c *Cell, at int, have *versions, base []baseObject) int {
	size := 2
	if c == nil {
		return size
	}
	for _, o := range c.Objects {
		_, _, bytes := n.choosePatch(o, at, have, base)
		size += bytes
	}
	return size
}

// onBlocks takes cells, if they are those that were agreed on.
func (n *Node) onBlocks(from *overlay.Contact, m *Blocks) {
	q := n.query(m.Query)
	if q != nil && q.naming != nil {
		n.onNamed(from, q, m)
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
		if n.cfg.Wire {
			cells = n.decodeCells(m, a.said)
		}
		if len(cells) != len(a.cells) {
			continue
		}
		for k, at := range a.cells {
			if !sameCellContent(cells[k], f.out.seen.At(at.X, at.Y)) {
				f.refused[a.of] = true
				continue
			}
			if f.out.seen.At(at.X, at.Y).isDigestOnly() {
				f.out.seen.set(at.X, at.Y, cells[k])
			}
			f.cells = slices.DeleteFunc(f.cells, func(c CellAt) bool { return c == at })
		}
		a.cells = nil
	}
	for _, o := range m.Characters {
		is := func(w *Object) bool { return sameObject(w, o) }
		f.woken = slices.DeleteFunc(f.woken, is)
		if i := slices.IndexFunc(f.out.seen.Woken, is); i >= 0 && isDigestOnly(f.out.seen.Woken[i]) {
			f.out.seen.Woken[i] = o
		}
	}
	if len(f.cells) == 0 && len(f.woken) == 0 {
		n.endFetch(q)
	}
}

// endFetch ends a retrieval; what has not come is unknown.
func (n *Node) endFetch(q *query) {
	f := q.fetch
	for _, at := range f.cells {
		f.out.seen.setTentative(at.X, at.Y, n.predicted(q.Of, at.X, at.Y))
	}
	f.cells = nil
	f.out.seen.markWokenUnsure(f.woken, &n.world)
	f.out.seen.Woken = slices.DeleteFunc(f.out.seen.Woken, func(o *Object) bool {
		return slices.ContainsFunc(f.woken, func(w *Object) bool { return w == o })
	})
	n.end(q, &candidate{f.out, f.votes})
}
