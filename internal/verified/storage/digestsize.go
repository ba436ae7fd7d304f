package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// sizeDigests is what digests of the cells in an area take for somebody who knows
// something of it, and of the woken characters there: as much as encodeDigests makes.
func sizeDigests(s *Snapshot, a *overlay.Area, w *World, known *Known) (size int) {
	size = sizeUnsure * len(s.unsureIn(a, w))
	s = s.withTentative()
	rows := rowsOver(&s.Cover, a, w)
	compared := known != nil && len(known.Cover.Polygon)+len(s.Cover.Polygon) == 0 && known.rows > 0 && known.rows == len(rows)
	if compared {
		size += (len(rows)+7)/8 + sizeDigest
	}
	for i := range rows {
		if r := &rows[i]; !compared || !sameRow(s, known, r, w) {
			for _, x := range r.xs {
				size += sizeDigest * bit(!s.unsure(x, r.y))
			}
		}
	}
	for _, o := range s.Activated {
		if s.sees(a, o.Pos, w) {
			size += sizeDormantName
		}
	}
	return size
}

// sameRow reports whether the digests of a row that both sides make are the same
// (saltedRow).
func sameRow(s *Snapshot, known *Known, r *row, w *World) bool {
	e := known.Seen
	return known.Cover.Circle == s.Cover.Circle && !slices.ContainsFunc(r.xs, func(x int32) bool {
		return s.covers(x, r.y, w.Cell) != inside || e.covers(x, r.y, w.Cell) != inside || !sameCellContent(s.At(x, r.y), e.At(x, r.y))
	})
}

// sizeUnsure is what a cell takes of which it is said that it is not known.
const sizeUnsure = 2
