package lab

import (
	"context"
	"testing"
)

// TestOverlayStructure: the experiment holds and is the same for the same seed.
func TestOverlayStructure(t *testing.T) {
	var traces [2]string
	for i := range traces {
		trial := &Trial{Context: context.Background(), Seed: 5, set: map[string]string{"iad": "20", "r": "9", "hours": "0.2", "narrow": "yes"}}
		if err := runOverlayStructure(trial); err != nil {
			t.Fatal(err)
		}
		traces[i] = trial.facts[0].Text
	}
	if traces[0] != traces[1] {
		t.Fatalf("two runs with one seed: %s and %s", traces[0], traces[1])
	}
}
