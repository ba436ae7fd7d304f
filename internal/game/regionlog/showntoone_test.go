package regionlog

import (
	"slices"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestShownToOne: a leader that shows one session of a node something else than another, and
// something else than it signs, is proven to, whichever is shown it last.
func TestShownToOne(t *testing.T) {
	at := world.Pos{X: -100, Y: 70, Z: 5}
	column := at.Column().Index()
	one, other, both := []id.ID{{1}}, []id.ID{{2}}, []id.ID{{1}, {2}}
	for name, lie := range map[string]func(s *shower){
		"a block of nobody": func(s *shower) { s.showTo(one, at, world.GoldOre) },
		"an edit kept back": func(s *shower) { s.put(at, world.Bricks); s.showTo(other, at, world.Bricks) },
		"another block": func(s *shower) {
			s.put(at, world.Bricks)
			s.showTo(one, at, world.GoldOre)
			s.showTo(other, at, world.Bricks)
		},
		"another block last": func(s *shower) {
			s.put(at, world.Bricks)
			s.showTo(other, at, world.Bricks)
			s.showTo(one, at, world.GoldOre)
		},
		"an old column": func(s *shower) {
			old := s.a.Share(column).Clone()
			s.change(at, world.Bricks, world.Bricks)
			s.who = one
			s.columns(old)
			s.who = other
			s.columns(s.a.Share(column))
		},
	} {
		s := newShower(flat)
		s.columns(s.all()...)
		s.sign(t, allColumns)
		for i := range int32(5) { // the truth, in frames of their own
			s.put(at.Add(i, 0, 0), world.Stone)
			s.showTo(one, at.Add(i, 0, 0), world.Stone)
			s.showTo(other, at.Add(i, 0, 0), world.Stone)
			if j := s.sign(t, allColumns); len(j.Sessions) > 0 || j.Unsigned || j.Compared != 2*world.Columns {
				t.Fatalf("%s: before the lie: %+v", name, j)
			}
		}
		s.who = both
		lie(s)
		j := s.sign(t, allColumns)
		if j.Proof == nil || j.Differs != 1<<column || !slices.Equal(j.Sessions, one) {
			t.Fatalf("%s: %+v", name, j)
		}
		again, err := DecodeDisplay(j.Proof.Append(nil))
		if err != nil || again.Session != one[0] {
			t.Fatalf("%s: %v, %v", name, again, err)
		}
		if found, err := again.Check(); err != nil || !found.Shown {
			t.Errorf("%s: %v, %v", name, found, err)
		}
		again.Session = other[0]
		if found, err := again.Check(); err == nil {
			t.Errorf("%s: what the other was shown is proof, too: %v", name, found)
		}
	}
}

// TestShownLeftOut: a session that knows nothing, as the leader says, while another one of the
// node does, is left out after some statements; one of whose column nobody knows anything is
// not, nor one that has just begun to watch.
func TestShownLeftOut(t *testing.T) {
	s := newShower(flat)
	s.who = []id.ID{{2}}
	s.columns(s.all()...)
	s.signFor(t)
	began := maxWithout - 1 // statements before it watches
	for i := range 2 * maxWithout {
		if i == began {
			s.view.Unwatch(id.ID{1}, 0)
		}
		j := s.signFor(t, Known{id.ID{2}, allColumns &^ 1})
		if out := i-began+1 >= maxWithout; out != slices.Equal(j.LeftOut, []id.ID{{1}}) || len(j.Sessions) > 0 || j.Unsigned {
			t.Fatalf("statement %d: %+v", i, j)
		}
	}
	if j := s.signFor(t); len(j.LeftOut) > 0 {
		t.Errorf("nobody knows anything: %+v", j)
	}
}

// TestShownBounds: a leader that shows each session something else has little kept and
// compared.
func TestShownBounds(t *testing.T) {
	s := newShower(flat)
	at := world.Pos{X: -120, Y: 70, Z: 5}
	s.watched = nil
	for i := range 40 {
		who := []id.ID{{byte(i + 1)}}
		s.watched = append(s.watched, Known{who[0], allColumns})
		s.who = who
		s.columns(s.all()...)
		for k := range int32(200) {
			s.showTo(who, at.Add(k%20, int32(i), k/20), world.GoldOre)
		}
	}
	if s.view.made > maxMade {
		t.Errorf("%d pictures were made", s.view.made)
	}
	if j := s.signFor(t, s.watched...); len(j.Sessions) != maxOthers || j.Differs != 1<<at.Column().Index() {
		t.Errorf("%d sessions differ, in %x", len(j.Sessions), j.Differs)
	}
	kept := map[*picture]bool{}
	for _, x := range s.view.sessions {
		for i := range x {
			kept[x[i].now] = true
		}
	}
	if n := len(kept); n > world.Columns+maxOthers+1 {
		t.Errorf("%d pictures are kept", n)
	}
}

// BenchmarkView is a second of a region with 20 block changes that 100 sessions are shown, in
// frames that they have in common or in some of their own.
func BenchmarkView(b *testing.B) {
	at := world.Pos{X: -100, Y: 70, Z: 5}
	for name, together := range map[string]int{"in common": 100, "of their own": 1} {
		b.Run(name, func(b *testing.B) {
			s := newShower(flat)
			var watched []Known
			var who []id.ID
			for i := range 100 {
				who = append(who, id.ID{byte(i + 1)})
				watched = append(watched, Known{who[i], allColumns})
			}
			s.view.Columns(1, who, who, s.all())
			c := &Checkpoint{Region: s.a.Pos(), Hashes: s.a.state(false).Hashes}
			for n := uint64(1); b.Loop(); n++ {
				for k := range int32(20) {
					cells := cells(at.Add(k, 0, 0), world.Block(n%2))
					for i := 0; i < len(who); i += together {
						s.view.Frame(n, who[i:i+together], who[i:i+together], cells)
					}
				}
				s.view.Compare(&Shown{Checkpoint: c, Current: watched}, watched)
			}
		})
	}
}
