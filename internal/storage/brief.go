package storage

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// Between real nodes (Config.Wire) an answer says digests and nothing else: who
// has asked does not get at what is in the cells. Between nodes of a simulation
// it refers to the cells, and is charged for the digests.

// Tag is what an answer says of a cell: the first bytes of a hash that begins
// with the number of the retrieval.
type Tag [sizeDigest]byte

// Brief is what of a snapshot an answer of digests says.
type Brief struct {
	Of     int64
	Cover  overlay.Area
	Unsure []uint32 // as in Carried
	// Tags are those of the cells that lie in both the cover and the area that is
	// asked for, row by row, but for those of which nobody can even guess what is
	// in them, and for the rows that are left out.
	Tags []Tag
	// Same are the rows of up to eight cells that are left out because they are as
	// who asks has said; nil: none is. Check is a hash of their cells' tags.
	Same  []bool
	Check Tag
	Woken []Named
	// Left are the tags that Check is of. They are not said: who has asked knows
	// them, and has to show them to others who are to understand the answer.
	Left []Tag

	said *Snapshot // what Said has made of it
}

// Named is a version of an object.
type Named struct {
	ID     ObjectID
	Digest Digest
}

// Errors of answers of digests.
var (
	errTags  = errors.New("as many digests as cells are wanted")
	errCheck = errors.New("what was left out is not what was expected")
)

// told is a cell of which only the tag is known.
type told struct {
	query uint64
	tag   Tag
}

// is reports whether that may be a cell.
func (t *told) is(c *Cell) bool {
	if c != nil && c.told != nil {
		return *c.told == *t
	}
	return tagOf(t.query, c) == t.tag
}

func (c *Cell) isTold() bool { return c != nil && c.told != nil }

// What hashes begin with, so that none of a kind can be taken for another.
const (
	hashCell byte = 1 + iota
	hashTag
	hashRow
	hashLeft
	hashAround
)

// digest is that of what is in a cell.
func (c *Cell) digest() Digest {
	if c == nil {
		return nothing
	}
	if c.sum == nil {
		b := []byte{hashCell}
		for _, o := range c.Objects {
			b = append(b, o.Digest[:]...)
		}
		sum := id.Of(b)
		c.sum = &sum
	}
	return *c.sum
}

var nothing = id.Of([]byte{hashCell})

func tagOf(query uint64, c *Cell) Tag {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 32), query)
	d := c.digest()
	d = id.Of(append(append(b, hashTag), d[:]...))
	return Tag(d[:])
}

func checkOf(query uint64, left []Tag) Tag {
	b := append(binary.BigEndian.AppendUint64(nil, query), hashLeft)
	for _, t := range left {
		b = append(b, t[:]...)
	}
	d := id.Of(b)
	return Tag(d[:])
}

// tag is that of a neighbourhood, by which who has been told it before is told it
// again.
func (a *Around) tag() Tag {
	b := []byte{hashAround}
	for _, c := range append([]*overlay.Contact{a.Self}, a.Neighbours...) {
		b = append(b, c.ID[:]...)
		b = binary.BigEndian.AppendUint64(b, uint64(uint32(c.Pos.X))<<32|uint64(uint32(c.Pos.Y)))
	}
	d := id.Of(b)
	return Tag(d[:])
}

// row is up to rowCells cells side by side.
type row struct {
	y  int32
	xs []int32
}

// rowsOver are the cells that lie in both a cover and an area, row by row.
func rowsOver(cover, a *overlay.Area, w *World) (rows []row) {
	x0, y0, x1, y1 := cellsOver(a, w, 0)
	for y := y0; y <= y1; y++ {
		last := int32(-1)
		for x := x0; x <= x1; x++ {
			if relate(a, x*w.Cell, y*w.Cell, w.Cell) == outside || relate(cover, x*w.Cell, y*w.Cell, w.Cell) == outside {
				continue
			}
			if at := x / rowCells; at != last {
				last = at
				rows = append(rows, row{y: y})
			}
			r := &rows[len(rows)-1]
			r.xs = append(r.xs, x)
		}
	}
	return rows
}

// tagRow is what is said of a row beforehand; false: not all of it is known.
func (s *Snapshot) tagRow(query uint64, cover *overlay.Area, r *row, w *World) (uint32, bool) {
	b := append(binary.BigEndian.AppendUint64(nil, query), hashRow)
	for _, v := range [...]int32{cover.Circle.C.X, cover.Circle.C.Y, cover.Circle.R, r.y, r.xs[0]} {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	for _, x := range r.xs {
		if s.covers(x, r.y, w.Cell) != inside {
			return 0, false
		}
		d := s.At(x, r.y).digest()
		b = append(b, d[:]...)
	}
	d := id.Of(b)
	return binary.BigEndian.Uint32(d[:]), true
}

// aloud is what a node says of what it knows to somebody whom it asks.
func (k *Known) aloud(query uint64, a *overlay.Area, w *World) *Known {
	if k == nil {
		return nil
	}
	out := &Known{}
	if k.Around != nil {
		out.Hash = k.Around.tag()
	}
	if k.Seen != nil && len(k.Cover.Polygon) == 0 {
		for _, r := range rowsOver(&k.Cover, a, w) {
			v, _ := k.Seen.tagRow(query, &k.Cover, &r, w)
			out.Rows = append(out.Rows, v)
		}
	}
	return out
}

// fold makes of an answer what is sent of it to somebody who has said what it
// knows.
func (m *Result) fold(k *Known, w World) *Result {
	out := *m
	out.Seen, out.Known = nil, nil
	if k != nil && k.Hash == m.Around.tag() {
		out.Around, out.Same = nil, true
	}
	if m.Seen == nil {
		return &out
	}
	b := &Brief{Of: m.Seen.Of, Cover: m.Seen.Cover, Unsure: m.Seen.doubtsIn(&m.Area, &w)}
	out.Sent = b
	s := m.Seen.bold()
	rows := rowsOver(&s.Cover, &m.Area, &w)
	if k != nil && len(k.Rows) > 0 && len(k.Rows) == len(rows) && len(s.Cover.Polygon) == 0 {
		b.Same = make([]bool, len(rows))
	}
	var left []Tag
	for i := range rows {
		r := &rows[i]
		if b.Same != nil {
			v, ok := s.tagRow(m.Query, &s.Cover, r, &w)
			b.Same[i] = ok && v == k.Rows[i]
		}
		for _, x := range r.xs {
			switch {
			case s.unsure(x, r.y):
			case b.Same != nil && b.Same[i]:
				left = append(left, tagOf(m.Query, s.At(x, r.y)))
			default:
				b.Tags = append(b.Tags, tagOf(m.Query, s.At(x, r.y)))
			}
		}
	}
	if b.Same != nil {
		b.Check = checkOf(m.Query, left)
	}
	for _, o := range s.Woken {
		if s.sees(&m.Area, o.Pos, &w) {
			b.Woken = append(b.Woken, Named{o.ID, o.Digest})
		}
	}
	out.Bytes = sizeStatic(m.Static, m.Batches) + b.size()
	return &out
}

// size is what it takes in a message, besides the cover.
func (b *Brief) size() int {
	size := sizeDigest*len(b.Tags) + sizeNamed*len(b.Woken)
	if b.Same != nil {
		size += (len(b.Same)+7)/8 + sizeDigest
	}
	return size
}

// unfold makes an answer that came what the vote takes: a snapshot of cells of
// which the tags are known. Nil: it cannot be understood.
func (n *Node) unfold(m *Result, k *Known) *Result {
	out := *m
	if m.Same {
		if k == nil || k.Around == nil {
			return nil
		}
		out.Around = k.Around
	}
	if b := m.Sent; b != nil {
		if b.Same != nil {
			if b.Left = k.left(m, &n.world); b.Left == nil {
				return nil
			}
		}
		seen, err := m.Said(n.world)
		if err != nil {
			return nil
		}
		out.Seen = seen
	}
	return &out
}

// left are the tags of the rows that an answer leaves out, as they were expected;
// nil: nothing was.
func (k *Known) left(m *Result, w *World) []Tag {
	if k == nil || k.Seen == nil || !saneArea(&m.Sent.Cover) || !saneArea(&m.Area) {
		return nil
	}
	left := []Tag{}
	for i, r := range rowsOver(&m.Sent.Cover, &m.Area, w) {
		if i >= len(m.Sent.Same) {
			return nil
		}
		for _, x := range r.xs {
			if m.Sent.Same[i] {
				left = append(left, tagOf(m.Query, k.Seen.At(x, r.y)))
			}
		}
	}
	return left
}

// Said is the snapshot that an answer of digests tells of: of its cells only the
// tags are known.
func (m *Result) Said(w World) (*Snapshot, error) {
	b := m.Sent
	if b.said != nil {
		return b.said, nil
	}
	if !saneArea(&b.Cover) || !saneArea(&m.Area) {
		return nil, errCover
	}
	if tooLarge(&m.Area, &w) {
		return nil, errLarge
	}
	s := &Snapshot{Of: b.Of, Cover: b.Cover, Whole: true, Grid: gridOver(&m.Area, &w, 0)}
	if err := s.doubtAll(b.Unsure, &w); err != nil {
		return nil, err
	}
	bold, rows := s.bold(), rowsOver(&b.Cover, &m.Area, &w)
	if b.Same != nil && (len(b.Same) != len(rows) || checkOf(m.Query, b.Left) != b.Check) {
		return nil, errCheck
	}
	tags, left, empty := b.Tags, b.Left, tagOf(m.Query, nil)
	for i := range rows {
		from := &tags
		if b.Same != nil && b.Same[i] {
			from = &left
		}
		for _, x := range rows[i].xs {
			if bold.unsure(x, rows[i].y) {
				continue
			}
			if len(*from) == 0 {
				return nil, errTags
			}
			tag := (*from)[0]
			*from = (*from)[1:]
			switch {
			case tag != empty:
				s.set(x, rows[i].y, &Cell{told: &told{m.Query, tag}})
			case s.unsure(x, rows[i].y):
				s.set(x, rows[i].y, &Cell{})
			}
		}
	}
	if len(tags)+len(left) > 0 {
		return nil, errTags
	}
	for i, o := range b.Woken {
		if i > 0 && b.Woken[i-1].ID >= o.ID {
			return nil, errOrder
		}
		s.Woken = append(s.Woken, &Object{ID: o.ID, Digest: o.Digest, Pos: m.Area.Circle.C})
	}
	b.said = s
	return s, nil
}

// isNamed reports whether an object is only known by its digest; that it lies in
// the area that was asked for is taken on trust.
func isNamed(o *Object) bool { return o.Size == 0 }

// Place is a cell that an answer tells of.
type Place struct{ X, Y int32 }

// Places are the cells that an answer may tell of.
func (m *Result) Places(w World) (out []Place) {
	if m.Sent != nil {
		for _, r := range rowsOver(&m.Sent.Cover, &m.Area, &w) {
			for _, x := range r.xs {
				out = append(out, Place{x, r.y})
			}
		}
		return out
	}
	if s := m.Seen; s != nil {
		for y := s.Y; y < s.Y+s.H; y++ {
			for x := s.X; x < s.X+s.W; x++ {
				out = append(out, Place{x, y})
			}
		}
	}
	return out
}

// Time is the update that an answer is about; false: it says nothing of dynamic
// data.
func (m *Result) Time() (int64, bool) {
	switch {
	case m.Sent != nil:
		return m.Sent.Of, true
	case m.Seen != nil:
		return m.Seen.Of, true
	}
	return 0, false
}

// Tells returns a digest of what an answer says is in a cell; false if it does
// not tell of the whole cell. By it answers of different nodes are compared:
// those that say digests only to the same retrieval.
func (m *Result) Tells(x, y int32, w World) (d Digest, ok bool) {
	if m.Sent == nil {
		return m.Seen.Tells(x, y, &m.Area, w)
	}
	s, err := m.Said(w)
	if err != nil || s.through(&m.Area, x, y, w.Cell) == outside || s.covers(x, y, w.Cell) != inside {
		return d, false
	}
	tag := tagOf(m.Query, nil)
	if c := s.At(x, y); c.isTold() {
		tag = c.told.tag
	}
	copy(d[:], tag[:])
	return d, true
}

// TellsAs reports whether an answer says the same of a cell, as far as it tells
// of it, as another one that tells of all of it.
func (m *Result) TellsAs(whole *Result, x, y int32, w World) bool {
	if m.Sent == nil && whole.Sent == nil {
		return m.Seen.TellsTo(m.Seen, x, y, &m.Area, w) == whole.Seen.TellsTo(m.Seen, x, y, &m.Area, w)
	}
	own, ok := m.Tells(x, y, w)
	right, of := whole.Tells(x, y, w)
	return !ok || !of || own == right
}

// Alike reports whether what two answers say of a cell can be compared.
func (m *Result) Alike(o *Result) bool {
	return (m.Sent == nil) == (o.Sent == nil) && (m.Sent == nil || m.Query == o.Query)
}

// doubtsIn are the cells of an area that are not known, as in Carried.
func (s *Snapshot) doubtsIn(a *overlay.Area, w *World) (out []uint32) {
	if s.Unsure == nil {
		return nil
	}
	g := gridOver(a, w, 0)
	for y := g.Y; y < g.Y+g.H; y++ {
		for x := g.X; x < g.X+g.W; x++ {
			if s.unsure(x, y) {
				out = append(out, 2*uint32(y*w.row()+x)+uint32(bit(s.At(x, y) != nil)))
			}
		}
	}
	return out
}

// doubtAll is its inverse: a guess is there, and nothing in it.
func (s *Snapshot) doubtAll(codes []uint32, w *World) error {
	for i, code := range codes {
		cell := code / 2
		x, y := int32(cell%uint32(w.row())), int32(cell/uint32(w.row()))
		if i > 0 && codes[i-1]/2 >= cell {
			return errOrder
		}
		if x < s.X || y < s.Y || x >= s.X+s.W || y >= s.Y+s.H {
			return errUnseen
		}
		s.doubt(x, y)
		if code%2 == 1 {
			s.guess(x, y, &Cell{})
		}
	}
	return nil
}

// tooLarge reports whether an area has more cells than a message may be about.
func tooLarge(a *overlay.Area, w *World) bool {
	b := bounds(a)
	across := max(int64(b.Max.X)-int64(b.Min.X), int64(b.Max.Y)-int64(b.Min.Y))
	return square(min(across, int64(w.Side))/int64(w.Cell)+2) > maxCells
}

// number is that of the next retrieval. Between real nodes nobody can tell it
// beforehand, so that nobody can look for cells with the same tag before it is
// asked.
func (n *Node) number() uint64 {
	n.queries++
	if !n.cfg.Wire {
		return n.queries
	}
	b := binary.BigEndian.AppendUint64(slices.Clone(n.cfg.Secret), uint64(n.env.Now()))
	d := id.Of(binary.BigEndian.AppendUint64(b, n.queries))
	return binary.BigEndian.Uint64(d[:])
}
