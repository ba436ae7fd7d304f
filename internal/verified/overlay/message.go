package overlay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// NetworkView is a node's neighbourhood as it sees it (thesis 4.3.1). It goes
// one hop, to neighbours, to those who were, and to those who see it otherwise.
// Time and signature make it evidence (4.8).
type NetworkView struct {
	Source     *Contact
	Neighbours []*Contact // counter-clockwise
	// Ask asks for the receiver's view, whatever it thinks of this one: the
	// sender does not become stable with what it has.
	Ask       bool
	Stamp     machine.Time
	Signature []byte
}

// Names reports whether c is one of the view's neighbours.
func (v *NetworkView) Names(c *Contact) bool {
	for _, n := range v.Neighbours {
		if n.ID == c.ID {
			return true
		}
	}
	return false
}

// ConnectionInfo says that the sender no longer needs the link, or, having said
// so, that it does need it again (thesis 4.5.7, and the case in 6.3.2).
type ConnectionInfo struct{ Wanted bool }

// Route is the head of every routed message: it goes to the node nearest to
// Dest, if HasVia is set by way of the node nearest to Via (thesis 4.5.5).
type Route struct {
	Origin *Contact
	Seq    uint64 // of the origin's messages
	Dest   geom.Point
	Via    geom.Point
	HasVia bool
	Hops   uint8
}

// goal is where the message goes next.
func (r *Route) goal() geom.Point {
	if r.HasVia {
		return r.Via
	}
	return r.Dest
}

// JoinRequest asks for the neighbours of the origin's place; any node that will
// be one of them receives it (thesis 4.4).
type JoinRequest struct{ Route }

func (m *JoinRequest) onward(via bool) routable {
	fwd := *m
	fwd.step(via)
	return &fwd
}
