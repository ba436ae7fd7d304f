package messages

import (
	"errors"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// block is a version of an object.
func block(n state.ObjectID, version byte) *state.Object {
	return &state.Object{ID: n, Pos: geom.Point{X: int32(n)}, Digest: state.Digest{version}}
}

// What is left out of an answer comes back only as it was expected: somebody who
// expects something else, or shows others something else, has no answer.
func TestWhatIsLeftOutComesBack(t *testing.T) {
	w := &state.World{Side: 4000, Cell: 1000}
	area := overlay.Area{Circle: geom.Circle{C: geom.Point{X: 2000, Y: 2000}, R: 4000}}
	snap := func(versions ...byte) *state.Snapshot {
		s := &state.Snapshot{Of: 1, Cover: area, Whole: true, Grid: state.GridOver(&area, w, 0)}
		for i := range s.Cells {
			s.Cells[i] = state.NewCell([]*state.Object{block(state.ObjectID(i), 1)})
		}
		for i, v := range versions {
			if s.Cells[i] = state.NewCell([]*state.Object{block(state.ObjectID(i), v)}); v == 0 {
				s.Cells[i] = nil
			}
		}
		return s
	}
	guessed := snap(0, 5)
	guessed.MarkUnsure(1, 0)
	hidden := snap()
	hidden.SetTentative(3, 3, nil)
	around := &Around{Self: &overlay.Contact{}}
	for name, c := range map[string]struct {
		seen *state.Snapshot
		rows int // that are left out
	}{
		"as expected": {snap(), 4}, "one differs": {snap(2), 3}, "two rows differ": {snap(0, 1, 1, 1, 2), 2},
		"a guess": {guessed, 3}, "not even a guess": {hidden, 3},
	} {
		known := &Known{Around: around, Cover: area, Seen: snap()}
		said := known.EncodeFor(77, &area, w)
		m := &Result{Query: 77, Around: around, Seen: c.seen, Area: area, Brief: true}
		sent := m.EncodeDigests(said, *w)
		rows := 0
		for _, same := range sent.Sent.Same {
			rows += state.Indicator(same)
		}
		if rows != c.rows || !sent.Same || sent.Around != nil || sent.Seen != nil {
			t.Errorf("%s: %d rows are left out, neighbourhood %v", name, rows, !sent.Same)
		}
		got := sent.DecodeDigests(known, w)
		if got == nil {
			t.Fatalf("%s: it is not understood", name)
		}
		for i, cell := range c.seen.Cells {
			x, y := int32(i)%4, int32(i)/4
			if got.Seen.IsUnsure(x, y) != c.seen.IsUnsure(x, y) || got.Seen.WithTentative().IsUnsure(x, y) != c.seen.WithTentative().IsUnsure(x, y) {
				t.Errorf("%s: cell %d,%d is known to one and not to the other", name, x, y)
			} else if !c.seen.WithTentative().IsUnsure(x, y) && !state.SameCellContent(cell, got.Seen.At(x, y)) {
				t.Errorf("%s: cell %d,%d is another one", name, x, y)
			}
		}
		if state.SameCellContent(snap(9).Cells[0], got.Seen.Cells[0]) {
			t.Errorf("%s: any cell is taken for the first", name)
		}
		again := *sent
		brief := *sent.Sent
		brief.said, again.Sent = nil, &brief
		if got := again.DecodeDigests(&Known{Around: around, Cover: area, Seen: snap(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 7)}, w); got != nil && c.rows == 4 {
			t.Errorf("%s: who expects something else understands it", name)
		}
		if again.DecodeDigests(nil, w) != nil {
			t.Errorf("%s: who has said nothing understands it", name)
		}
		brief.said, brief.Left = nil, append(brief.Left, state.SaltedDigest{})
		if _, err := again.DigestSnapshot(*w); !errors.Is(err, errCheck) {
			t.Errorf("%s: shown with something else: %v", name, err)
		}
		brief.said, brief.Left, brief.Tags = nil, sent.Sent.Left, append(brief.Tags, state.SaltedDigest{})
		if _, err := again.DigestSnapshot(*w); !errors.Is(err, errTags) {
			t.Errorf("%s: with a digest too many: %v", name, err)
		}
	}
}
