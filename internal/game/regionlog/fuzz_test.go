package regionlog

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// FuzzEntry: no entry makes a follower fail.
func FuzzEntry(f *testing.F) {
	w := newPlayOn(2, 3, true, air)
	for range 40 {
		w.step()
	}
	for _, o := range w.outs {
		f.Add(o.Entry)
	}
	first := w.outs[0]
	f.Fuzz(func(t *testing.T, entry []byte) {
		r, err := NewReplayer(first.Checkpoint, first.State)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if p, _ := r.Entry(entry, nil); p != nil {
				t.Error("something is proven without a checkpoint")
			}
		}
		r.area.Tick(r.area.Now()+1, nil)
		r.area.state(true)
	})
}

// FuzzState: no state makes a follower fail, and one that is taken is written as it was.
func FuzzState(f *testing.F) {
	w := newPlayOn(2, 3, true, air)
	w.step()
	w.a.PutOutside(air(world.ColumnPos{X: -1}))
	f.Add(w.a.state(true).Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := load(b)
		if err != nil {
			return
		}
		a.state(true)
		a.Tick(a.Now()+1, nil)
	})
}

// FuzzProof: no proof makes whoever checks it fail, and none is believed that was not
// signed.
func FuzzProof(f *testing.F) {
	w := newPlayOn(2, 3, false, air)
	for range 30 {
		w.step()
	}
	c := w.outs[0].Checkpoint
	f.Add((&Proof{From: c, To: c, State: []byte{1}, Entries: [][]byte{{1}}}).Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := DecodeProof(b); err == nil {
			if _, err := p.Check(); err == nil {
				t.Error("a proof against an honest host")
			}
		}
	})
}

// FuzzPiece: no piece makes an auditor fail, and none is a proof that was not signed.
func FuzzPiece(f *testing.F) {
	w, a := newPlayOn(2, 3, true, air), &Archive{}
	var last *Checkpoint
	w.a.Record(signing, func(o *Output) {
		if a.Add(o, 0); o.Checkpoint != nil {
			last = o.Checkpoint
		}
	})
	for range 60 {
		w.step()
	}
	f.Add(encoded(a.Before(last), air))
	f.Fuzz(func(t *testing.T, b []byte) {
		if proof, _, err := Audit(b, last, air, func(*Replayer) bool { return true }); err == nil && proof != nil {
			t.Error("a proof against an honest host")
		}
	})
}
