package overlay

// Sizes on the wire, in bytes, without headers (the thesis leaves them open): an
// id of 20, an address of 18, a place of 8, a number of 8, a signature of 64, a
// byte for the kind.
const (
	sizeContact = 20 + 18 + 8
	sizeRoute   = 1 + sizeContact + 8 + 8 + 1 + 1
	sizeVia     = 8
	sizeSigned  = 8 + 64
)

// Size makes messages known to simulations.
func (v *NetworkView) Size() int { return 1 + sizeContact*(1+len(v.Neighbours)) + sizeSigned }

// Size makes messages known to simulations.
func (*ConnectionInfo) Size() int { return 2 }

// Size makes messages known to simulations.
func (*RtResponse) Size() int { return 1 + sizeContact + 8 }

// Size makes messages known to simulations.
func (r *Route) Size() int {
	if r.HasVia {
		return sizeRoute + sizeVia
	}
	return sizeRoute
}

// HopCount makes messages known to simulations.
func (r *Route) HopCount() int { return int(r.Hops) }

type sizer interface{ Size() int }

func sizeOfBody(b any) int {
	if s, ok := b.(sizer); ok {
		return s.Size()
	}
	return 64
}

// Size makes messages known to simulations.
func (m *Unicast) Size() int { return m.Route.Size() + sizeOfBody(m.Body) }

// Size makes messages known to simulations.
func (m *Areacast) Size() int {
	return m.Route.Size() + 12 + 8*len(m.Area.Polygon) + sizeContact + 8 + sizeOfBody(m.Body)
}
