package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// Tells returns a digest of what a snapshot, of which an area was sent, says is
// in the cell in column x and row y; false if it does not tell of the whole cell.
// By it answers of different nodes are compared.
func (s *Snapshot) Tells(x, y int32, a *overlay.Area, w World) (Digest, bool) {
	if relate(a, x*w.Cell, y*w.Cell, w.Cell) != inside || s.covers(x, y, w.Cell) != inside {
		return Digest{}, false
	}
	return s.At(x, y).digest(), true
}

// TellsTo is what the snapshot says of a cell as far as another one that is seen
// through an area tells of it too.
func (s *Snapshot) TellsTo(other *Snapshot, x, y int32, a *overlay.Area, w World) Digest {
	var all []byte
	if c := s.At(x, y); c != nil {
		for _, o := range c.Objects {
			if other.sees(a, o.Pos, &w) {
				all = append(all, o.Digest[:]...)
			}
		}
	}
	return id.Of(all)
}

// Doubts is how many cells of the snapshot are not known.
func (s *Snapshot) Doubts() (n int) {
	for _, on := range s.Unsure {
		if on {
			n++
		}
	}
	return n
}

// Places are the cells that an answer may tell of.
func (m *Result) Places(w World) (out []CellAt) {
	if m.Sent != nil {
		for _, r := range rowsOver(&m.Sent.Cover, &m.Area, &w) {
			for _, x := range r.xs {
				out = append(out, CellAt{x, r.y})
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
