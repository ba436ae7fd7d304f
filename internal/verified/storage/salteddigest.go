package storage

import (
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// Tags: what real nodes say of cells instead of what is in them (see digestanswer.go).

// SaltedDigest is what an answer says of a cell: the first bytes of a hash that begins
// with the number of the retrieval.
type SaltedDigest [sizeDigest]byte

// digestCell is a cell of which only the tag is known.
type digestCell struct {
	query uint64
	tag   SaltedDigest
}

// matches reports whether that may be a cell.
func (t *digestCell) matches(c *Cell) bool {
	if c != nil && c.digestOnly != nil {
		return *c.digestOnly == *t
	}
	return saltedDigest(t.query, c) == t.tag
}

// newDigestCell is a cell of which only the tag is known.
func newDigestCell(query uint64, tag SaltedDigest) *Cell {
	return &Cell{digestOnly: &digestCell{query, tag}}
}

// saltedTag is what is known of a cell of which only that is known.
func (c *Cell) saltedTag() SaltedDigest { return c.digestOnly.tag }

// isDigestOnly reports whether only the tag of a cell is known.
func (c *Cell) isDigestOnly() bool { return c != nil && c.digestOnly != nil }

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
		return emptyCellDigest
	}
	if c.sum == (Digest{}) {
		b := append(make([]byte, 0, 1+len(c.Objects)*len(c.sum)), hashCell)
		for _, o := range c.Objects {
			b = append(b, o.Digest[:]...)
		}
		c.sum = id.Of(b)
	}
	return c.sum
}

var emptyCellDigest = id.Of([]byte{hashCell})

func saltedDigest(query uint64, c *Cell) SaltedDigest {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 32), query)
	d := c.digest()
	d = id.Of(append(append(b, hashTag), d[:]...))
	return SaltedDigest(d[:])
}

func checksumOmitted(query uint64, left []SaltedDigest) SaltedDigest {
	b := append(binary.BigEndian.AppendUint64(nil, query), hashLeft)
	for _, t := range left {
		b = append(b, t[:]...)
	}
	d := id.Of(b)
	return SaltedDigest(d[:])
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

// saltedRow is what is said of a row beforehand; false: not all of it is known.
func (s *Snapshot) saltedRow(query uint64, cover *overlay.Area, r *row, w *World) (uint32, bool) {
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
