package messages

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// sizeDigests is what digests of the cells in an area take for somebody who knows
// something of it, and of the woken characters there: as much as encodeDigests makes.
func sizeDigests(s *state.Snapshot, a *overlay.Area, w *state.World, known *Known) (size int) {
	size = sizeUnsure * len(s.UnsureIn(a, w))
	s = s.WithTentative()
	rows := state.RowsOver(&s.Cover, a, w)
	compared := known != nil && len(known.Cover.Polygon)+len(s.Cover.Polygon) == 0 && known.RowCount > 0 && known.RowCount == len(rows)
	if compared {
		size += (len(rows)+7)/8 + state.SizeDigest
	}
	for i := range rows {
		if r := &rows[i]; !compared || !sameRow(s, known, r, w) {
			for _, x := range r.Xs {
				size += state.SizeDigest * state.Indicator(!s.IsUnsure(x, r.Y))
			}
		}
	}
	for _, o := range s.Activated {
		if s.Sees(a, o.Pos, w) {
			size += sizeDormantName
		}
	}
	return size
}

// sameRow reports whether the digests of a row that both sides make are the same
// (saltedRow).
func sameRow(s *state.Snapshot, known *Known, r *state.Row, w *state.World) bool {
	e := known.Seen
	return known.Cover.Circle == s.Cover.Circle && !slices.ContainsFunc(r.Xs, func(x int32) bool {
		return s.Covers(x, r.Y, w.Cell) != state.Inside || e.Covers(x, r.Y, w.Cell) != state.Inside || !state.SameCellContent(s.At(x, r.Y), e.At(x, r.Y))
	})
}

// sizeUnsure is what a cell takes of which it is said that it is not known.
const sizeUnsure = 2
