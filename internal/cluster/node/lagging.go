package node

import (
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
func (w *network) passes(session id.ID, m machine.Message) bool {
	switch m := m.(type) {
	case *region.Columns:
		key := stream{session, m.Region}
		if l := w.lagging[key]; l != nil && l.asked != 0 {
			delete(w.lagging, key)
		}
	case *region.Frame:
		key := stream{session, m.Region}
		l := w.lagging[key]
		crowded := machine.Crowded(w.n.env, machine.Peer{ID: session})
		if l == nil && crowded {
			w.lagging[key] = &laggingSession{}
			return false
		}
		now := w.n.env.Now()
		if l != nil && !crowded && (l.asked == 0 || now.Sub(l.asked) >= rewatchEvery) {
			l.asked = now
			w.rewatch(session, m.Region)
		}
		return l == nil
	}
	return true
}

// rewatch lets a region send a session everything that it watches again.
func (w *network) rewatch(session id.ID, at world.RegionPos) {
	r := w.routes[Shard{Region: at}]
	if r == nil || r.watch[session] == nil {
		return
	}
	w.fromSessionAgain(r, session, &region.Watch{})
	w.fromSessionAgain(r, session, r.watch[session])
}

func (w *network) fromSessionAgain(r *route, session id.ID, m *region.Watch) {
	if r.leader != (machine.Peer{}) && r.leader != w.cfg.Self {
		w.sendOverLink(r.leader, &Routed{To: r.shard, Session: session, Msg: m})
	}
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
func (w *network) caughtUp(session id.ID, at world.RegionPos) { delete(w.lagging, stream{session, at}) }
