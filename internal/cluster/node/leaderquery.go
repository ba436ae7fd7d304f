package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
)

// announceNewHost tells the regions led here that another shard has a new host: they
// say again what the one before knew.
func (w *network) announceNewHost(p Shard) {
	for _, q := range w.n.awake {
		if q.isLobby || !p.Lobby && !besides(q.pos.X-p.Region.X, q.pos.Z-p.Region.Z) {
			continue
		}
		w.n.push(upcall{to: q.peer, from: p.peer(), m: &region.NewHost{Region: p.Region}})
	}
}

func besides(dx, dz int32) bool {
	return max(dx, -dx, dz, -dz) == 1
}

// sendLeaderReply answers who asks for a shard.
func (w *network) sendLeaderReply(to machine.Peer, p Shard) {
	out := &LeaderReply{Shard: p}
	h, r := w.replica(p), w.routes[p]
	if h != nil {
		out.Leader, out.Members, out.Term = h.leader(), h.members(), h.term()
	}
	if r != nil && r.leader != w.cfg.Self && (h == nil || r.leader != (machine.Peer{}) && !h.knowsBetter(r.term)) {
		out.Leader, out.Members, out.Term = r.leader, r.members, r.term
	}
	w.sendDatagram(to, out)
}

func (w *network) onLeaderQuery(f *remoteNode, m *LeaderQuery) {
	if h := w.replica(m.Shard); h != nil {
		h.wakeGroup()
	}
	w.sendLeaderReply(f.peer, m.Shard)
}

// onLeaderReply learns where a shard is led. What is older than what is known is
// not believed.
func (w *network) onLeaderReply(f *remoteNode, m *LeaderReply) {
	r := w.routes[m.Shard]
	if r == nil || len(m.Members) > records.MaxHosts || !r.trusts(f.peer) {
		return
	}
	knows := w.replica(m.Shard).knowsBetter(max(m.Term, r.term))
	if m.Term < r.term {
		if !knows && r.leader.ID == f.peer.ID && m.Leader.ID != f.peer.ID {
			w.forgetLeader(r) // it has left the group, and knows nothing of the shard any more
		}
		return
	}
	switch m.Leader.ID {
	case id.ID{}:
		if len(m.Members) > 0 && !knows {
			r.members = m.Members
		}
		if r.leader.ID == f.peer.ID {
			w.forgetLeader(r)
		}
		return
	case w.cfg.Self.ID:
		return // not any more
	}
	if knows {
		return
	}
	if m.Term > r.term || r.leader == (machine.Peer{}) || r.leader.ID == f.peer.ID {
		w.leaderFound(r, m.Leader, m.Members, m.Term)
	}
}
