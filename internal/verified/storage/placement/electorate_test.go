package placement

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
)

// More than half of the zones that have a vote is needed; of those that stand still,
// more than half of all.
func TestDesertedZonesHaveNoVote(t *testing.T) {
	for _, c := range []struct {
		hardened         bool
		zones, empty     int
		need, most, asks int
	}{
		{false, 4, 0, 2, 3, 3},
		{true, 4, 0, 3, 3, 3},
		{true, 4, 1, 2, 3, 2},
		{true, 4, 2, 2, 3, 2},
		{true, 4, 3, 1, 3, 1},
		{true, 9, 1, 5, 5, 5},
		{true, 16, 0, 9, 9, 9},
	} {
		el := AllPresent(&part.Part{Space: overlay.SpaceFor(c.zones), Hardened: c.hardened})
		for zone := range c.empty {
			el.SetDeserted(zone, true)
		}
		if el.VotesNeeded() != c.need || el.MajorityOfAll() != c.most || el.Quorum() != c.asks {
			t.Errorf("%d of %d zones are deserted: need %d, most %d, quorum %d, want %+v", c.empty, c.zones, el.VotesNeeded(), el.MajorityOfAll(), el.Quorum(), c)
		}
	}
}
