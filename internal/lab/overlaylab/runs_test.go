package overlaylab

import (
	"bytes"
	"context"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// TestOverlayExperiments: they hold, and say the same however many runs go on at
// a time.
func TestOverlayExperiments(t *testing.T) {
	for _, c := range []struct {
		e   lab.Experiment
		set map[string]string
	}{
		{Tables, map[string]string{"iad": "40", "r": "4", "hours": "0.3", "start": "0"}},
		{Degrees, map[string]string{"nodes": "20,50"}},
		{Traffic, map[string]string{"iad": "40", "r": "4", "hours": "0.3"}},
		{Scenarios, map[string]string{"r": "4", "nodes": "24"}},
		{Attack, map[string]string{"iad": "30", "r": "4", "hours": "0.3", "scenarios": "20+3"}},
	} {
		var reports [2]bytes.Buffer
		for i := range reports {
			o := lab.Options{Runs: 2, Jobs: 1 + i, Set: c.set, Report: &reports[i], Seed: 7}
			if err := lab.Run(context.Background(), c.e, o, nil); err != nil {
				t.Fatalf("%s: %v", c.e.Name, err)
			}
		}
		if !bytes.Equal(reports[0].Bytes(), reports[1].Bytes()) {
			t.Errorf("%s: one run at a time says\n%stwo at a time say\n%s", c.e.Name, &reports[0], &reports[1])
		}
	}
}
