package layers

import (
	"os/exec"
	"strings"
	"testing"
)

// TestPlayersProgramHasNoExperiments: what players run contains neither the
// experiments, nor what only they need: attackers, the thesis' world, the
// simulator, readers of profiles. (runtime/pprof itself comes with pebble.)
func TestPlayersProgramHasNoExperiments(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module+"cmd/voxelpopuli").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 100 {
		t.Fatalf("go list names only %d packages", len(deps))
	}
	for _, dep := range deps {
		switch dep {
		case module + "internal/lab", module + "internal/net/sim", module + "internal/verified/storage/attack", module + "internal/verified/overlay/attack",
			module + "internal/verified/storage/mmve", module + "internal/net/transport/faulty",
			"github.com/google/pprof/profile", "net/http/pprof", "testing":
			t.Errorf("cmd/voxelpopuli depends on %s", dep)
		}
	}
}
