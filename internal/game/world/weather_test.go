package world

import "testing"

// TestRaining: the weather of some seeds, as web/test/weather.test.ts expects it too, and
// about one span in five is wet.
func TestRaining(t *testing.T) {
	for seed, want := range map[uint64]string{1: weatherOf1, 1 << 40: weatherOf40, 0xffffffff: weatherOfMax} {
		got := ""
		for span := range uint64(40) {
			c := "."
			if Raining(seed, span*weatherSpan+17) {
				c = "r"
			}
			got += c
		}
		if got != want {
			t.Errorf("seed %d: %s", seed, got)
		}
	}
	wet := 0
	for span := range uint64(10000) {
		if Raining(7, span*weatherSpan) {
			wet++
		}
	}
	if wet < 1800 || wet > 2200 {
		t.Errorf("%d of 10000 spans are wet", wet)
	}
}

const (
	weatherOf1   = ".r....r.........r.......r..........r...."
	weatherOf40  = "...r.......r.rr....rr.r................."
	weatherOfMax = "..r...r......r.....rr...r.r...r......r.."
)

// TestRainPutsOut: who burns stops in the rain, but not under a roof.
func TestRainPutsOut(t *testing.T) {
	var wet uint64
	for !Raining(3, wet) {
		wet += weatherSpan
	}
	for roof, want := range map[bool]bool{false: false, true: true} {
		a := flatArea(AreaConfig{Seed: 3})
		a.SetTick(wet)
		if roof {
			put(a, Pos{64, 14, 64}, Stone)
		}
		p := guest("a", 64, 10, 64)
		p.Fire = fireLasts
		a.AddPlayer(p)
		ticks(a, 5)
		if burns := p.Fire > 0; burns != want {
			t.Errorf("roof %v: burns %v", roof, burns)
		}
	}
}
