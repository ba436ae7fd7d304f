package messages_test

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state/statetest"
)

// The receiver of answers waits for those whose cells overlap the area beyond a
// side of the cell of somebody who has answered (5.2.2).
func TestWhoseAnswersAreMissing(t *testing.T) {
	bounds := geom.Rect{Max: geom.Point{X: 3000, Y: 3000}}
	contact := func(n byte, x, y int32) *overlay.Contact {
		return &overlay.Contact{ID: id.ID{n}, Pos: geom.Point{X: x, Y: y}}
	}
	self, east, north := contact(1, 500, 500), contact(2, 1500, 500), contact(3, 500, 1500)
	a := messages.NewAround(self, []*overlay.Contact{east, north}, bounds)
	missing := func(area overlay.Area) (out []byte) {
		for _, b := range a.Borders {
			if messages.Touches(&area, b.A, b.B) {
				out = append(out, b.With.ID[0])
			}
		}
		return out
	}
	circle := func(x, y, r int32) overlay.Area {
		return overlay.Area{Circle: geom.Circle{C: geom.Point{X: x, Y: y}, R: r}}
	}
	for _, c := range []struct {
		area overlay.Area
		want string
	}{
		{circle(500, 500, 400), ""},
		{circle(900, 500, 200), "\x02"},
		{circle(500, 900, 200), "\x03"},
		{circle(500, 500, 600), "\x02\x03"},
		{overlay.Area{Polygon: geom.Polygon{{X: 100, Y: 100}, {X: 1400, Y: 100}, {X: 100, Y: 600}}}, "\x02"},
		{overlay.Area{Polygon: geom.Polygon{{X: 100, Y: 100}, {X: 900, Y: 100}, {X: 100, Y: 900}}}, ""},
	} {
		if got := string(missing(c.area)); got != c.want {
			t.Errorf("%+v: waits for %q, want %q", c.area, got, c.want)
		}
	}
}

// An answer of digests is charged eight bytes a cell, another one the
// objects in its area.
func TestBriefAnswersAreDigests(t *testing.T) {
	w := state.World{Side: 1000, Cell: 1000}
	o := statetest.Thing(1, 1)
	o.Size = 500
	area := overlay.Area{Circle: geom.Circle{R: 1000}}
	seen := statetest.Seen(state.NewCell([]*state.Object{o}))
	for _, brief := range []bool{true, false} {
		m := (&messages.Result{Seen: seen, Area: area, Brief: brief}).Seal(w)
		if want := map[bool]int{true: state.SizeDigest, false: 500}[brief]; m.Bytes != want {
			t.Errorf("brief %v: %d bytes, want %d", brief, m.Bytes, want)
		}
	}
}
