package storage

import (
	"errors"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// Between real nodes (Config.Wire) an answer says digests and nothing else: who
// has asked does not get at what is in the cells. Between nodes of a simulation
// it refers to the cells, and is charged for the digests: to the byte, which
// TestSimulationsAreChargedForWhatTravels checks.

// DigestAnswer is what of a snapshot an answer of digests says.
type DigestAnswer struct {
	Of     int64
	Cover  overlay.Area
	Unsure []uint32 // as in SnapshotContent
	// Tags are those of the cells that lie in both the cover and the area that is
	// asked for, row by row, but for those of which nobody can even guess what is
	// in them, and for the rows that are left out.
	Tags []SaltedDigest
	// Same are the rows of up to eight cells that are left out because they are as
	// who asks has said; nil: none is. Check is a hash of their cells' tags.
	Same      []bool
	Check     SaltedDigest
	Activated []DormantName // who wakes
	// Left are the tags that Check is of. They are not said: who has asked knows
	// them, and has to show them to others who are to understand the answer.
	Left []SaltedDigest

	said *Snapshot // what DigestSnapshot has made of it
}

// Errors of answers of digests.
var (
	errTags  = errors.New("as many digests as cells are wanted")
	errCheck = errors.New("what was left out is not what was expected")
)

// encodeFor is what a node says of what it knows to somebody whom it asks.
func (k *Known) encodeFor(query uint64, a *overlay.Area, w *World) *Known {
	if k == nil {
		return nil
	}
	out := &Known{}
	if k.Around != nil {
		out.Hash = k.Around.saltedDigest()
	}
	if k.Seen != nil && len(k.Cover.Polygon) == 0 {
		for _, r := range rowsOver(&k.Cover, a, w) {
			v, _ := k.Seen.saltedRow(query, &k.Cover, &r, w)
			out.Rows = append(out.Rows, v)
		}
	}
	return out
}

// encodeDigests makes of an answer what is sent of it to somebody who has said what it
// knows.
func (m *Result) encodeDigests(k *Known, w World) *Result {
	out := *m
	out.Seen, out.Known = nil, nil
	if k != nil && k.Hash == m.Around.saltedDigest() {
		out.Around, out.Same = nil, true
	}
	if m.Brief {
		out.Names, out.Static = nameAll(m.Static), nil
	}
	if m.Seen == nil {
		return &out
	}
	b := &DigestAnswer{Of: m.Seen.Of, Cover: m.Seen.Cover, Unsure: m.Seen.unsureIn(&m.Area, &w)}
	out.Sent = b
	s := m.Seen.withTentative()
	rows := rowsOver(&s.Cover, &m.Area, &w)
	if k != nil && len(k.Rows) > 0 && len(k.Rows) == len(rows) && len(s.Cover.Polygon) == 0 {
		b.Same = make([]bool, len(rows))
	}
	var left []SaltedDigest
	for i := range rows {
		r := &rows[i]
		if b.Same != nil {
			v, ok := s.saltedRow(m.Query, &s.Cover, r, &w)
			b.Same[i] = ok && v == k.Rows[i]
		}
		for _, x := range r.xs {
			switch {
			case s.unsure(x, r.y):
			case b.Same != nil && b.Same[i]:
				left = append(left, saltedDigest(m.Query, s.At(x, r.y)))
			default:
				b.Tags = append(b.Tags, saltedDigest(m.Query, s.At(x, r.y)))
			}
		}
	}
	if b.Same != nil {
		b.Check = checksumOmitted(m.Query, left)
	}
	for _, o := range s.Activated {
		if s.sees(&m.Area, o.Pos, &w) {
			b.Activated = append(b.Activated, nameOf(o))
		}
	}
	out.Bytes = m.sizeNames() + b.size()
	return &out
}

// size is what it takes in a message, besides the cover.
func (b *DigestAnswer) size() int {
	size := sizeUnsure*len(b.Unsure) + sizeDigest*len(b.Tags) + sizeDormantName*len(b.Activated)
	if b.Same != nil {
		size += (len(b.Same)+7)/8 + sizeDigest
	}
	return size
}

// omittedDigests are the tags of the rows that an answer leaves out, as they were expected;
// nil: nothing was.
func (k *Known) omittedDigests(m *Result, w *World) []SaltedDigest {
	if k == nil || k.Seen == nil || !ValidArea(&m.Sent.Cover) || !ValidArea(&m.Area) {
		return nil
	}
	left := []SaltedDigest{}
	for i, r := range rowsOver(&m.Sent.Cover, &m.Area, w) {
		if i >= len(m.Sent.Same) {
			return nil
		}
		for _, x := range r.xs {
			if m.Sent.Same[i] {
				left = append(left, saltedDigest(m.Query, k.Seen.At(x, r.y)))
			}
		}
	}
	return left
}

// DigestSnapshot is the snapshot that an answer of digests tells of: of its cells only the
// tags are known.
func (m *Result) DigestSnapshot(w World) (*Snapshot, error) {
	b := m.Sent
	if b.said != nil {
		return b.said, nil
	}
	if !ValidArea(&b.Cover) || !ValidArea(&m.Area) {
		return nil, errCover
	}
	if tooLarge(&m.Area, &w) {
		return nil, errLarge
	}
	s := &Snapshot{Of: b.Of, Cover: b.Cover, Whole: true, Grid: gridOver(&m.Area, &w, 0)}
	if err := s.markAllUnsure(b.Unsure, &w); err != nil {
		return nil, err
	}
	bold, rows := s.withTentative(), rowsOver(&b.Cover, &m.Area, &w)
	if b.Same != nil && (len(b.Same) != len(rows) || checksumOmitted(m.Query, b.Left) != b.Check) {
		return nil, errCheck
	}
	tags, left, empty := b.Tags, b.Left, saltedDigest(m.Query, nil)
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
				s.set(x, rows[i].y, newDigestCell(m.Query, tag))
			case s.unsure(x, rows[i].y):
				s.set(x, rows[i].y, &Cell{})
			}
		}
	}
	if len(tags)+len(left) > 0 {
		return nil, errTags
	}
	for i, o := range b.Activated {
		if i > 0 && b.Activated[i-1].ID >= o.ID {
			return nil, errOrder
		}
		s.Activated = append(s.Activated, &Object{ID: o.ID, Digest: o.Digest, Pos: o.Pos})
	}
	b.said = s
	return s, nil
}

// isDigestOnly reports whether an object is only known by its digest.
func isDigestOnly(o *Object) bool { return o.Size == 0 }

// decodeDigests makes an answer that came what the vote takes: a snapshot of cells of
// which the tags are known. Nil: it cannot be understood.
func (m *Result) decodeDigests(k *Known, w *World) *Result {
	out := *m
	if m.Same {
		if k == nil || k.Around == nil {
			return nil
		}
		out.Around = k.Around
	}
	if m.Brief {
		out.Static = namedAll(m.Names)
	}
	if b := m.Sent; b != nil {
		if b.Same != nil {
			if b.Left = k.omittedDigests(m, w); b.Left == nil {
				return nil
			}
		}
		seen, err := m.DigestSnapshot(*w)
		if err != nil {
			return nil
		}
		out.Seen = seen
	}
	return &out
}
