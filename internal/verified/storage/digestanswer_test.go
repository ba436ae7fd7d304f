package storage

import (
	"errors"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// What is left out of an answer comes back only as it was expected: somebody who
// expects something else, or shows others something else, has no answer.
func TestWhatIsLeftOutComesBack(t *testing.T) {
	n := newNode(core{world: World{Side: 4000, Cell: 1000}})
	w := &n.world
	area := overlay.Area{Circle: geom.Circle{C: geom.Point{X: 2000, Y: 2000}, R: 4000}}
	snap := func(versions ...byte) *Snapshot {
		s := &Snapshot{Of: 1, Cover: area, Whole: true, Grid: gridOver(&area, w, 0)}
		for i := range s.Cells {
			s.Cells[i] = NewCell([]*Object{thing(ObjectID(i), 1)})
		}
		for i, v := range versions {
			if s.Cells[i] = NewCell([]*Object{thing(ObjectID(i), v)}); v == 0 {
				s.Cells[i] = nil
			}
		}
		return s
	}
	guessed := snap(0, 5)
	guessed.markUnsure(1, 0)
	hidden := snap()
	hidden.setTentative(3, 3, nil)
	around := &Around{Self: &overlay.Contact{}}
	for name, c := range map[string]struct {
		seen *Snapshot
		rows int // that are left out
	}{
		"as expected": {snap(), 4}, "one differs": {snap(2), 3}, "two rows differ": {snap(0, 1, 1, 1, 2), 2},
		"a guess": {guessed, 3}, "not even a guess": {hidden, 3},
	} {
		known := &Known{Around: around, Cover: area, Seen: snap()}
		said := known.encodeFor(77, &area, w)
		m := &Result{Query: 77, Around: around, Seen: c.seen, Area: area, Brief: true}
		sent := m.encodeDigests(said, *w)
		rows := 0
		for _, same := range sent.Sent.Same {
			rows += bit(same)
		}
		if rows != c.rows || !sent.Same || sent.Around != nil || sent.Seen != nil {
			t.Errorf("%s: %d rows are left out, neighbourhood %v", name, rows, !sent.Same)
		}
		got := n.queries.decodeDigests(sent, known)
		if got == nil {
			t.Fatalf("%s: it is not understood", name)
		}
		for i, cell := range c.seen.Cells {
			x, y := int32(i)%4, int32(i)/4
			if got.Seen.unsure(x, y) != c.seen.unsure(x, y) || got.Seen.withTentative().unsure(x, y) != c.seen.withTentative().unsure(x, y) {
				t.Errorf("%s: cell %d,%d is known to one and not to the other", name, x, y)
			} else if !c.seen.withTentative().unsure(x, y) && !sameCellContent(cell, got.Seen.At(x, y)) {
				t.Errorf("%s: cell %d,%d is another one", name, x, y)
			}
		}
		if sameCellContent(snap(9).Cells[0], got.Seen.Cells[0]) {
			t.Errorf("%s: any cell is taken for the first", name)
		}
		again := *sent
		brief := *sent.Sent
		brief.said, again.Sent = nil, &brief
		if got := n.queries.decodeDigests(&again, &Known{Around: around, Cover: area, Seen: snap(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 7)}); got != nil && c.rows == 4 {
			t.Errorf("%s: who expects something else understands it", name)
		}
		if n.queries.decodeDigests(&again, nil) != nil {
			t.Errorf("%s: who has said nothing understands it", name)
		}
		brief.said, brief.Left = nil, append(brief.Left, SaltedDigest{})
		if _, err := again.DigestSnapshot(*w); !errors.Is(err, errCheck) {
			t.Errorf("%s: shown with something else: %v", name, err)
		}
		brief.said, brief.Left, brief.Tags = nil, sent.Sent.Left, append(brief.Tags, SaltedDigest{})
		if _, err := again.DigestSnapshot(*w); !errors.Is(err, errTags) {
			t.Errorf("%s: with a digest too many: %v", name, err)
		}
	}
}

func pieceBed() (*Node, *Fetch) {
	rules := plainRules{}
	n := newNode(core{world: World{Side: 1000, Cell: 1000}, cache: NewReplayCache(), cfg: Config{Rules: rules, Wire: true}})
	q := &Fetch{Cells: []CellAt{{}}, Have: []*Object{rules.object(1, 1)}, Base: []*Cell{NewCell([]*Object{rules.object(2, 1)})}}
	return n, q
}

// A piece is what its receiver can make an object of, and nothing else is.
func TestPieces(t *testing.T) {
	n, q := pieceBed()
	rules := plainRules{}
	cell := NewCell([]*Object{rules.object(1, 1), rules.object(2, 9), rules.object(3, 4)})
	base := []baseObject{{q.Base[0].Objects[0], 0, 0}}
	good := n.patches.encodeCell(cell, 0, (&Fetch{HaveTags: []uint64{versionPrefix(q.Have[0])}}).versions(), base)
	if len(good) != 3 || good[0].How != Has || good[1].How != Based || good[2].How != Whole {
		t.Fatalf("pieces %+v", good)
	}
	got := n.patches.decodeCells(&Blocks{Pieces: [][]ObjectPatch{good}}, q)
	if len(got) != 1 || !sameCellContent(got[0], cell) {
		t.Error("another cell comes of its pieces")
	}
	for i := range good {
		var p ObjectPatch
		p.SetCode(good[i].Code())
		if p.How != good[i].How || p.In != good[i].In {
			t.Errorf("%+v has the code of %+v", good[i], p)
		}
	}
	for name, bad := range map[string][]ObjectPatch{
		"what it does not have":     {{How: Has, At: 1}},
		"no cell before":            {{How: Based, In: 1}},
		"a cell before the first":   {{How: Based, In: -1}},
		"no object of the cell":     {{How: Based, At: 1, Data: good[1].Data}},
		"nothing at t_0":            {{How: Begun, In: 1 << 20}},
		"a difference of nothing":   {{How: Based, Data: []byte{0, 0}}},
		"no object":                 {{How: Whole, Data: []byte{1}}},
		"objects in disorder":       {good[2], good[0]},
		"an object twice":           {good[0], good[0]},
		"somebody else's neighbour": {{How: Whole, Data: rules.AppendObject(nil, thing(0, 1))}},
	} {
		left := maxBlocks
		if c, err := n.patches.decodeCell(bad, q, 0, &left); err == nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
	left := 399
	if _, err := n.patches.decodeCell(good, q, 0, &left); !errors.Is(err, errLarge) {
		t.Errorf("more than may be: %v", err)
	}
}

// FuzzPieces: whatever pieces say, a cell is in order or there is none.
func FuzzPieces(f *testing.F) {
	f.Add([]byte{0, 0, 1, 2, 3})
	f.Add([]byte{1, 0, 2, 0, 10, 100, 1, 9})
	f.Fuzz(func(t *testing.T, b []byte) {
		n, q := pieceBed()
		var pieces []ObjectPatch
		for len(b) >= 3 {
			p := ObjectPatch{At: uint32(b[1])}
			p.SetCode(uint32(b[0]))
			size := min(int(b[2]), len(b)-3)
			p.Data, b = b[3:3+size], b[3+size:]
			pieces = append(pieces, p)
		}
		left := maxBlocks
		c, err := n.patches.decodeCell(pieces, q, 0, &left)
		if err != nil {
			return
		}
		for i, o := range c.Objects {
			if i > 0 && c.Objects[i-1].ID >= o.ID || o.Pos.X >= 1000 {
				t.Fatalf("%+v", c.Objects)
			}
		}
	})
}
