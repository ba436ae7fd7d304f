package storage

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// More than half of the zones that have a vote is needed; of those that stand still,
// more than half of all.
func TestDesertedZonesHaveNoVote(t *testing.T) {
	for _, c := range []struct {
		protocol         Protocol
		zones, empty     int
		need, most, asks int
	}{
		{ProtocolThesis, 4, 0, 2, 3, 3},
		{ProtocolHardened, 4, 0, 3, 3, 3},
		{ProtocolHardened, 4, 1, 2, 3, 2},
		{ProtocolHardened, 4, 2, 2, 3, 2},
		{ProtocolHardened, 4, 3, 1, 3, 1},
		{ProtocolHardened, 9, 1, 5, 5, 5},
		{ProtocolHardened, 16, 0, 9, 9, 9},
	} {
		n := &Node{space: overlay.SpaceFor(c.zones), cfg: Config{Protocol: c.protocol}, inhabited: allInhabited(c.zones)}
		for zone := range c.empty {
			n.deserted[zone] = true
		}
		n.empty = c.empty
		if n.need() != c.need || n.most() != c.most || n.quorum() != c.asks {
			t.Errorf("%d of %d zones are deserted: need %d, most %d, quorum %d, want %+v", c.empty, c.zones, n.need(), n.most(), n.quorum(), c)
		}
		q := &query{zones: make([]zoneAnswer, c.zones)}
		for zone := c.empty; zone < c.zones; zone++ {
			if n.allSilent(q) {
				t.Errorf("%d of %d zones are deserted: zone %d is not waited for", c.empty, c.zones, zone)
			}
			q.zones[zone].over = true
		}
		if !n.allSilent(q) {
			t.Errorf("%d of %d zones are deserted: those are waited for", c.empty, c.zones)
		}
	}
}
