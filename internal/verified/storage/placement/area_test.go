package placement

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// What lies where a node is responsible lies in the polygon that it asks for, also
// at the edge of the world and between two cells: keys are coarser than places,
// and a static object that nobody asks for is lost to its zone (thesis 5.4.2).
func TestWhoAsksForAPlaceIsTold(t *testing.T) {
	const side = 670_000
	draw := rng.New(3, 3)
	for _, r := range []int{4, 9, 16} {
		space, shape := overlay.SpaceFor(r), state.World{Side: side, Cell: 1000}
		zone := r - 1
		area := space.SubArea(zone)
		var at []geom.Point
		for range 40 {
			at = append(at, geom.Point{
				X: area.Min.X + int32(draw.Intn(int(area.Max.X-area.Min.X+1))),
				Y: area.Min.Y + int32(draw.Intn(int(area.Max.Y-area.Min.Y+1))),
			})
		}
		var nodes []*Area
		for i, p := range at {
			n := &Area{Part: &part.Part{Space: space, World: shape, Places: state.NewMapping(space, shape), Zone: zone, Self: &overlay.Contact{ID: id.ID{byte(i)}, Pos: p}}}
			var others []geom.Point
			for k, q := range at {
				if k != i {
					others = append(others, q)
					n.Now.Neighbours = append(n.Now.Neighbours, &overlay.Contact{ID: id.ID{byte(k)}, Pos: q})
				}
			}
			n.Now.Cell = n.Places.Polygon(geom.Cell(p, others, area, nil))
			nodes = append(nodes, n)
		}
		beyond := 0
		for range 4000 {
			p := geom.Point{X: int32(draw.Intn(side)), Y: int32(draw.Intn(side))}
			switch draw.Intn(5) {
			case 0:
				p.X = 0
			case 1:
				p.X = side - 1
			case 2:
				p.Y = 0
			case 3:
				p.Y = side - 1
			}
			for _, n := range nodes {
				if !n.Responsible(p) {
					continue
				}
				cell := overlay.Area{Polygon: n.Now.Cell}
				if !state.Contains(&cell, p) {
					beyond++
				}
				if !n.Places.Touches(&cell, p) {
					t.Fatalf("r = %d: nobody is told of %v, which lies in the cell %v", r, p, n.Now.Cell)
				}
			}
		}
		t.Logf("r = %d: %d of 4000 places lie beyond their cell's rounded polygon", r, beyond)
	}
}
