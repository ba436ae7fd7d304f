package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// A region leaves out frames for a session whose queue fills up. It does not see
// the queues of sessions of other nodes: their own node leaves the frames out,
// and watches anew for them when there is room.

// stream is what a session hears of a region.
type stream struct {
	session id.ID
	region  world.RegionPos
}

// laggingSession is a session that has missed frames of a remote region. The region was asked
// to begin anew at a time, 0: not yet.
type laggingSession struct{ asked machine.Time }

// passes reports whether a session gets what a remote region says, now.
func (g *gatewaySessions) passes(session id.ID, m machine.Message) bool {
	switch m := m.(type) {
	case *region.Columns:
		key := stream{session, m.Region}
		if l := g.lagging[key]; l != nil && l.asked != 0 {
			delete(g.lagging, key)
		}
	case *region.Frame:
		key := stream{session, m.Region}
		l := g.lagging[key]
		crowded := machine.Crowded(g.Env, machine.Peer{ID: session})
		if l == nil && crowded {
			g.lagging[key] = &laggingSession{}
			return false
		}
		now := g.Env.Now()
		if l != nil && !crowded && (l.asked == 0 || now.Sub(l.asked) >= routing.RewatchEvery) {
			l.asked = now
			g.routes.Rewatch(session, m.Region)
		}
		return l == nil
	}
	return true
}

// CaughtUp forgets what a session has missed of a region: it begins anew.
func (g *gatewaySessions) CaughtUp(session id.ID, at world.RegionPos) {
	delete(g.lagging, stream{session, at})
}
