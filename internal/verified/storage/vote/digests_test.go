package vote

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state/statetest"
)

// said is what a node that stands so far from the cell's place in its zone says
// is in the cell.
type said struct {
	zone int
	far  int32
	cell *state.Cell
}

// owners counts the digests that nodes of a network with four zones have sent of
// one cell.
func owners(all ...said) (*state.Cell, verdict) {
	n := newBare(small, 4, true)
	q := &Poll{Retrieve: messages.Retrieve{Of: 1}, Zones: make([]Zone, 4)}
	for i, s := range all {
		r := statetest.Answers(s.cell)[0]
		r.Seen.Whole = true
		at := n.Places.Key(geom.Point{X: 500, Y: 500}, s.zone)
		at.X += s.far
		r.Around = &messages.Around{Self: &overlay.Contact{ID: id.ID{byte(i + 1)}, Pos: at}}
		q.Zones[s.zone].Results = append(q.Zones[s.zone].Results, r)
	}
	c, _, how := n.countOwners(q, 0, 0)
	return c, how
}

// One liar in each of two zones takes away neither zone's vote, and those who stand far
// away have none.
func TestOwnersCountOneByOne(t *testing.T) {
	good, bad := statetest.CellOf(1), statetest.CellOf(2)
	ties := []said{{0, 1, good}, {0, 2, bad}, {1, 1, good}, {1, 2, bad}, {2, 1, good}, {3, 1, good}}
	chorus := []said{}
	for zone := range 4 {
		for near := range int32(nearest) {
			chorus = append(chorus, said{zone, near, good})
		}
		for far := range int32(9) {
			chorus = append(chorus, said{zone, 100 + far, bad})
		}
	}
	few := []said{{0, 1, bad}, {0, 2, bad}, {0, 3, bad}, {1, 1, bad}, {1, 2, bad}, {2, 1, good}, {3, 1, good}}
	split := []said{{0, 1, good}, {1, 1, good}, {2, 1, good}, {0, 2, bad}, {1, 2, bad}, {2, 2, bad}}
	for _, c := range []struct {
		name string
		all  []said
		want *state.Cell // nil: not decided
	}{
		{"liars in two zones", ties, good},
		{"a chorus from far away", chorus, good},
		{"a majority of nodes in two zones", few, nil},
		{"half of the nodes", split, nil},
	} {
		got, how := owners(c.all...)
		if (how == elected) != (c.want != nil) || how == elected && got != c.want {
			t.Errorf("%s: %v, %d", c.name, got, how)
		}
	}
}
