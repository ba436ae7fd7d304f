package regionlog

import (
	"errors"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
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

func anyRules(*Replayer) bool { return true }

// TestArchive: each checkpoint of the last minute can be asked about, and what an honest
// leader keeps leads to it. A lie is proven by the piece in which it was told.
func TestArchive(t *testing.T) {
	for seed := range uint64(6) {
		a, signed := archived(seed, nil)
		answered := 0
		for _, c := range signed {
			p := a.Before(c)
			if p == nil {
				continue
			}
			answered++
			proof, found, err := Audit(p.Append(nil), c, anyRules)
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
			proof, found, err := Audit(p.Append(nil), c, anyRules)
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
	whole, err := DecodeProof(p.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	cut, forged, from := *whole, *whole, *whole.From
	cut.Entries = cut.Entries[:len(cut.Entries)-1]
	from.Tick++
	forged.From = &from
	elsewhere := []byte{}
	if q := other.Before(c); q != nil {
		elsewhere = q.Append(nil)
	}
	for name, b := range map[string][]byte{
		"of another log": elsewhere,
		"too short":      cut.Append(nil),
		"unsigned":       forged.Append(nil),
		"nothing":        nil,
	} {
		if proof, found, err := Audit(b, c, anyRules); err == nil || found != nil {
			t.Errorf("%s: %v, %v, %v", name, proof, found, err)
		}
	}
	if _, _, err := Audit(p.Append(nil), c, func(*Replayer) bool { return false }); !errors.Is(err, ErrRules) {
		t.Errorf("other rules: %v", err)
	}
}
