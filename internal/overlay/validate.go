package overlay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
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
func (n *Node) valid(m machine.Message) bool {
	switch m := m.(type) {
	case *NetworkView:
		return n.validView(m)
	case *Hello:
		return m.Certificate != nil && n.inside(m.Certificate.Pos)
	case *ConnectionInfo:
		return true
	case *JoinRequest:
		return n.validRoute(&m.Route)
	case *RtRequest:
		return n.validRoute(&m.Route)
	case *RtResponse:
		return n.validContact(m.From)
	case *RtHint:
		return n.validContact(m.Node)
	case *Unicast:
		return n.validRoute(&m.Route)
	case *Areacast:
		return n.validRoute(&m.Route) && validArea(&m.Area) && m.Area.Contains(m.Dest) && (m.Root == nil || n.validContact(m.Root) && n.inside(m.Anchor))
	}
	return false
}

func (n *Node) inside(p geom.Point) bool { return n.cfg.Space.Bounds().Contains(p) }

func (n *Node) validContact(c *Contact) bool { return c != nil && n.inside(c.Pos) }

func (n *Node) validRoute(r *Route) bool {
	return n.validContact(r.Origin) && n.inside(r.Dest) && n.inside(r.Via)
}

func (n *Node) validView(v *NetworkView) bool {
	if len(v.Neighbours) > MaxNamed || !n.validContact(v.Source) {
		return false
	}
	for _, c := range v.Neighbours {
		if !n.validContact(c) {
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
