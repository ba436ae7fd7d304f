package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
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
		if l != nil && !crowded && (l.asked == 0 || now.Sub(l.asked) >= rewatchEvery) {
			l.asked = now
			g.Rewatch(session, m.Region)
		}
		return l == nil
	}
	return true
}

// Rewatch lets a region send a session everything that it watches again.
func (g *gatewaySessions) Rewatch(session id.ID, at world.RegionPos) {
	r := g.routes.known(shards.Shard{Region: at})
	if r == nil || r.watch[session] == nil {
		return
	}
	g.fromSessionAgain(r, session, &region.Watch{})
	g.fromSessionAgain(r, session, r.watch[session])
}

func (g *gatewaySessions) fromSessionAgain(r *route, session id.ID, m *region.Watch) {
	if r.leader != (machine.Peer{}) && r.leader != g.Cfg.Self {
		g.links.Send(r.leader, &Routed{To: r.shard, Session: session, Msg: m})
	}
}

// repeatWatches says again what sessions here watch of a region elsewhere. One that
// knows it does nothing; for one that does not they begin anew.
func (g *gatewaySessions) repeatWatches(r *route, now machine.Time) {
	f := g.links.ByID(r.leader.ID)
	if len(r.watch) == 0 || f == nil || !f.IsUp() || now < r.rewatch {
		return
	}
	if r.rewatch != 0 {
		for _, s := range id.Sorted(r.watch) {
			g.fromSessionAgain(r, s, r.watch[s])
		}
	}
	r.rewatch = now.Add(rewatchEvery)
}

// noteWatch remembers what a session watches, as far as it goes to a region.
func (r *route) noteWatch(session id.ID, m machine.Message) {
	if watch, ok := m.(*region.Watch); ok {
		if watch.Rates == [world.Columns]uint8{} {
			delete(r.watch, session)
		} else {
			r.watch[session] = watch
		}
	}
}

// caughtUp forgets what a session has missed of a region: it begins anew.
func (g *gatewaySessions) caughtUp(session id.ID, at world.RegionPos) {
	delete(g.lagging, stream{session, at})
}
