package storage

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Nobody waits for zones that are deserted.
func TestDesertedZonesAreNotWaitedFor(t *testing.T) {
	for _, c := range []struct{ zones, empty int }{{4, 0}, {4, 1}, {4, 2}, {4, 3}, {9, 1}, {16, 0}} {
		n := newNode(part.Part{Space: overlay.SpaceFor(c.zones)}, Config{Protocol: ProtocolHardened})
		for zone := range c.empty {
			n.zones.SetDeserted(zone, true)
		}
		q := &query{zones: make([]zoneAnswer, c.zones)}
		for zone := c.empty; zone < c.zones; zone++ {
			if q.allSilent(&n.zones) {
				t.Errorf("%d of %d zones are deserted: zone %d is not waited for", c.empty, c.zones, zone)
			}
			q.zones[zone].over = true
		}
		if !q.allSilent(&n.zones) {
			t.Errorf("%d of %d zones are deserted: those are waited for", c.empty, c.zones)
		}
	}
}

// A zone's answer about static data is complete only when somebody has answered whose
// cell lies in the part that is asked for: whom rounding has brought the question
// denies nothing.
func TestWhoOnlyTouchesAnAreaDeniesNothing(t *testing.T) {
	n := newNode(part.Part{
		World: state.World{Side: 1000, Cell: 1000}, Space: overlay.SpaceFor(4), Env: frozen{},
	}, Config{Protocol: ProtocolHardened})
	sub := n.part.Space.SubArea(3)
	at := func(k int, x int32) *overlay.Contact {
		return &overlay.Contact{ID: id.ID{byte(k)}, Pos: geom.Point{X: sub.Min.X + x, Y: sub.Min.Y + 500}}
	}
	left, right := at(1, 1000), at(2, 5000) // they meet at 3000
	area := overlay.Area{Polygon: geom.Rect{Min: geom.Point{X: sub.Min.X + 3000, Y: sub.Min.Y}, Max: geom.Point{X: sub.Min.X + 4000, Y: sub.Min.Y + 1000}}.Polygon(nil)}
	q := &query{Retrieve: messages.Retrieve{Query: 1, Kind: messages.ForFailure, Area: area}, zones: make([]zoneAnswer, 4), keys: []overlay.Area{area, area, area, area}}
	n.queries.running = append(n.queries.running, q)
	say := func(who, other *overlay.Contact) {
		a := messages.NewAround(who, []*overlay.Contact{other}, n.part.Space.Bounds())
		n.queries.onResult(who, &messages.Result{Query: 1, Around: a, Area: area, Brief: true})
	}
	if say(left, right); q.zones[3].over {
		t.Error("a zone is complete with the answer of somebody who only touches the area")
	}
	if say(right, left); !q.zones[3].over {
		t.Error("a zone is not complete though who has the area has answered")
	}
}
