package regionlog

import (
	"bytes"
	"errors"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// shower is a leader that shows a region to a node, and the node's view of it.
type shower struct {
	a      *Area
	pieces Pieces
	view   *View
	tick   uint64
	had    *Hashes
	to     id.ID
	who    []id.ID // the sessions that are shown it
	lost   bool    // messages to the node

	watched []Known // by sessions of the node
}

func newShower(ground func(world.ColumnPos) *world.Column) *shower {
	s := &shower{a: NewArea(world.AreaConfig{Seed: 3}, world.RegionPos{X: -1}, false), tick: 7, to: id.Of([]byte("node")), who: []id.ID{{1}, {2}}, watched: []Known{{id.ID{1}, allColumns}, {id.ID{2}, allColumns}}}
	for i := range world.Columns {
		s.a.SetColumn(ground(s.a.Pos().Column(i)))
	}
	s.view, s.pieces = NewView(s.a.Pos()), BeginPieces(s.to, 99)
	return s
}

// columns shows whole columns.
func (s *shower) columns(list ...*world.Column) {
	s.tick++
	s.pieces.Add(ColumnsPiece(s.tick, s.who, list, ColumnHash))
	if !s.lost {
		s.view.Columns(s.tick, s.who, s.who, list)
	}
}

// cells are the shared part of a frame with a block.
func cells(at world.Pos, b world.Block) []byte {
	e := frame.CellEncoder{Buf: frame.AppendCount(nil, 1)}
	e.Begin(uint8(at.Column().Index()), false)
	e.Block(frame.Block{Place: frame.Place(at), Block: b})
	e.End()
	return e.Buf
}

// change changes a block and shows another, or the same.
func (s *shower) change(at world.Pos, b, shown world.Block) {
	s.tick++
	s.put(at, b)
	s.show(at, shown)
}

func (s *shower) put(at world.Pos, b world.Block) {
	now, _ := s.a.Block(at)
	s.a.Area.Revert([]world.BlockChange{{At: at, Was: b, Now: now}})
}

func (s *shower) show(at world.Pos, b world.Block) {
	c := cells(at, b)
	s.pieces.Add(FramePiece(s.tick, s.who, c))
	if !s.lost {
		s.view.Frame(s.tick, s.who, s.who, c)
	}
}

// showTo shows a block to some sessions.
func (s *shower) showTo(who []id.ID, at world.Pos, b world.Block) {
	was := s.who
	s.who = who
	s.show(at, b)
	s.who = was
}

// sign signs what was shown to both sessions, and compares.
func (s *shower) sign(t *testing.T, current uint16) Judgement {
	t.Helper()
	return s.signFor(t, Known{id.ID{1}, current}, Known{id.ID{2}, current})
}

// signFor signs what was shown, and what sessions know by it, and compares.
func (s *shower) signFor(t *testing.T, current ...Known) Judgement {
	t.Helper()
	s.tick++
	c := &Checkpoint{Region: s.a.Pos(), Time: machine.Time(s.tick), Tick: s.tick, Number: s.tick, Hashes: s.a.state(false).Hashes}
	signing.sign(c)
	m := &Shown{Checkpoint: c, To: s.to, Number: s.pieces.Number, Head: s.pieces.Head, Current: current}
	m.Sign(signing)
	got, err := DecodeShown(m.AppendAfter(nil, s.had), s.view.Hashes())
	if err != nil || !got.Verify() {
		t.Fatalf("%v, verified: %v", err, err == nil && got.Verify())
	}
	s.had = &c.Hashes
	return s.view.Compare(got, s.watched)
}

func (s *shower) all() (out []*world.Column) {
	for i := range world.Columns {
		out = append(out, s.a.Share(i))
	}
	return out
}

// TestShownHonest: what an honest leader shows agrees with what it signs, whatever is lost
// on the way; nothing is proven.
func TestShownHonest(t *testing.T) {
	s, g := newShower(flat), rng.New(5, 1)
	s.columns(s.all()...)
	compared, unsigned := 0, 0
	for i := range 60 {
		s.lost = g.OneIn(9)
		for range g.Intn(5) {
			at := s.a.Pos().Column(g.Intn(3)).Origin().Add(int32(g.Intn(32)), int32(60+g.Intn(9)), int32(g.Intn(32)))
			b := world.Block(g.Intn(3))
			s.change(at, b, b)
		}
		if g.OneIn(6) {
			s.columns(s.all()[:2]...)
		}
		j := s.sign(t, allColumns)
		if j.Proof != nil || j.Differs != 0 && !j.Unsigned && unsigned == 0 {
			t.Fatalf("statement %d: %+v", i, j)
		}
		compared += j.Compared
		if j.Unsigned {
			unsigned++
		}
	}
	if compared == 0 || unsigned < 2 {
		t.Errorf("%d columns compared, %d statements not of what came", compared, unsigned)
	}
}

// TestShownLies: a leader that shows a node something else than it signs, and signs that
// it has, is proven to.
func TestShownLies(t *testing.T) {
	at := world.Pos{X: -100, Y: 70, Z: 5}
	column := at.Column().Index()
	for name, lie := range map[string]func(s *shower){
		"another block":     func(s *shower) { s.change(at, world.Bricks, world.GoldOre) },
		"a block of nobody": func(s *shower) { s.show(at, world.GoldOre) },
		"an edit kept back": func(s *shower) { s.put(at, world.Bricks) },
		"an old column": func(s *shower) {
			old := s.a.Share(column).Clone()
			s.change(at, world.Bricks, world.Bricks)
			s.columns(old)
		},
	} {
		s := newShower(flat)
		s.columns(s.all()...)
		s.sign(t, allColumns)
		s.change(at, world.Stone, world.Stone)
		if j := s.sign(t, allColumns); j.Differs != 0 || j.Unsigned || j.Compared != 2*world.Columns {
			t.Fatalf("%s: before the lie: %+v", name, j)
		}
		s.change(at.Add(1, 0, 0), world.Stone, world.Stone)
		lie(s)
		j := s.sign(t, allColumns)
		if j.Proof == nil || j.Differs != 1<<column {
			t.Fatalf("%s: %+v", name, j)
		}
		b := AppendEvidence(nil, j.Proof)
		if c, err := SignedBy(b); err != nil || c.Key != signing.Key {
			t.Errorf("%s: %v", name, err)
		}
		p, err := DecodeEvidence(b)
		if err != nil {
			t.Fatal(err)
		}
		found, err := p.Check()
		if err != nil || !found.Shown {
			t.Fatalf("%s: %v, %v", name, found, err)
		}
		if again := AppendEvidence(nil, p); !bytes.Equal(again, b) {
			t.Errorf("%s: the proof is written otherwise than it was read", name)
		}
		t.Logf("%s: %d bytes; %v", name, len(b), found)
		for k := 1; k < len(b); k += 7 { // no byte can be changed, but in how the column is deflated
			bad := bytes.Clone(b)
			bad[k] ^= 1
			if p, err := DecodeEvidence(bad); err == nil {
				if _, err := p.Check(); err == nil && !bytes.Equal(AppendEvidence(nil, p), b) {
					t.Fatalf("%s: byte %d can be changed", name, k)
				}
			}
		}
	}
}

// TestShownNotClaimed: a column that the leader does not say that it has shown proves
// nothing; nor does what another node was shown.
func TestShownNotClaimed(t *testing.T) {
	at := world.Pos{X: -100, Y: 70, Z: 5}
	s := newShower(flat)
	s.columns(s.all()...)
	s.sign(t, allColumns)
	s.change(at, world.Bricks, world.Air) // the node is crowded: it is not told in time
	if j := s.sign(t, allColumns&^(1<<at.Column().Index())); j.Differs != 0 || j.Proof != nil {
		t.Fatalf("%+v", j)
	}
	s.show(at, world.Bricks)
	if j := s.sign(t, allColumns); j.Differs != 0 {
		t.Fatalf("%+v", j)
	}
	s.show(at, world.GoldOre)
	p := s.sign(t, allColumns).Proof
	for name, change := range map[string]func(p *Display){
		"another base":    func(p *Display) { p.Base = flat(p.Base.Pos); p.Base.Set(0, 0, 0, world.Air) },
		"another session": func(p *Display) { p.Session = id.ID{3} },
		"another column":  func(p *Display) { p.Column ^= 1 },
		"less":            func(p *Display) { p.Pieces = p.Pieces[1:] },
		"another piece":   func(p *Display) { p.Pieces = [][]byte{FramePiece(1, []id.ID{{1}}, cells(at, world.Stone))} },
		"the other way":   func(p *Display) { p.From, p.To = p.To, p.From },
		"no claim":        func(p *Display) { to := *p.To; to.Current = nil; p.To = &to },
		"another node":    func(p *Display) { to := *p.To; to.To = id.ID{1}; p.To = &to },
		"a forged one": func(p *Display) {
			c := *p.To.Checkpoint
			c.Hashes[partColumns] = [32]byte{1}
			to := *p.To
			to.Checkpoint = &c
			p.To = &to
		},
		"nothing changed": func(p *Display) { p.To = p.From; p.Pieces = nil },
	} {
		c := *p
		change(&c)
		if f, err := c.Check(); err == nil {
			t.Errorf("%s: %v", name, f)
		}
	}
	if _, err := p.Check(); err != nil {
		t.Error(err)
	}
	honest := *p
	honest.To = honest.From
	if _, err := honest.Check(); !errors.Is(err, ErrChain) {
		t.Errorf("one statement: %v", err)
	}
}

// FuzzShown: no statement and no proof makes whoever reads it fail, and none is believed
// that was not signed.
func FuzzShown(f *testing.F) {
	at := world.Pos{X: -100, Y: 70, Z: 5}
	s, t := newShower(air), new(testing.T)
	s.columns(s.all()...)
	s.sign(t, allColumns)
	s.show(at, world.Stone)
	p := s.sign(t, allColumns).Proof
	p.From.Signature[0] ^= 1
	f.Add(AppendEvidence(nil, p))
	f.Add(p.To.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := DecodeShown(b, nil); err == nil && m.Verify() {
			m.Append(nil)
		}
		_, _ = SignedBy(b)
		if p, err := DecodeEvidence(b); err == nil {
			if _, err := p.Check(); err == nil {
				t.Error("a proof against an honest host")
			}
		}
	})
}
