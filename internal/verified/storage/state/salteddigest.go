package state

import (
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// Tags: what real nodes say of cells instead of what is in them (see digestanswer.go).

// SaltedDigest is what an answer says of a cell: the first bytes of a hash that begins
// with the number of the retrieval.
type SaltedDigest [SizeDigest]byte

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
	return Salted(t.query, c) == t.tag
}

// NewDigestCell is a cell of which only the tag is known.
func NewDigestCell(query uint64, tag SaltedDigest) *Cell {
	return &Cell{digestOnly: &digestCell{query, tag}}
}

// SaltedTag is what is known of a cell of which only that is known.
func (c *Cell) SaltedTag() SaltedDigest { return c.digestOnly.tag }

// IsDigestOnly reports whether only the tag of a cell is known.
func (c *Cell) IsDigestOnly() bool { return c != nil && c.digestOnly != nil }

// What hashes begin with, so that none of a kind can be taken for another.
const (
	hashCell byte = 1 + iota
	hashTag
	hashRow
	hashLeft
	HashAround
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

func Salted(query uint64, c *Cell) SaltedDigest {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 32), query)
	d := c.digest()
	d = id.Of(append(append(b, hashTag), d[:]...))
	return SaltedDigest(d[:])
}

func ChecksumOmitted(query uint64, left []SaltedDigest) SaltedDigest {
	b := append(binary.BigEndian.AppendUint64(nil, query), hashLeft)
	for _, t := range left {
		b = append(b, t[:]...)
	}
	d := id.Of(b)
	return SaltedDigest(d[:])
}

// Row is up to rowCells cells side by side.
type Row struct {
	Y  int32
	Xs []int32
}

// RowsOver are the cells that lie in both a cover and an area, row by row.
func RowsOver(cover, a *overlay.Area, w *World) (rows []Row) {
	x0, y0, x1, y1 := CellsOver(a, w, 0)
	for y := y0; y <= y1; y++ {
		last := int32(-1)
		for x := x0; x <= x1; x++ {
			if Relate(a, x*w.Cell, y*w.Cell, w.Cell) == Outside || Relate(cover, x*w.Cell, y*w.Cell, w.Cell) == Outside {
				continue
			}
			if at := x / rowCells; at != last {
				last = at
				rows = append(rows, Row{Y: y})
			}
			r := &rows[len(rows)-1]
			r.Xs = append(r.Xs, x)
		}
	}
	return rows
}

// SaltedRow is what is said of a row beforehand; false: not all of it is known.
func (s *Snapshot) SaltedRow(query uint64, cover *overlay.Area, r *Row, w *World) (uint32, bool) {
	b := append(binary.BigEndian.AppendUint64(nil, query), hashRow)
	for _, v := range [...]int32{cover.Circle.C.X, cover.Circle.C.Y, cover.Circle.R, r.Y, r.Xs[0]} {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	for _, x := range r.Xs {
		if s.Covers(x, r.Y, w.Cell) != Inside {
			return 0, false
		}
		d := s.At(x, r.Y).digest()
		b = append(b, d[:]...)
	}
	d := id.Of(b)
	return binary.BigEndian.Uint32(d[:]), true
}
