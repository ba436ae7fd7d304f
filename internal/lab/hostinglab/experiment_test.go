package hostinglab

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/lab/labtest"
)

// TestNewcomersCaptureNothing: attackers that stay for less time than the world has been
// there are never most of the hosts of a part, also of those whose keys they have searched
// for. In a world as old as they, they would be.
func TestNewcomersCaptureNothing(t *testing.T) {
	set := map[string]string{"nodes": "200", "parts": "30", "attackers": "10", "days": "1", "before": "48"}
	r, _ := labtest.Run(t, Experiment, set)
	if r.Metric("captured_share") != 0 || r.Metric("captured_chosen") != 0 {
		t.Errorf("metrics %+v", r.Metrics)
	}
	set["before"], set["days"] = "1", "7"
	if r, _ := labtest.Run(t, Experiment, set); r.Metric("captured_chosen") < 0.1 {
		t.Errorf("in a new world the attackers get nothing either, so the experiment shows nothing: %+v", r.Metrics)
	}
}
