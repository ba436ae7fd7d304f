package routing

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
)

// Elsewhere forwards a message between shards to another node; false: the
// receiver is led here.
func (t *Routes) Elsewhere(u part.Call) bool {
	to, _ := shards.Of(u.To)
	r := t.of(to)
	switch {
	case r.leader == t.Cfg.Self:
		return false
	case u.Link != 0 || !to.InWorld():
	case r.leader != machine.Peer{}:
		t.forward(r, u)
	case len(r.queue) >= maxWaiting:
		t.Counts.Dropped++
	default:
		r.queue = append(r.queue, u)
		t.searchLeader(r)
	}
	return true
}

// forward sends a shard's message to the node that leads its receiver.
func (t *Routes) forward(r *route, u part.Call) {
	from, ok := shards.Of(u.From)
	if !ok {
		t.Counts.Dropped++
		return
	}
	out := &Routed{To: r.shard, From: from, Msg: u.Msg}
	if session := sessionIn(u.Msg); session.Addr == peers.TagOf(t.Cfg.Self.ID) {
		out.Gateway = t.Cfg.Self
	} else if f := t.links.ByTag(session.Addr); f != nil {
		out.Gateway = f.Peer
	}
	t.links.Send(r.leader, out)
}

// sessionIn is the session that a message names, zero if none.
func sessionIn(m machine.Message) machine.Peer {
	switch m := m.(type) {
	case *region.Handover:
		return m.Session
	case *region.Forward:
		return m.Session
	}
	return machine.Peer{}
}
