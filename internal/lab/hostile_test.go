package lab

import "testing"

// TestHostileNode: a node that sends messages of every kind with random contents
// crashes nothing, and players notice nothing (a longer one: vplab run hostile-node).
func TestHostileNode(t *testing.T) {
	r, _ := runSmall(t, "hostile-node", map[string]string{"minutes": "0.08"})
	if r.metric("kinds") < 100 || r.metric("links") < 1 || r.metric("edits") < 3 {
		t.Errorf("metrics %+v", r.Metrics)
	}
}

// TestHostileLoad: four hostile clients leave a world playable (a longer one: vplab
// run hostile-load).
func TestHostileLoad(t *testing.T) {
	r, _ := runSmall(t, "hostile-load", map[string]string{"minutes": "0.1"})
	if r.metric("honest_edits") < 3 || r.metric("peak_mb") <= 0 {
		t.Errorf("metrics %+v", r.Metrics)
	}
}
