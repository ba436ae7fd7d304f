package mmve

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// What an NPC becomes is remembered with it, and forgotten two steps later: the NPCs
// of t_0, which the world keeps, must not keep all later versions of themselves.
func TestNextVersionsAreForgotten(t *testing.T) {
	w := New(Config{Seed: 1, Side: 500, NPCs: 200}, nil)
	objects := w.Initial(w.whole())
	first := objects[0]
	var now machine.Time
	for i := range 4 {
		now = now.Add(10 * time.Second)
		s := state.Step{From: now.Add(-10 * time.Second), To: now, Target: w.whole(), Objects: objects}
		out := w.Replay(&s)
		if again := w.Replay(&s); again[0] != out[0] {
			t.Fatal("the same version became two objects")
		}
		objects = out
		if known := first.State.(*npc).next != nil; known != (i < 2) {
			t.Errorf("after step %d the next version of an NPC of t_0 is remembered: %v", i+1, known)
		}
	}
	if n := len(w.ahead.now) + len(w.ahead.older); n > 400 {
		t.Errorf("%d NPCs of 200 remember a version, want those of two steps", n)
	}
}
