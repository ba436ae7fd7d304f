package regionlog

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
)

// TestFireSettingIsReplayed: followers know that an operator has forbidden fire, also those that
// begin with a later state; a leader that says so without a signature is convicted.
func TestFireSettingIsReplayed(t *testing.T) {
	says := func(name string) *decision.Statement {
		s := &decision.Statement{Topic: decision.Setting, On: true, Name: name, Text: "0", Seq: 1, World: testWorld}
		s.Sign(keyOf("an operator"))
		return s
	}
	forged := *says(decision.SetFire)
	forged.Signature[3] ^= 1
	for name, c := range map[string]struct {
		says *decision.Statement
		good bool
	}{"signed": {says(decision.SetFire), true}, "forged": {&forged, false}, "another setting": {says(decision.SetSleep), false}} {
		w := newPlay(3, 2, false)
		for i := range 300 {
			if i == 20 {
				w.a.AllowFire(c.says)
			}
			w.step()
		}
		if w.a.Fire() {
			t.Fatalf("%s: the leader lets fire spread", name)
		}
		proof, err := replay(w.outs, 0)
		if good := proof == nil && err == nil; good != c.good {
			t.Errorf("%s: proof %v, %v", name, proof, err)
		}
	}
	w := newPlay(3, 2, false)
	w.a.AllowFire(says(decision.SetFire))
	for range 300 {
		w.step()
	}
	w.a.AllowFire(nil)
	if !w.a.Fire() {
		t.Error("the setting cannot be taken back")
	}
	last := w.outs[len(w.outs)-1]
	for _, o := range w.outs {
		if o.State != nil {
			last = o
		}
	}
	loaded, err := load(last.State)
	if err != nil || loaded.Fire() {
		t.Errorf("a state without fire: %v", err)
	}
}
