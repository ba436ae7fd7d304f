package world

import "testing"

// Ticks that a busy machine leaves out have passed for players too: who sends an
// input in each goes on undisturbed, and who sends more gains nothing by it.
func TestLeftOutTicksCountForPlayers(t *testing.T) {
	for name, c := range map[string]struct {
		gap, steps int // ticks from one to the next, inputs in each
		refused    bool
	}{
		"every tick, an input in each":      {1, 1, false},
		"every third, an input in each":     {3, 3, false},
		"every third, more inputs":          {3, 4, true},
		"long pauses, more than may be run": {2 * inputBurst, 2 * inputBurst, true},
	} {
		a := flatArea(AreaConfig{})
		p := guest("a", 64, 10, 64)
		a.AddPlayer(p)
		a.Tick(100, nil)
		refused := 0
		for range 100 {
			change := a.Tick(a.tick+uint64(c.gap), stand(p, p.LastSeq, c.steps))
			refused += len(change.Corrections)
		}
		if (refused > 0) != c.refused {
			t.Errorf("%s: corrected %d times", name, refused)
		}
	}
}
