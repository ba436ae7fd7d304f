package routing

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// startTime is how long a node may search for others until it reports that none
// answers.
const startTime = 5 * time.Second

// explain tells the sessions at this node why a shard is not reachable.
func (t *Routes) explain(r *route) {
	if len(r.sessions) == 0 {
		return
	}
	code, since := t.whyLost(r)
	for _, s := range id.Sorted(r.sessions) {
		t.sessions.ToSession(s, &lobby.Waiting{Lobby: r.shard.Lobby, Code: code, Since: since})
	}
}

// whyLost returns why a shard's leader is not found, and, if its hosts are silent, when
// one of them was last heard; 0: never.
func (t *Routes) whyLost(r *route) (wire.Code, machine.Time) {
	now := t.Env.Now()
	if !t.dir.HasJoined() {
		if t.dir.JoiningFor() < startTime {
			return wire.Starting, 0
		}
		return wire.NoNodes, 0
	}
	if silent, since := t.hostsSilent(r); silent {
		return wire.Silent, since
	}
	if r.noRoom != 0 && now.Sub(r.noRoom) < tellEvery {
		return wire.NoRoom, 0
	}
	return wire.Unreachable, 0
}

// hostsSilent reports whether a shard cannot continue because nodes are silent: all other
// hosts, or, if it has none, so many of the nodes near its key that the rest may not
// choose hosts. All of them were asked since the shard's leader was lost.
func (t *Routes) hostsSilent(r *route) (bool, machine.Time) {
	var since machine.Time
	silent, others := 0, 0
	hosts := r.members
	if len(hosts) == 0 {
		hosts = t.dir.NearestNodes(r.shard, hostpolicy.Nearby)
	}
	for _, p := range hosts {
		if p.ID == t.Cfg.Self.ID {
			continue
		}
		others++
		if at := t.seen.Last(p.ID); at <= r.lost {
			silent++
			since = max(since, at)
		}
	}
	if len(r.members) > 0 {
		return others > 0 && silent == others, since
	}
	return 2*(others-silent+1) <= others+1, since
}
