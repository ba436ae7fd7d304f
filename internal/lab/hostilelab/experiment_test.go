package hostilelab

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/lab/labtest"
)

// TestHostileNode: a node that sends messages of every kind with random contents
// crashes nothing, and players notice nothing (a longer one: vplab run hostile-node).
func TestHostileNode(t *testing.T) {
	r, _ := labtest.RunProcesses(t, Node, map[string]string{"minutes": "0.08"})
	if r.Metric("kinds") < 100 || r.Metric("links") < 1 || r.Metric("edits") < 3 {
		t.Errorf("metrics %+v", r.Metrics)
	}
}

// TestHostileLoad: four hostile clients leave a world playable (a longer one: vplab
// run hostile-load).
func TestHostileLoad(t *testing.T) {
	r, _ := labtest.RunProcesses(t, Load, map[string]string{"minutes": "0.1"})
	if r.Metric("honest_edits") < 3 || r.Metric("peak_mb") <= 0 {
		t.Errorf("metrics %+v", r.Metrics)
	}
}
