package transfer

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/replica"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state/statetest"
)

// newBare is that of a node of a zone which knows nobody.
func newBare(world state.World, zone int) *Transfer {
	space := overlay.SpaceFor(4)
	p := &part.Part{World: world, Space: space, Places: state.NewMapping(space, world), Zone: zone, Hardened: true}
	area := &placement.Area{Part: p}
	return New(p, Surroundings{Area: area, Replica: replica.New(p, area)})
}

// A neighbour that has just come itself pushes nothing: what nobody has told of is
// not empty, it is not known (5.4.1).
func TestWhatNobodyHasPushedIsNotKnown(t *testing.T) {
	w := state.World{Side: 10_000, Cell: 1000}
	box := func(x0, x1 int32) geom.Polygon {
		return geom.Rect{Min: geom.Point{X: x0}, Max: geom.Point{X: x1, Y: 2000}}.Polygon(nil)
	}
	n := newBare(w, 0)
	n.Area.Now.Cell = box(0, 4000)
	left, right := &messages.Push{Area: overlay.Area{Polygon: box(0, 2000)}}, &messages.Push{Area: overlay.Area{Polygon: box(2001, 4000)}}
	left.Seen = state.NewSnapshot(3, []*state.Object{{ID: 1, Pos: geom.Point{X: 500, Y: 500}}}, w)
	n.pushes = []*messages.Push{left, right}
	s := n.mergePushes()
	if s == nil || s.Of != 3 || s.Covers(0, 0, w.Cell) == state.Outside || len(s.At(0, 0).Objects) != 1 {
		t.Fatalf("the part that was pushed is not there: %+v", s)
	}
	if how := s.Covers(3, 0, w.Cell); how != state.Outside {
		t.Errorf("the cell that nobody has pushed counts as known (%v)", how)
	}
}

// A node that joins takes what nodes of its own zone push, once of each.
func TestWhoPushesToANewcomer(t *testing.T) {
	n := newBare(state.World{Side: 900, Cell: 100}, 3)
	node := func(number, zone int) *overlay.Contact {
		at := geom.Point{X: 450, Y: 300 + 100*int32(number)}
		return &overlay.Contact{ID: id.ID{byte(number + 1), byte(zone + 1)}, Pos: n.Places.Key(at, zone)}
	}
	own, other := node(0, 3), node(0, 0)
	for _, c := range []struct {
		from *overlay.Contact
		want int
	}{{other, 0}, {own, 1}, {own, 1}, {node(1, 3), 2}} {
		if n.OnPush(c.from, &messages.Push{}); len(n.pushes) != c.want {
			t.Errorf("%d pushes are kept, want %d", len(n.pushes), c.want)
		}
	}
}

// A farewell has as many objects as there is room for, and the names of the others.
func TestManyFarewells(t *testing.T) {
	var many []*state.Object
	for i := range 7 {
		o := statetest.Thing(state.ObjectID(i+1), byte(i+1))
		o.Size = 200_000
		many = append(many, o)
	}
	for size, named := range map[int]int{0: 0, 5: 0, 6: 1, 7: 2} {
		some, rest := limitHandOff(many[:size])
		if len(rest) != named || len(some)+len(rest) != size {
			t.Errorf("of %d objects %d are sent and %d named, want %d", size, len(some), len(rest), named)
		}
		for i, o := range rest {
			if o.ID != many[len(some)+i].ID || o.Digest != many[len(some)+i].Digest {
				t.Errorf("the name of another object: %v", o)
			}
		}
	}
}
