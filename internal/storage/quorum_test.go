package storage

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// The first storer in the own zone is asked at once, then as many zones as a
// majority takes, then all; without the switch all others at once.
func TestStorersAreAskedInWaves(t *testing.T) {
	for _, c := range []struct {
		p    Protocol
		want [3]int
	}{
		{ProtocolHardened, [3]int{1, 2 + 2, 9 - 2}},
		{ProtocolHardened.Without("quorum"), [3]int{1, 11, 0}},
	} {
		n := newNode(core{space: overlay.SpaceFor(4), zone: 2, cfg: Config{Protocol: c.p}})
		var got [3]int
		for home := range n.area.homesOf() {
			for zone := range n.space.Zones() {
				got[n.acts.waveOf(home, zone)]++
			}
		}
		if got != c.want {
			t.Errorf("%v: %v, want %v", c.p, got, c.want)
		}
	}
}
