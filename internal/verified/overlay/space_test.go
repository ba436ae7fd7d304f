package overlay_test

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	. "github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// within draws a point of a rectangle.
func within(r *rng.Rand, a geom.Rect) geom.Point {
	return geom.Point{
		X: a.Min.X + int32(r.Intn(int(a.Max.X-a.Min.X+1))),
		Y: a.Min.Y + int32(r.Intn(int(a.Max.Y-a.Min.Y+1))),
	}
}

// TestSubAreas: 4.5.4, whatever node there is in a sub-area is nearer to each
// point of it than any node in another one.
func TestSubAreas(t *testing.T) {
	for _, zones := range []int{4, 9, 16} {
		s, r := SpaceFor(zones), rng.New(1)
		corners := func(zone int) geom.Polygon { return s.SubArea(zone).Polygon(nil) }
		for zone := range s.Zones() {
			for range 200 {
				p, own := within(&r, s.SubArea(zone)), within(&r, s.SubArea(zone))
				for other := range s.Zones() {
					for _, far := range append(corners(other), within(&r, s.SubArea(other))) {
						if other != zone && p.Dist2(far) < p.Dist2(own) {
							t.Fatalf("r %d: %v is nearer to %v in zone %d than to %v in its own", zones, p, far, other, own)
						}
					}
				}
			}
		}
	}
}

// TestTargets: 4.5.2, a target mirrors the node's own place, lies in the entry's
// zone, and has the node's own entry there the other way round.
func TestTargets(t *testing.T) {
	for _, zones := range []int{4, 9, 16} {
		s, r := SpaceFor(zones), rng.New(2)
		for range 200 {
			p := within(&r, s.SubArea(r.Intn(zones)))
			for _, e := range s.Slots(p) {
				target := s.Target(p, e)
				if slot, ok := s.SlotOf(p, target); !ok || slot != e {
					t.Fatalf("r %d: the target %v of %v for %+v fits %+v", zones, target, p, e, slot)
				}
				if e.Layer == 0 && s.Mirror(p, s.Zone(target)) != target {
					t.Fatalf("r %d: %v is not %v mirrored", zones, target, p)
				}
				if back, ok := s.SlotOf(target, p); !ok || s.Target(target, back) != p {
					t.Fatalf("r %d: the target of the target of %v is not it", zones, p)
				}
			}
		}
	}
}

// TestFillableEntries: 6.3.2, of four layers 9 of 12 entries can be filled with
// r = 4; with r = 9 it is 27 of 32 (the thesis says 24, for it leaves out that
// the sub-area reaches four zones of the second layer), with r = 16 48 of 60.
func TestFillableEntries(t *testing.T) {
	for zones, want := range map[int]int{4: 9, 9: 27, 16: 48} {
		s := SpaceFor(zones)
		sub := s.SubArea(0)
		p := geom.Point{X: sub.Min.X + 1, Y: sub.Min.Y + 1}
		if got := len(s.Slots(p)); got != want {
			t.Errorf("r %d: %d entries can be filled, want %d", zones, got, want)
		}
	}
	s := SpaceFor(9)
	s.Narrow = true
	for _, p := range s.SubArea(0).Polygon(nil) {
		if got := len(s.Slots(p)); got != 24 {
			t.Errorf("%d entries of %v can be filled in narrow sub-areas, want the thesis' 24", got, p)
		}
	}
}

// TestRaster: 6.2.5, places are all different, in sub-areas, and no two are very
// near.
func TestRaster(t *testing.T) {
	for _, zones := range []int{4, 9, 16} {
		s, r := SpaceFor(zones), rng.New(3)
		places := s.Raster(1000, &r)
		var least int64 = 1 << 60
		for i, p := range places {
			if !s.SubArea(s.Zone(p)).Contains(p) {
				t.Fatalf("r %d: %v is in no sub-area", zones, p)
			}
			for _, q := range places[:i] {
				least = min(least, p.Dist2(q))
			}
		}
		if apart := int64(s.SubSide()) / 80; least < apart*apart {
			t.Errorf("r %d: two places are √%d apart, want %d", zones, least, apart)
		}
	}
}
