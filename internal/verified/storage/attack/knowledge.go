package attack

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Knowledge is what the attackers know: everything (thesis 6.4.4).
type Knowledge interface {
	// At is the true world at t_of, nil if it is not known (yet).
	At(of int64) *state.Snapshot
	// Static are the true static objects of the present, ascending by ID.
	Static() []*state.Object
	// Zone lists the nodes that stand in a zone, attackers too, always in the
	// same order.
	Zone(zone int) []*storage.Node
	// Update is t_of.
	Update(of int64) machine.Time
	// Awake is a character that sleeps, as it is when its player has come back.
	Awake(o *state.Object) *state.Object
	// After calls f after a time, like a handler of a node, if that is still there.
	After(n *storage.Node, wait time.Duration, f func())
}

// within is the square of cells around an area, cut at the world's edge.
func within(a *overlay.Area, w state.World) (x0, y0, x1, y1 int32) {
	var r geom.Rect
	if len(a.Polygon) == 0 {
		c := a.Circle
		r = geom.Rect{Min: geom.Point{X: c.C.X - c.R, Y: c.C.Y - c.R}, Max: geom.Point{X: c.C.X + c.R, Y: c.C.Y + c.R}}
	} else {
		r = geom.Rect{Min: a.Polygon[0], Max: a.Polygon[0]}
		for _, p := range a.Polygon {
			r.Min = geom.Point{X: min(r.Min.X, p.X), Y: min(r.Min.Y, p.Y)}
			r.Max = geom.Point{X: max(r.Max.X, p.X), Y: max(r.Max.Y, p.Y)}
		}
	}
	last := (w.Side - 1) / w.Cell
	at := func(v int32) int32 { return min(max(v, 0)/w.Cell, last) }
	return at(r.Min.X), at(r.Min.Y), at(r.Max.X), at(r.Max.Y)
}
