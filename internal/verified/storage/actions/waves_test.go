package actions

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// A player's storers stand far from each other, at places in the world: three a
// zone if there are four zones, two if there are more, one in the thesis.
func TestPlacesOfStorers(t *testing.T) {
	const side = 900
	p := &state.Player{Home: geom.Point{X: 850, Y: 10}}
	for _, c := range []struct {
		zones    int
		hardened bool
		want     int
	}{{4, true, 3}, {9, true, 2}, {16, true, 2}, {4, false, 1}} {
		n := newBare(part.Part{World: state.World{Side: side, Cell: 100}, Space: overlay.SpaceFor(c.zones), Hardened: c.hardened}, part.Settings{}, Surroundings{})
		got := n.area.Homes(p)
		if len(got) != c.want || got[0] != p.Home {
			t.Fatalf("%d zones, hardened %v: %v", c.zones, c.hardened, got)
		}
		for i, a := range got {
			if a.X < 0 || a.Y < 0 || a.X >= side || a.Y >= side {
				t.Errorf("%d zones: %v lies outside the world", c.zones, a)
			}
			for _, b := range got[:i] {
				if a.Dist2(b) < side*side/9 {
					t.Errorf("%d zones: %v and %v are close to each other", c.zones, a, b)
				}
			}
		}
	}
}

// A zone's vote about a player is the batch that any of its storers has: that
// nothing is there needs no lie, a batch needs the player's signature.
func TestOneStorerOfAZoneIsEnough(t *testing.T) {
	p := &state.Player{ID: id.ID{7}}
	n := newBare(part.Part{Space: overlay.SpaceFor(4), Hardened: true}, part.Settings{}, Surroundings{})
	none, acts := &state.Batch{Player: p, Of: 1}, &state.Batch{Player: p, Of: 1, Actions: []*state.Action{{Player: p, Seq: 1}}, Signature: modelled}
	idle := &state.Batch{Player: p, Of: 1, Signature: modelled}
	for _, c := range []struct {
		name  string
		got   []*state.Batch // three of each zone
		want  *state.Batch
		votes int
	}{
		{"one storer of each zone", []*state.Batch{none, acts, none, none, none, acts, acts, nil, nil, nil, acts, none}, acts, 4},
		{"one zone has none of it", []*state.Batch{none, none, none, nil, none, acts, acts, nil, nil, nil, acts, none}, acts, 3},
		{"nobody has anything", []*state.Batch{none, none, none, nil, none, none, none, nil, nil, nil, none, none}, none, 4},
		{"it is signed that nothing was done", []*state.Batch{none, idle, none, nil, none, idle, idle, nil, nil, nil, none, none}, idle, 3},
	} {
		q := &Query{got: c.got}
		if q.Result, q.Votes = n.Retrieval.countBatches(q); q.Result != c.want || q.Votes != c.votes {
			t.Errorf("%s: %v with %d votes", c.name, q.Result.Actions, q.Votes)
		}
		if q.waitsForAll() != (c.want == none) {
			t.Errorf("%s: a majority for a batch is waited on, or that there is none is believed at once", c.name)
		}
	}
}

// That no batch has a majority is known only if none may have one for somebody who has
// heard more, or who knows that a zone is deserted.
func TestNobodyElseCountsABatchThatCountsForNobody(t *testing.T) {
	p := &state.Player{ID: id.ID{7}}
	none, acts := &state.Batch{Player: p, Of: 1}, &state.Batch{Player: p, Of: 1, Actions: []*state.Action{{Player: p, Seq: 1}}, Signature: modelled}
	other := &state.Batch{Player: p, Of: 1, Actions: []*state.Action{{Player: p, Seq: 2}}, Signature: modelled}
	for _, c := range []struct {
		name     string
		said     [4]*state.Batch // by one storer of each zone
		deserted int
		want     bool
	}{
		{"two of four zones have it", [4]*state.Batch{acts, none, acts, none}, -1, false},
		{"two of three, the fourth is silent", [4]*state.Batch{acts, none, acts, nil}, -1, true},
		{"one of three, the fourth is silent", [4]*state.Batch{acts, none, none, nil}, -1, false},
		{"each of three has another one", [4]*state.Batch{acts, other, none, nil}, -1, false},
		{"nothing was done", [4]*state.Batch{none, none, none, nil}, -1, false},
		{"one of three, and there is no fourth", [4]*state.Batch{acts, none, none, nil}, 3, false},
	} {
		n := newBare(part.Part{Space: overlay.SpaceFor(4), Hardened: true}, part.Settings{}, Surroundings{})
		if c.deserted >= 0 {
			n.zones.SetDeserted(c.deserted, true)
		}
		q := &Query{got: make([]*state.Batch, 12)}
		for zone, b := range c.said {
			q.got[3*zone] = b
		}
		if got := n.Retrieval.mayCount(q); got != c.want {
			t.Errorf("%s: may count: %t", c.name, got)
		}
	}
}

// The first storer in the own zone is asked at once, then as many zones as a
// majority takes, then all.
func TestStorersAreAskedInWaves(t *testing.T) {
	n := newBare(part.Part{Space: overlay.SpaceFor(4), Zone: 2, Hardened: true}, part.Settings{}, Surroundings{})
	var got [3]int
	for home := range n.area.HomesOf() {
		for zone := range n.part.Space.Zones() {
			got[n.Retrieval.waveOf(home, zone)]++
		}
	}
	if want := [3]int{1, 2 + 2, 9 - 2}; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
