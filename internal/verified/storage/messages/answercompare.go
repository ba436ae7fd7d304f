package messages

import "github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"

// Cells are the cells that an answer may tell of.
func (m *Result) Cells(w state.World) (out []CellAt) {
	if m.Sent != nil {
		for _, r := range state.RowsOver(&m.Sent.Cover, &m.Area, &w) {
			for _, x := range r.Xs {
				out = append(out, CellAt{x, r.Y})
			}
		}
		return out
	}
	if s := m.Seen; s != nil {
		for y := s.Y; y < s.Y+s.H; y++ {
			for x := s.X; x < s.X+s.W; x++ {
				out = append(out, CellAt{x, y})
			}
		}
	}
	return out
}

// UpdateNumber is the update that an answer is about; false: it says nothing of dynamic
// data.
func (m *Result) UpdateNumber() (int64, bool) {
	switch {
	case m.Sent != nil:
		return m.Sent.Of, true
	case m.Seen != nil:
		return m.Seen.Of, true
	}
	return 0, false
}

// CellDigest returns a digest of what an answer says is in a cell; false if it does
// not tell of the whole cell. By it answers of different nodes are compared:
// those that say digests only to the same retrieval.
func (m *Result) CellDigest(x, y int32, w state.World) (d state.Digest, ok bool) {
	if m.Sent == nil {
		return m.Seen.CellDigest(x, y, &m.Area, w)
	}
	s, err := m.DigestSnapshot(w)
	if err != nil || s.Through(&m.Area, x, y, w.Cell) == state.Outside || s.Covers(x, y, w.Cell) != state.Inside {
		return d, false
	}
	tag := state.Salted(m.Query, nil)
	if c := s.At(x, y); c.IsDigestOnly() {
		tag = c.SaltedTag()
	}
	copy(d[:], tag[:])
	return d, true
}

// SameCellAs reports whether an answer says the same of a cell, as far as it tells
// of it, as another one that tells of all of it.
func (m *Result) SameCellAs(whole *Result, x, y int32, w state.World) bool {
	if m.Sent == nil && whole.Sent == nil {
		return m.Seen.CellDigestSeenBy(m.Seen, x, y, &m.Area, w) == whole.Seen.CellDigestSeenBy(m.Seen, x, y, &m.Area, w)
	}
	own, ok := m.CellDigest(x, y, w)
	right, of := whole.CellDigest(x, y, w)
	return !ok || !of || own == right
}

// Comparable reports whether what two answers say of a cell can be compared.
func (m *Result) Comparable(o *Result) bool {
	return (m.Sent == nil) == (o.Sent == nil) && (m.Sent == nil || m.Query == o.Query)
}
