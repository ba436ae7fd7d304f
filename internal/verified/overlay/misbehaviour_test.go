package overlay_test

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	. "github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// TestMisbehaviourScore: 4.8, false views add up against their sender; in a dispute both
// count, and whoever is in too many for its age is excluded.
func TestMisbehaviourScore(t *testing.T) {
	born := func(id.ID) machine.Time { return 0 }
	c := &MisbehaviourScore{Free: 3, Each: time.Hour, Valid: func(v *NetworkView) bool { return v.Signature == nil }}
	hear := func(charge Accusation, from, about, names string, stamp machine.Time, sig []byte) []id.ID {
		v := &NetworkView{Source: at(from), Stamp: stamp, Signature: sig}
		for _, r := range names {
			v.Neighbours = append(v.Neighbours, at(string(r)))
		}
		return c.Add(Evidence{Accusation: charge, View: v, Node: at(about), Seen: stamp}, born)
	}
	for i := range machine.Time(10) {
		if hear(Absent, "e", "n", "on", 1, nil) != nil { // the same view again
			t.Fatal("one view counts more than once")
		}
		if hear(Absent, "w", "n", "o", 2+i, nil) != nil || hear(Absent, "w", "n", "n", 2+i, []byte{1}) != nil {
			t.Fatal("evidence that proves nothing counts")
		}
	}
	hear(Absent, "e", "n", "on", 2, nil)
	hear(Missing, "e", "s", "o", 3, nil)
	if got := hear(Absent, "e", "n", "on", 4, nil); len(got) != 1 || got[0] != at("e").ID {
		t.Fatalf("guilty: %v", got)
	}
	hear(Missing, "w", "s", "o", 5, nil)
	hear(Missing, "E", "s", "o", 6, nil)
	if got := hear(Missing, "m", "s", "o", 7, nil); len(got) != 1 || got[0] != at("s").ID {
		t.Fatalf("guilty: %v: all disputes are about s", got)
	}
	if got := hear(Missing, "m", "s", "o", machine.Time(10*time.Hour), nil); got != nil {
		t.Fatalf("guilty: %v: but it is old", got)
	}
}
