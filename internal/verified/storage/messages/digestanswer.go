package messages

import (
	"errors"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
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
	Tags []state.SaltedDigest
	// Same are the rows of up to eight cells that are left out because they are as
	// who asks has said; nil: none is. Check is a hash of their cells' tags.
	Same      []bool
	Check     state.SaltedDigest
	Activated []DormantName // who wakes
	// Left are the tags that Check is of. They are not said: who has asked knows
	// them, and has to show them to others who are to understand the answer.
	Left []state.SaltedDigest

	said *state.Snapshot // what DigestSnapshot has made of it
}

// Errors of answers of digests.
var (
	errTags  = errors.New("as many digests as cells are wanted")
	errCheck = errors.New("what was left out is not what was expected")
)

// EncodeFor is what a node says of what it knows to somebody whom it asks.
func (k *Known) EncodeFor(query uint64, a *overlay.Area, w *state.World) *Known {
	if k == nil {
		return nil
	}
	out := &Known{}
	if k.Around != nil {
		out.Hash = k.Around.saltedDigest()
	}
	if k.Seen != nil && len(k.Cover.Polygon) == 0 {
		for _, r := range state.RowsOver(&k.Cover, a, w) {
			v, _ := k.Seen.SaltedRow(query, &k.Cover, &r, w)
			out.Rows = append(out.Rows, v)
		}
	}
	return out
}

// EncodeDigests makes of an answer what is sent of it to somebody who has said what it
// knows.
func (m *Result) EncodeDigests(k *Known, w state.World) *Result {
	out := *m
	out.Seen, out.Known = nil, nil
	if k != nil && k.Hash == m.Around.saltedDigest() {
		out.Around, out.Same = nil, true
	}
	if m.Brief {
		out.Names, out.Static = NameAll(m.Static), nil
	}
	if m.Seen == nil {
		return &out
	}
	b := &DigestAnswer{Of: m.Seen.Of, Cover: m.Seen.Cover, Unsure: m.Seen.UnsureIn(&m.Area, &w)}
	out.Sent = b
	s := m.Seen.WithTentative()
	rows := state.RowsOver(&s.Cover, &m.Area, &w)
	if k != nil && len(k.Rows) > 0 && len(k.Rows) == len(rows) && len(s.Cover.Polygon) == 0 {
		b.Same = make([]bool, len(rows))
	}
	var left []state.SaltedDigest
	for i := range rows {
		r := &rows[i]
		if b.Same != nil {
			v, ok := s.SaltedRow(m.Query, &s.Cover, r, &w)
			b.Same[i] = ok && v == k.Rows[i]
		}
		for _, x := range r.Xs {
			switch {
			case s.IsUnsure(x, r.Y):
			case b.Same != nil && b.Same[i]:
				left = append(left, state.Salted(m.Query, s.At(x, r.Y)))
			default:
				b.Tags = append(b.Tags, state.Salted(m.Query, s.At(x, r.Y)))
			}
		}
	}
	if b.Same != nil {
		b.Check = state.ChecksumOmitted(m.Query, left)
	}
	for _, o := range s.Activated {
		if s.Sees(&m.Area, o.Pos, &w) {
			b.Activated = append(b.Activated, nameOf(o))
		}
	}
	out.Bytes = m.sizeNames() + b.size()
	return &out
}

// size is what it takes in a message, besides the cover.
func (b *DigestAnswer) size() int {
	size := sizeUnsure*len(b.Unsure) + state.SizeDigest*len(b.Tags) + sizeDormantName*len(b.Activated)
	if b.Same != nil {
		size += (len(b.Same)+7)/8 + state.SizeDigest
	}
	return size
}

// omittedDigests are the tags of the rows that an answer leaves out, as they were expected;
// nil: nothing was.
func (k *Known) omittedDigests(m *Result, w *state.World) []state.SaltedDigest {
	if k == nil || k.Seen == nil || !state.ValidArea(&m.Sent.Cover) || !state.ValidArea(&m.Area) {
		return nil
	}
	left := []state.SaltedDigest{}
	for i, r := range state.RowsOver(&m.Sent.Cover, &m.Area, w) {
		if i >= len(m.Sent.Same) {
			return nil
		}
		for _, x := range r.Xs {
			if m.Sent.Same[i] {
				left = append(left, state.Salted(m.Query, k.Seen.At(x, r.Y)))
			}
		}
	}
	return left
}

// DigestSnapshot is the snapshot that an answer of digests tells of: of its cells only the
// tags are known.
func (m *Result) DigestSnapshot(w state.World) (*state.Snapshot, error) {
	b := m.Sent
	if b.said != nil {
		return b.said, nil
	}
	if !state.ValidArea(&b.Cover) || !state.ValidArea(&m.Area) {
		return nil, state.ErrCover
	}
	if state.TooLarge(&m.Area, &w) {
		return nil, state.ErrLarge
	}
	s := &state.Snapshot{Of: b.Of, Cover: b.Cover, Whole: true, Grid: state.GridOver(&m.Area, &w, 0)}
	if err := s.MarkAllUnsure(b.Unsure, &w); err != nil {
		return nil, err
	}
	bold, rows := s.WithTentative(), state.RowsOver(&b.Cover, &m.Area, &w)
	if b.Same != nil && (len(b.Same) != len(rows) || state.ChecksumOmitted(m.Query, b.Left) != b.Check) {
		return nil, errCheck
	}
	tags, left, empty := b.Tags, b.Left, state.Salted(m.Query, nil)
	for i := range rows {
		from := &tags
		if b.Same != nil && b.Same[i] {
			from = &left
		}
		for _, x := range rows[i].Xs {
			if bold.IsUnsure(x, rows[i].Y) {
				continue
			}
			if len(*from) == 0 {
				return nil, errTags
			}
			tag := (*from)[0]
			*from = (*from)[1:]
			switch {
			case tag != empty:
				s.Set(x, rows[i].Y, state.NewDigestCell(m.Query, tag))
			case s.IsUnsure(x, rows[i].Y):
				s.Set(x, rows[i].Y, &state.Cell{})
			}
		}
	}
	if len(tags)+len(left) > 0 {
		return nil, errTags
	}
	for i, o := range b.Activated {
		if i > 0 && b.Activated[i-1].ID >= o.ID {
			return nil, state.ErrOrder
		}
		s.Activated = append(s.Activated, &state.Object{ID: o.ID, Digest: o.Digest, Pos: o.Pos})
	}
	b.said = s
	return s, nil
}

// IsDigestOnly reports whether an object is only known by its digest.
func IsDigestOnly(o *state.Object) bool { return o.Size == 0 }

// DecodeDigests makes an answer that came what the vote takes: a snapshot of cells of
// which the tags are known. Nil: it cannot be understood.
func (m *Result) DecodeDigests(k *Known, w *state.World) *Result {
	out := *m
	if m.Same {
		if k == nil || k.Around == nil {
			return nil
		}
		out.Around = k.Around
	}
	if m.Brief {
		out.Static = NamedAll(m.Names)
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
