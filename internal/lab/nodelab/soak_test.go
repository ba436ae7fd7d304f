package nodelab

import (
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/labtest"
)

func TestSoakMeasures(t *testing.T) {
	r, _ := labtest.RunProcesses(t, Soak, map[string]string{"minutes": "0.1", "turn": "0.7", "players": "10", "churn": "2", "chunks": "4"})
	if r.Metric("came_and_went") < 8 || r.Metric("heap_end_mb") <= 0 {
		t.Errorf("metrics %+v", r.Metrics)
	}
}

func TestSoakFindsWhatGrows(t *testing.T) {
	turns := func(change func(i int, l *soakTurn)) []soakTurn {
		out := make([]soakTurn, 40)
		for i := range out {
			out[i] = soakTurn{live: 20, minute: float64(i), Window: Window{Routines: 100, TickP99: 3}}
			change(i, &out[i])
		}
		return out
	}
	for want, change := range map[string]func(int, *soakTurn){
		"":                func(int, *soakTurn) {},
		"live heap grew":  func(i int, l *soakTurn) { l.live += float64(i) },
		"goroutines grew": func(i int, l *soakTurn) { l.Routines += 3 * i },
		"p99 of":          func(i int, l *soakTurn) { l.TickP99 = 60 },
		"thrown out":      func(i int, l *soakTurn) { l.lost = i / 39 },
	} {
		err := reportSoak(new(lab.Trial), turns(change), 1, "")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}
