package messages

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// A row of digests is left out if all of it is as expected, and only if the
// answer is about the part of the world that was expected; a neighbourhood only
// if it is the same.
func TestWhatIsExpectedIsLeftOut(t *testing.T) {
	w := state.World{Side: 4000, Cell: 1000}
	area := overlay.Area{Circle: geom.Circle{C: geom.Point{X: 2000, Y: 2000}, R: 4000}}
	snap := func(versions ...byte) *state.Snapshot {
		s := &state.Snapshot{Of: 1, Cover: area, Whole: true, Grid: state.GridOver(&area, &w, 0)}
		for i := range s.Cells {
			s.Cells[i] = state.NewCell([]*state.Object{block(state.ObjectID(i), 1)})
		}
		for i, v := range versions {
			s.Cells[i] = state.NewCell([]*state.Object{block(state.ObjectID(i), v)})
		}
		return s
	}
	truth := snap()
	doubtful := snap()
	doubtful.MarkUnsure(0, 0)
	smaller := *truth
	smaller.Cover.Circle.R--
	const all = 16 * state.SizeDigest
	for _, c := range []struct {
		name  string
		known *Known
		of    *state.Snapshot
		want  int
	}{
		{"nothing is said", nil, truth, all},
		{"nothing is expected", &Known{Cover: area}, truth, all},
		{"all is as expected", &Known{Cover: area, Seen: snap(), RowCount: 4}, truth, 1 + state.SizeDigest},
		{"one cell is not", &Known{Cover: area, Seen: snap(2), RowCount: 4}, truth, 1 + state.SizeDigest + 4*state.SizeDigest},
		{"one is not known", &Known{Cover: area, Seen: doubtful, RowCount: 4}, truth, 1 + state.SizeDigest + 4*state.SizeDigest},
		{"two in one row are not", &Known{Cover: area, Seen: snap(2, 2), RowCount: 4}, truth, 1 + state.SizeDigest + 4*state.SizeDigest},
		{"two rows are not", &Known{Cover: area, Seen: snap(2, 1, 1, 1, 2), RowCount: 4}, truth, 1 + state.SizeDigest + 8*state.SizeDigest},
		{"it is of another part", &Known{Cover: area, Seen: snap(), RowCount: 4}, &smaller, 1 + state.SizeDigest + all},
	} {
		if got := sizeDigests(c.of, &area, &w, c.known); got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, got, c.want)
		}
	}

	someone := func(n byte) *overlay.Contact { return &overlay.Contact{ID: id.ID{n}} }
	around := &Around{Self: someone(1), Neighbours: []*overlay.Contact{someone(2), someone(3)}}
	for _, c := range []struct {
		name string
		now  *Around
		want bool
	}{
		{"the same", &Around{Self: someone(1), Neighbours: []*overlay.Contact{someone(2), someone(3)}}, true},
		{"somebody has come", &Around{Self: someone(1), Neighbours: []*overlay.Contact{someone(2), someone(3), someone(4)}}, false},
		{"somebody else", &Around{Self: someone(1), Neighbours: []*overlay.Contact{someone(2), someone(4)}}, false},
	} {
		if got := (&Known{Around: around}).has(c.now); got != c.want {
			t.Errorf("%s: known %v", c.name, got)
		}
	}
}
