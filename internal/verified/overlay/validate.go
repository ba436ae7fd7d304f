package overlay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Bounds of what a message may hold.
const (
	MaxNamed   = 512 // neighbours of a view; the average is below six
	MaxCorners = 64  // of an areacast's polygon
	// MaxSignature is the length of a view's signature in bytes.
	MaxSignature = 64
)

// valid reports whether a message is one that a node which keeps to the protocol
// could have sent: the geometry is exact only within bounds, and nothing that
// comes from outside may crash a node. What is not sane is dropped and counted.
func (co *core) valid(m machine.Message) bool {
	switch m := m.(type) {
	case *NetworkView:
		return co.validView(m)
	case *Hello:
		return m.Certificate != nil && co.inside(m.Certificate.Pos)
	case *ConnectionInfo:
		return true
	case *JoinRequest:
		return co.validRoute(&m.Route)
	case *RtRequest:
		return co.validRoute(&m.Route)
	case *RtResponse:
		return co.validContact(m.From)
	case *RtHint:
		return co.validContact(m.Node)
	case *Unicast:
		return co.validRoute(&m.Route)
	case *Areacast:
		return co.validRoute(&m.Route) && validArea(&m.Area) && m.Area.Contains(m.Dest) && (m.Root == nil || co.validContact(m.Root) && co.inside(m.Anchor))
	}
	return false
}

func (co *core) inside(p geom.Point) bool { return co.cfg.Space.Bounds().Contains(p) }

func (co *core) validContact(c *Contact) bool { return c != nil && co.inside(c.Pos) }

func (co *core) validRoute(r *Route) bool {
	return co.validContact(r.Origin) && co.inside(r.Dest) && co.inside(r.Via)
}

func (co *core) validView(v *NetworkView) bool {
	if len(v.Neighbours) > MaxNamed || !co.validContact(v.Source) {
		return false
	}
	for _, c := range v.Neighbours {
		if !co.validContact(c) {
			return false
		}
	}
	return true
}

// validArea wants a circle, or a convex polygon that turns left, both far within
// what the geometry can calculate.
func validArea(a *Area) bool {
	if a.Circle.R < 0 || a.Circle.R >= geom.Limit/2 || !withinBounds(a.Circle.C) {
		return false
	}
	k := len(a.Polygon)
	if k == 1 || k == 2 || k > MaxCorners {
		return false
	}
	for i, p := range a.Polygon {
		if !withinBounds(p) || k > 0 && geom.Orient(p, a.Polygon[(i+1)%k], a.Polygon[(i+2)%k]) < 0 {
			return false
		}
	}
	return true
}

func withinBounds(p geom.Point) bool {
	const half = geom.Limit / 2
	return p.X > -half && p.X < half && p.Y > -half && p.Y < half
}
