package attack

import "github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"

// The goal of eclipse: that a node which joins finds no neighbours, or members only. A
// member that is asked to pass on the request of an honest node, as the node that the
// bootstrapping service has named or on the way, keeps it to itself.

// eclipses reports whether a message of somebody who joins ends at a member.
func (g *Gang) eclipses(m any) bool {
	if !g.ways.Eclipse {
		return false
	}
	r, ok := m.(*overlay.JoinRequest)
	if !ok || g.Has(r.Origin.ID) {
		return false
	}
	g.Did["eclipse"]++
	return true
}
