package catalog

import (
	"errors"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

func TestExperimentsAreDeclaredWell(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Experiments() {
		if e.Name == "" || e.Shows == "" || e.Source == "" || e.Run == nil || seen[e.Name] {
			t.Errorf("experiment %q is incomplete or declared twice", e.Name)
		}
		seen[e.Name] = true
		for _, s := range e.Settings {
			if s.Name == "" || s.Default == "" || s.Text == "" {
				t.Errorf("%s: setting %q is incomplete", e.Name, s.Name)
			}
		}
	}
}

func TestUnknownExperiment(t *testing.T) {
	if _, err := Find("nonsense"); !errors.Is(err, lab.ErrUnknown) {
		t.Errorf("unknown experiment: %v", err)
	}
}
