package state

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// m⁻¹ is the inverse of m for every node's key, in every zone (5.2.1), and what
// is inside the world stays inside the sub-area.
func TestMappingAndItsInverse(t *testing.T) {
	for _, r := range []int{4, 9, 16} {
		space := overlay.SpaceFor(r)
		m := NewMapping(space, World{Side: 670_000})
		draw := rng.New(1, uint64(r))
		for range 1000 {
			zone := draw.Intn(r)
			sub := space.SubArea(zone)
			key := geom.Point{X: sub.Min.X + int32(draw.Intn(int(m.sub))), Y: sub.Min.Y + int32(draw.Intn(int(m.sub)))}
			if got := m.Key(m.World(key), zone); got != key {
				t.Fatalf("r = %d: m(m⁻¹(%v)) = %v", r, key, got)
			}
			p := geom.Point{X: int32(draw.Intn(670_000)), Y: int32(draw.Intn(670_000))}
			if !sub.Contains(m.Key(p, zone)) {
				t.Fatalf("r = %d: m(%v) = %v lies outside %v", r, p, m.Key(p, zone), sub)
			}
		}
	}
}

// The update cycle with l_max = 2 s: actions are asked for 2 s after an update
// time, the state after 6 s, an interval is 10 s, and all that is later by the
// clocks' deviation (5.3.5).
func TestTiming(t *testing.T) {
	c := Timing{T0: 100, LMax: 2 * time.Second, Deviates: 10 * time.Millisecond}
	at := func(d time.Duration) machine.Time { return machine.Time(100).Add(d) }
	if c.Interval() != 10*time.Second || c.Update(3) != at(30*time.Second) ||
		c.Actions(1) != at(12010*time.Millisecond) || c.State(1) != at(16010*time.Millisecond) {
		t.Errorf("interval %v, t_3 %v, t^a_1 %v, t^s_1 %v", c.Interval(), c.Update(3), c.Actions(1), c.State(1))
	}
	for _, x := range []struct {
		after time.Duration
		of    int64
	}{{-time.Second, 0}, {0, 0}, {1, 1}, {10 * time.Second, 1}, {10*time.Second + 1, 2}} {
		if got := c.Of(at(x.after)); got != x.of {
			t.Errorf("an action %v after t_0 belongs to t_%d, want t_%d", x.after, got, x.of)
		}
	}
}

// An action may be stored until everybody begins to ask for it (5.3.3).
func TestLateStoresAreRejected(t *testing.T) {
	c := Timing{LMax: 2 * time.Second, Deviates: 10 * time.Millisecond}
	a := &Action{At: machine.Time(9 * time.Second)}
	if c.Late(a, machine.Time(12*time.Second)) || !c.Late(a, machine.Time(12011*time.Millisecond)) {
		t.Error("want an action of the first interval taken until 12.01 s")
	}
}

// What a message is charged for is the objects that lie in the area and in the
// sender's part of the world, however it is counted.
func TestSizesAreWhatIsSeen(t *testing.T) {
	w := World{Side: 10_000, Cell: 1000}
	draw := rng.New(3)
	place := func() geom.Point { return geom.Point{X: int32(draw.Intn(10_000)), Y: int32(draw.Intn(10_000))} }
	var all []*Object
	for i := range 2000 {
		all = append(all, &Object{ID: ObjectID(i), Pos: place(), Size: 1 + draw.Intn(99)})
	}
	whole := NewSnapshot(1, all, w)
	for i := range 500 {
		s := *whole
		s.Cover = overlay.Area{Circle: geom.Circle{C: place(), R: int32(draw.Intn(6000))}}
		if i%2 == 0 {
			s.IndexSizes(&w)
		}
		a := overlay.Area{Circle: geom.Circle{C: place(), R: int32(draw.Intn(6000))}}
		if i%3 == 0 {
			p := place()
			a = overlay.Area{Polygon: geom.Rect{Min: geom.Point{X: p.X / 2, Y: p.Y / 2}, Max: p}.Polygon(nil)}
		}
		want := 0
		for _, o := range all {
			if s.Sees(&a, o.Pos, &w) {
				want += o.Size
			}
		}
		if got := s.SizeIn(&a, &w); got != want {
			t.Fatalf("%d: %d bytes, want %d, of %+v through %+v", i, got, want, a, s.Cover)
		}
	}
}
