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
// is in the cell; it names neighbours that stand as far as these.
type said struct {
	zone  int
	far   int32
	cell  *state.Cell
	names []int32
}

// owners counts the digests that nodes of a network with four zones have sent of
// one cell.
func owners(all ...said) (*state.Cell, verdict) {
	n := newBare(small, 4, true)
	q := &Poll{Retrieve: messages.Retrieve{Of: 1}, Zones: make([]Zone, 4)}
	for i, s := range all {
		r := statetest.Answers(s.cell)[0]
		r.Seen.Whole = true
		contact := func(name byte, far int32) *overlay.Contact {
			at := n.Places.Key(geom.Point{X: 500, Y: 500}, s.zone)
			at.X += far
			return &overlay.Contact{ID: id.ID{name, byte(far)}, Pos: at}
		}
		r.Around = &messages.Around{Self: contact(byte(i+1), s.far)}
		for _, far := range s.names {
			r.Around.Neighbours = append(r.Around.Neighbours, contact(0, far))
		}
		q.Zones[s.zone].Results = append(q.Zones[s.zone].Results, r)
	}
	c, _, how := n.countOwners(q, 0, 0)
	return c, how
}

// One liar in each of two zones takes away neither zone's vote, and those who stand far
// away have none.
func TestOwnersCountOneByOne(t *testing.T) {
	good, bad := statetest.CellOf(1), statetest.CellOf(2)
	say := func(zone int, far int32, cell *state.Cell, names ...int32) said { return said{zone, far, cell, names} }
	ties := []said{say(0, 1, good), say(0, 2, bad), say(1, 1, good), say(1, 2, bad), say(2, 1, good), say(3, 1, good)}
	var chorus, beside, denied []said
	for zone := range 4 {
		for near := range int32(nearest) {
			chorus = append(chorus, say(zone, near, good))
		}
		for far := range int32(9) {
			chorus = append(chorus, say(zone, 100+far, bad))
		}
		beside = append(beside, say(zone, 1, good, 10, 11, 12, 13), say(zone, 100, bad), say(zone, 101, bad), say(zone, 102, bad))
		denied = append(denied, say(zone, 5, good), say(zone, 100, bad, 1, 2, 3, 4))
	}
	few := []said{say(0, 1, bad), say(0, 2, bad), say(0, 3, bad), say(1, 1, bad), say(1, 2, bad), say(2, 1, good), say(3, 1, good)}
	split := []said{say(0, 1, good), say(1, 1, good), say(2, 1, good), say(0, 2, bad), say(1, 2, bad), say(2, 2, bad)}
	for _, c := range []struct {
		name string
		all  []said
		want *state.Cell // nil: not decided
	}{
		{"liars in two zones", ties, good},
		{"a chorus from far away", chorus, good},
		{"a chorus beside the only owner of each zone", beside, good},
		{"a chorus that names somebody nearer than the owner", denied, nil},
		{"a majority of nodes in two zones", few, nil},
		{"half of the nodes", split, nil},
	} {
		got, how := owners(c.all...)
		if (how == elected) != (c.want != nil) || how == elected && got != c.want {
			t.Errorf("%s: %v, %d", c.name, got, how)
		}
	}
}
