package storage

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
)

// The first storer in the own zone is asked at once, then as many zones as a
// majority takes, then all.
func TestStorersAreAskedInWaves(t *testing.T) {
	n := newNode(part.Part{Space: overlay.SpaceFor(4), Zone: 2}, Config{Protocol: ProtocolHardened})
	var got [3]int
	for home := range n.area.HomesOf() {
		for zone := range n.part.Space.Zones() {
			got[n.acts.waveOf(home, zone)]++
		}
	}
	if want := [3]int{1, 2 + 2, 9 - 2}; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
