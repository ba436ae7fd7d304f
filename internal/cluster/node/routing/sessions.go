package routing

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Use notes that a session of this node has business with a shard, and what it watches, as
// far as m says so.
func (t *Routes) Use(session id.ID, p shards.Shard, m machine.Message) {
	r := t.of(p)
	r.sessions[session] = true
	if watch, ok := m.(*region.Watch); ok {
		if watch.Rates == [world.Columns]uint8{} {
			delete(r.watch, session)
		} else {
			r.watch[session] = watch
		}
	}
}

// EndSession forgets a session of this node. It calls each for the shards that the session
// has used, in order, with who leads them.
func (t *Routes) EndSession(session id.ID, each func(p shards.Shard, leader machine.Peer)) {
	for _, r := range t.sorted() {
		if r.sessions[session] {
			delete(r.sessions, session)
			delete(r.watch, session)
			each(r.shard, r.leader)
		}
	}
}

// Watchers are the sessions here that watch a shard, in order, with what they watch.
func (t *Routes) Watchers(p shards.Shard) (list []regionlog.Known) {
	r := t.table[p]
	if r == nil {
		return nil
	}
	for _, session := range id.Sorted(r.watch) {
		list = append(list, regionlog.Known{Session: session, Columns: r.watch[session].Columns()})
	}
	return list
}

// Rewatch lets a region send a session everything that it watches again.
func (t *Routes) Rewatch(session id.ID, at world.RegionPos) {
	r := t.table[shards.Shard{Region: at}]
	if r == nil || r.watch[session] == nil {
		return
	}
	t.sendWatch(r, session, &region.Watch{})
	t.sendWatch(r, session, r.watch[session])
}

func (t *Routes) sendWatch(r *route, session id.ID, m *region.Watch) {
	if r.leader != (machine.Peer{}) && r.leader != t.Cfg.Self {
		t.links.Send(r.leader, &Routed{To: r.shard, Session: session, Msg: m})
	}
}

// repeatWatches says again what sessions here watch of a region elsewhere. One that
// knows it does nothing; for one that does not they begin anew.
func (t *Routes) repeatWatches(r *route, now machine.Time) {
	f := t.links.ByID(r.leader.ID)
	if len(r.watch) == 0 || f == nil || !f.IsUp() || now < r.rewatch {
		return
	}
	if r.rewatch != 0 {
		for _, s := range id.Sorted(r.watch) {
			t.sendWatch(r, s, r.watch[s])
		}
	}
	r.rewatch = now.Add(RewatchEvery)
}
