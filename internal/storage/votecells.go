package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// votesPerPart reports whether the zones vote on parts of what is asked for: with digests
// on cells, and on static objects one by one.
func (n *Node) votesPerPart(*query) bool { return n.cfg.Protocol.Objects || n.cfg.Protocol.Digests }

// shortened reports whether a retrieval asks for digests first.
func (n *Node) votesOnDigests(q *query) bool { return n.cfg.Protocol.Digests && !q.Kind.static() }

// updateMargin is how far the update area reaches beyond the maintenance area. Whole
// cells need all cells around them: their corners are farther away than reach.
func (n *Node) updateMargin() int32 {
	if !n.cfg.Protocol.Digests {
		return n.reach
	}
	return int32(int64(n.world.ring(n.reach))*int64(n.world.Cell)*14143/10000) + 1
}

// sizeDigest is what a digest in an answer takes: the first bytes of a hash that
// begins with the number of the retrieval. Who wants another cell with the same
// digest has to look for it after it was asked.
const sizeDigest = 8

// sizeDigests is what digests of the cells in an area take for somebody who knows
// something of it, and of the woken characters there.
func (s *Snapshot) sizeDigests(a *overlay.Area, w *World, known *Known) (size int) {
	s = s.withTentative()
	if rows := known.rowsOf(s); rows > 0 {
		size = s.sizeRows(a, w, known.Seen) + (rows+7)/8 + sizeDigest
	} else {
		s.parts(a, w, func(part) { size += sizeDigest })
	}
	for _, o := range s.Woken {
		if s.sees(a, o.Pos, w) {
			size += sizeDormantName
		}
	}
	return size
}

// rowCells is how many cells side by side one digest of what is expected is of.
const rowCells = 8

// sizeRows is what the digests of those rows take that are not all as expected.
func (s *Snapshot) sizeRows(a *overlay.Area, w *World, expected *Snapshot) (size int) {
	row, cells, same := [2]int32{-1, -1}, 0, true
	end := func() {
		if !same {
			size += sizeDigest * cells
		}
	}
	s.parts(a, w, func(p part) {
		if at := [2]int32{p.x / rowCells, p.y}; at != row {
			end()
			row, cells, same = at, 0, true
		}
		cells++
		same = same && expected.covers(p.x, p.y, w.Cell) == inside && sameCellContent(expected.At(p.x, p.y), p.cell)
	})
	end()
	return size
}

func sameCellContent(a, b *Cell) bool {
	switch {
	case a == b:
		return true
	case a.isDigestOnly():
		return a.digestOnly.matches(b)
	case b.isDigestOnly():
		return b.digestOnly.matches(a)
	}
	return sameWithin(nil, a, b, true)
}

// nearest is how many of the nodes of a zone have a say about a cell, those that
// stand nearest to it. More than these seldom hold it.
const nearest = 4

// countOwners decides what is in a cell by the digests that its owners have sent,
// each of them alone (Protocol.Owners).
func (n *Node) countOwners(q *query, x, y int32) (best *Cell, votes int, how verdict) {
	type choice struct {
		cell         *Cell
		votes, zones int
		last         int // the zone that was counted last
	}
	var choices []choice
	all := 0
	for zone := range q.zones {
		for _, r := range q.zones[zone].results {
			if !n.fits(q, r) || r.Seen.covers(x, y, n.world.Cell) != inside || !n.isNear(q, zone, r, x, y) {
				continue
			}
			all++
			c := r.Seen.At(x, y)
			k := slices.IndexFunc(choices, func(o choice) bool { return sameCellContent(o.cell, c) })
			if k < 0 {
				k = len(choices)
				choices = append(choices, choice{cell: c, last: -1})
			}
			o := &choices[k]
			o.votes++
			if o.last != zone {
				o.last, o.zones = zone, o.zones+1
			}
		}
	}
	for _, o := range choices {
		if 2*o.votes > all && o.zones >= n.votesNeeded() {
			return o.cell, o.zones, elected
		}
		votes = max(votes, o.zones)
	}
	return n.ownCell(q, x, y, votes)
}

// isNear reports whether of all nodes of a zone that have answered fewer than
// nearest stand nearer to a cell: who is far away is not asked about it. A place
// is certified, so that who answers for more than it is responsible for only
// gains a say where hardly anybody else answers.
func (n *Node) isNear(q *query, zone int, r *Result, x, y int32) bool {
	half := n.world.Cell / 2
	at := n.places.keyBeyond(geom.Point{X: x*n.world.Cell + half, Y: y*n.world.Cell + half}, zone)
	own, nearer := at.Dist2(r.Around.Self.Pos), 0
	for _, o := range q.zones[zone].results {
		nearer += bit(at.Dist2(o.Around.Self.Pos) < own)
	}
	return nearer < nearest
}

// countCellDigests decides what is in a cell by its digest. A zone's vote is what most
// of those say who know the cell; a tie takes it away.
func (n *Node) countCellDigests(q *query, x, y int32) (*Cell, int, verdict) {
	if n.cfg.Protocol.Owners && n.cfg.Protocol.Majority {
		return n.countOwners(q, x, y)
	}
	var zones cellVotes
	for i := range q.zones {
		var said cellVotes
		for _, r := range q.zones[i].results {
			if n.fits(q, r) && r.Seen.covers(x, y, n.world.Cell) == inside {
				said.add(r.Seen.At(x, y))
			}
		}
		if c, _, ok := said.best(); ok {
			zones.add(c)
		}
	}
	c, votes, ok := zones.best()
	switch {
	case votes >= n.votesNeeded():
		return c, votes, elected
	case n.cfg.Protocol.Majority || votes == 0:
		return n.ownCell(q, x, y, votes)
	case !ok:
		return nil, votes, unknown
	}
	return c, votes, kept
}

// cellVotes counts votes for versions of a cell.
type cellVotes []struct {
	cell  *Cell
	votes int
}

// add counts a vote, and returns for which version.
func (v *cellVotes) add(c *Cell) int {
	for i := range *v {
		if sameCellContent((*v)[i].cell, c) {
			(*v)[i].votes++
			return i
		}
	}
	*v = append(*v, struct {
		cell  *Cell
		votes int
	}{c, 1})
	return len(*v) - 1
}

// best is the version with most votes; false if there is none, or another one
// with as many.
func (v cellVotes) best() (best *Cell, votes int, ok bool) {
	for _, c := range v {
		switch {
		case c.votes > votes:
			best, votes, ok = c.cell, c.votes, true
		case c.votes == votes:
			ok = false
		}
	}
	return best, votes, ok
}

// predictRing computes what the node thinks will be in the ring around its part, as
// well as it can see: what turns out right need not be fetched.
func (n *Node) predictRing(r *replayer, state *Snapshot) {
	n.tentative = nil
	if !n.cfg.Protocol.Deltas {
		return
	}
	blind := *r
	blind.blind, blind.cells, blind.known = true, nil, nil
	from := r.from
	g := &Snapshot{Of: r.of, Cover: from.Cover, Whole: true, Grid: gridOver(&from.Cover, &n.world, 0)}
	for y := g.Y; y < g.Y+g.H; y++ {
		for x := g.X; x < g.X+g.W; x++ {
			switch {
			case state.covers(x, y, n.world.Cell) == inside:
				g.set(x, y, state.At(x, y))
			case from.freezeOf(x, y) != notFrozen:
				g.setTentative(x, y, from.At(x, y))
				g.setFreeze(x, y, from.freezeOf(x, y))
			case from.covers(x, y, n.world.Cell) != outside:
				g.set(x, y, blind.cell(x, y))
			default:
				g.markUnsure(x, y) // not empty: unknown
			}
		}
	}
	n.tentative = g
}

// canDeriveInitial reports whether nodes make the world of t_0 themselves: everybody can
// (thesis 5.3.6), so that nobody has to fetch it, nor to believe others about it.
func (n *Node) canDeriveInitial() bool { return n.cfg.Protocol.Deltas && n.cfg.Protocol.Terse }

// deriveInitial makes the world of t_0 around the own part.
func (n *Node) deriveInitial() {
	if !n.canDeriveInitial() {
		return
	}
	g := &Snapshot{Of: 0, Cover: overlay.Area{Circle: n.part.circle}, Whole: true}
	g.Cover.Circle.R += n.updateMargin()
	g.Grid = gridOver(&g.Cover, &n.world, 0)
	for y := g.Y; y < g.Y+g.H; y++ {
		for x := g.X; x < g.X+g.W; x++ {
			if relate(&g.Cover, x*n.world.Cell, y*n.world.Cell, n.world.Cell) != outside {
				g.set(x, y, n.cache.initialCell(n.cfg.Rules, &n.world, x, y))
			}
		}
	}
	n.tentative = g
}

// knownCell gives a cell that was agreed on, if the node has it without asking for it.
func (n *Node) knownCell(of int64, x, y int32, c *Cell) (*Cell, bool) {
	if c == nil || !c.isDigestOnly() && len(c.Objects) == 0 {
		return c, true // the digest of nothing is known
	}
	if !n.cfg.Protocol.Ring {
		return nil, false
	}
	for i, s := range [...]*Snapshot{n.state, n.tentative} {
		if s = s.withTentative(); s == nil || s.Of != of || i > 0 && !n.cfg.Protocol.Deltas || s.covers(x, y, n.world.Cell) != inside {
			continue
		}
		if own := s.At(x, y); sameCellContent(own, c) {
			return own, true
		}
	}
	return nil, false
}

// knownVersions appends what the node has or guesses of a cell at the time that is
// asked for: versions of objects that whoever sends the cell may refer to.
func (n *Node) knownVersions(out []*Object, of int64, x, y int32) []*Object {
	for _, s := range [...]*Snapshot{n.tentative, n.state} {
		if s == nil || s.Of != of {
			continue
		}
		if c := s.At(x, y); c != nil {
			for _, o := range c.Objects {
				if !slices.ContainsFunc(out, func(p *Object) bool { return p.ID == o.ID && sameObject(p, o) }) {
					out = append(out, o)
				}
			}
		}
	}
	return out
}

// knownBase is a cell as the node knows it at a time, nil if it does not: whoever sends
// it as it was later, and knew the same then, sends what has changed.
func (n *Node) knownBase(of int64, x, y int32) *Cell {
	for _, s := range [...]*Snapshot{n.before, n.last, n.observed} {
		if s != nil && s.Of == of && s.covers(x, y, n.world.Cell) == inside && s.At(x, y) != nil {
			return s.At(x, y)
		}
	}
	return nil
}

// Objects of t_0 are looked for in the cells around where they are now, players'
// characters farther away.
const (
	originsNear = 1
	originsFar  = 4
)

// origin is an object as it was at t_0, and where that is found (see originAt);
// nil if it is not. Everybody can make it, so that it can be referred to.
func (n *Node) origin(o *Object) (at *Object, place int32, index uint32) {
	if !n.cfg.Protocol.Terse {
		return nil, 0, 0
	}
	far := int32(originsNear)
	if o.Player != nil {
		far = originsFar
	}
	x, y, last := o.Pos.X/n.world.Cell, o.Pos.Y/n.world.Cell, (n.world.Side-1)/n.world.Cell
	for cy := max(y-far, 0); cy <= min(y+far, last); cy++ {
		for cx := max(x-far, 0); cx <= min(x+far, last); cx++ {
			c := n.cache.initialCell(n.cfg.Rules, &n.world, cx, cy)
			place := (cy-y)*(2*originsFar+1) + cx - x
			if i, ok := c.index(o.ID); ok {
				return c.Objects[i], place, uint32(i)
			}
			for i, p := range c.Asleep {
				if p.ID == o.ID {
					return p, place, uint32(len(c.Objects) + i)
				}
			}
		}
	}
	return nil, 0, 0
}

// originAt is an object of t_0 that somebody refers to, from a cell: place counts
// the cells around that one, the one itself is 0. Nil: there is none.
func (n *Node) originAt(at CellAt, place int32, index uint32) *Object {
	const wide = 2*originsFar + 1
	if place < -wide*wide/2 || place > wide*wide/2 {
		return nil
	}
	dy := (place+wide*wide/2)/wide - originsFar
	x, y, last := at.X+place-dy*wide, at.Y+dy, (n.world.Side-1)/n.world.Cell
	if x < 0 || y < 0 || x > last || y > last {
		return nil
	}
	c := n.cache.initialCell(n.cfg.Rules, &n.world, x, y)
	switch {
	case index < uint32(len(c.Objects)):
		return c.Objects[index]
	case index < uint32(len(c.Objects)+len(c.Asleep)):
		return c.Asleep[index-uint32(len(c.Objects))]
	}
	return nil
}

// isInitial reports whether a woken character is what was put to sleep at t_0.
func (n *Node) isInitial(o *Object) bool {
	if isDigestOnly(o) {
		return false
	}
	from, _, _ := n.origin(o)
	if from == nil || !from.Static || o.Player == nil {
		return false
	}
	w := n.cfg.Rules.Wake(o.Player, o.Pos, from)
	return w != nil && sameObject(w, o)
}
