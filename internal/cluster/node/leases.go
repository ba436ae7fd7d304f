package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// leader is who leads the group, as far as this replica knows.
func (h *replica) leader() machine.Peer {
	if h.leading {
		return h.w.cfg.Self
	}
	if p := h.raft.Leader(); p != h.w.cfg.Self {
		return p
	}
	return machine.Peer{}
}

// members are the voters of the group, and the other one of two.
func (h *replica) members() []machine.Peer { return h.raft.Hosts(nil) }

// term orders statements about the shard's leader: by generation, then by term.
func (h *replica) term() uint64 { return termOf(h.raft.Term()) }

func termOf(g group.Gen, term uint64) uint64 { return g.Number<<36 | term&(1<<36-1) }

// generationOf is the generation's number in a term.
func generationOf(term uint64) uint64 { return term >> 36 }

// knowsBetter reports whether the replica here has newer knowledge of the
// leader than others had in a term. A replica that was partitioned has not: its
// group may have continued without it, with other members.
func (h *replica) knowsBetter(term uint64) bool {
	return h != nil && (h.leading || h.leader() != machine.Peer{} && h.term() >= term)
}

// wakeGroup wakes a group that hibernates or has no leader, because the shard
// is needed.
func (h *replica) wakeGroup() {
	if h.raft.Hibernates() || h.raft.Leader() == (machine.Peer{}) {
		h.raft.Wake()
	}
	h.updateRoute()
}

// updateRoute puts the leader that the replica here knows into the route.
func (h *replica) updateRoute() {
	r := h.w.routes[h.shard]
	if leader := h.leader(); r != nil && h.knowsBetter(r.term) && h.w.reachable(leader) {
		h.w.leaderFound(r, leader, h.members(), h.term())
	}
}

// checkLeases ends shards whose lease has expired; it reports whether there was
// one. A replica notices that by itself, but only when its own handler runs:
// after a suspended machine resumes, messages that arrived meanwhile may be
// handled first, and must not get stale answers.
func (w *network) checkLeases() (ended bool) {
	now := w.n.env.Now()
	if now < w.leased {
		return false
	}
	w.leased = now.Add(beat)
	for _, p := range sortedShards(w.replicas) {
		h := w.replicas[p]
		if !h.leading {
			continue
		}
		if until := h.raft.LeadsUntil(); until > now {
			w.leased = min(w.leased, until)
			continue
		}
		ended = true
		h.raft.CheckLease()
	}
	return ended
}
