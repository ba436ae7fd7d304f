package regionlog

import (
	"bytes"
	"errors"
	"sync"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// archived plays for a while and keeps the log. lie is told in the middle.
func archived(seed uint64, lie func(*Area)) (a *Archive, signed []*Checkpoint) {
	w := newPlay(seed, 4, true)
	a = &Archive{}
	w.a.Record(signing, func(o *Output) {
		a.Add(o, machine.Time(w.tick)*50_000_000)
		if o.Checkpoint != nil {
			signed = append(signed, o.Checkpoint)
		}
	})
	for i := range 900 {
		if i == 600 && lie != nil {
			lie(w.a)
		}
		w.step()
	}
	return a, signed
}

func encoded(p *Piece, ground Ground) []byte { return p.Append(nil, p.Differences(ground)) }

func anyRules(*Replayer) bool { return true }

var flatColumn = sync.OnceValue(func() *world.Column { return flat(world.ColumnPos{}) })

// onFlat is flat ground that is made once.
func onFlat(pos world.ColumnPos) *world.Column {
	c := flatColumn().Clone()
	c.Pos = pos
	return c
}

// TestArchive: each checkpoint of the last minute can be asked about, and what an honest
// leader keeps leads to it. A lie is proven by the piece in which it was told.
func TestArchive(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	for seed := range uint64(6) {
		a, signed := archived(seed, nil)
		answered := 0
		for _, c := range signed {
			p := a.Before(c)
			if p == nil {
				continue
			}
			answered++
			proof, found, err := Audit(encoded(p, onFlat), c, onFlat, anyRules)
			if proof != nil || err != nil {
				t.Fatalf("seed %d: an honest host is convicted: %v, %v", seed, found, err)
			}
		}
		if newest := signed[len(signed)-1]; answered < 10 || newest.Number > 1 && a.Before(newest) == nil {
			t.Errorf("seed %d: %d of %d checkpoints are kept", seed, answered, len(signed))
		}
	}
	a, signed := archived(1, func(a *Area) {
		a.Area.Revert([]world.BlockChange{{At: world.Pos{X: 40, Y: top, Z: 40}, Was: world.GoldOre, Now: world.Grass}})
	})
	proven := 0
	for _, c := range signed {
		if p := a.Before(c); p != nil {
			proof, found, err := Audit(encoded(p, onFlat), c, onFlat, anyRules)
			if proof == nil {
				continue
			}
			proven++
			if again, wrong := proof.Check(); found == nil || err != nil || again == nil || wrong != nil {
				t.Errorf("%v, %v, again %v, %v", found, err, again, wrong)
			}
		}
	}
	if proven == 0 {
		t.Error("the lie is not proven")
	}
}

// TestAuditOfAnother: a piece that does not lead to the checkpoint that was asked about is
// no answer, and proves nothing.
func TestAuditOfAnother(t *testing.T) {
	a, signed := archived(2, nil)
	other, _ := archived(3, nil)
	c := signed[len(signed)-1]
	p := a.Before(c)
	cut, forged, of, from := *p, *p, *p.of, *p.of.from
	cut.entries = cut.entries[:len(cut.entries)-1]
	from.Tick++
	of.from, forged.of = &from, &of
	elsewhere := []byte{}
	if q := other.Before(c); q != nil {
		elsewhere = encoded(q, flat)
	}
	for name, b := range map[string][]byte{
		"of another log": elsewhere,
		"too short":      encoded(&cut, flat),
		"unsigned":       encoded(&forged, flat),
		"nothing":        nil,
	} {
		if proof, found, err := Audit(b, c, flat, anyRules); err == nil || found != nil {
			t.Errorf("%s: %v, %v, %v", name, proof, found, err)
		}
	}
	if _, _, err := Audit(encoded(p, flat), c, flat, func(*Replayer) bool { return false }); !errors.Is(err, ErrRules) {
		t.Errorf("other rules: %v", err)
	}
}

// TestPieceOnGround: columns come as their difference to the ground, and one that differs in
// too much, or from no ground, whole; the piece is the same.
func TestPieceOnGround(t *testing.T) {
	a, signed := archived(4, func(a *Area) { // changed in passing, which the log does not say
		var changes []world.BlockChange
		for k := range int32(5 << 10) {
			changes = append(changes, world.BlockChange{At: world.Pos{X: k & 31, Y: 100 + k>>10, Z: k >> 5 & 31}, Was: world.Stone})
		}
		a.Area.Revert(changes)
	})
	c := signed[len(signed)-1]
	p := a.Before(c)
	if p == nil {
		t.Fatal("the last piece is not kept")
	}
	none := func(world.ColumnPos) *world.Column { return nil }
	want := p.of.state.Append(nil)
	for name, ground := range map[string]Ground{"flat": flat, "none": none} {
		b := encoded(p, ground)
		got, area, err := decodePiece(b, &groundColumns{ground: ground})
		if err != nil || !bytes.Equal(area.state(true).Append(nil), want) || len(got.Entries) != len(p.entries) {
			t.Errorf("%s: %v, another piece", name, err)
		}
		t.Logf("%s: %d bytes", name, len(b))
	}
	if _, _, err := decodePiece(encoded(p, flat), &groundColumns{ground: none}); err == nil {
		t.Error("differences to no ground")
	}
}
