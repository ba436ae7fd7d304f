package host_test

import (
	"errors"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	puzzle "github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

// TestSearchingIsHeard: the search for the node's key, which takes seconds, can be
// watched and stopped: when a world is made, and when a host makes one at its start.
func TestSearchingIsHeard(t *testing.T) {
	var bits []int
	heard := uint64(0)
	searching := func(difficulty int) func(uint64) bool {
		bits = append(bits, difficulty)
		return func(tried uint64) bool { heard = tried; return false }
	}
	folder, err := worldfs.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	_, err = host.CreateWorld(folder, host.NewWorld{Genesis: worldfs.OpenGenesis(30), Searching: searching})
	if !errors.Is(err, puzzle.ErrStopped) || heard == 0 {
		t.Errorf("after %d keys: %v, want the search to be stopped", heard, err)
	}

	c := config(t)
	c.Create, c.Searching = true, searching
	if h, err := host.Start(c); err == nil { // the first keys held one
		stop(t, h)
	} else if !errors.Is(err, puzzle.ErrStopped) {
		t.Error(err)
	}
	if len(bits) < 2 || bits[0] != 30 || bits[1] != puzzle.DefaultDifficulty {
		t.Errorf("searches for keys of %v bits were heard of", bits)
	}
}
