package client

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestHostileOtherRegion: a region that is not the player's home can tell the session
// nothing about the player. What it says as the next home waits, and what waits is bounded.
func TestHostileOtherRegion(t *testing.T) {
	home, liar := world.RegionPos{X: 1}, world.RegionPos{X: 2}
	about := func(r world.RegionPos) map[string]machine.Message {
		return map[string]machine.Message{
			"entered":       &region.Entered{Region: r},
			"refused":       &region.Refused{Region: r},
			"left":          &region.Left{Region: r},
			"moved":         &region.Moved{Region: r},
			"handed over":   &region.Moved{Region: r, Reason: region.MovedHandover},
			"self":          &region.Self{Region: r, Operator: true},
			"inventory":     &region.Inventory{Region: r},
			"container":     &region.Container{Region: r},
			"act result":    &region.ActResult{Region: r},
			"notice":        &region.Notice{Region: r},
			"signs":         &region.Signs{Region: r},
			"heard a voice": &region.Heard{Region: r},
		}
	}
	s := &Session{home: home, watch: &watcher{}}
	for what, m := range about(home) {
		if s.fromOthers(m) {
			t.Errorf("%s: the home is not believed", what)
		}
	}
	for what, m := range about(liar) {
		if !s.fromOthers(m) {
			t.Errorf("%s: another region is believed", what)
		}
	}
	for range 100 {
		s.fromOthers(&region.Self{Region: liar})
	}
	if len(s.early) != maxEarly {
		t.Errorf("%d messages wait, want %d", len(s.early), maxEarly)
	}
}
