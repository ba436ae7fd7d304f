package node

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// That a greater group of a shard goes on is only a claim until enough nodes have
// made it themselves (docs/decisions/0053-proof-of-a-greater-group.md). A replica
// that believed a single one would put its data aside for a lie.

const (
	// claimFor is how long a claim counts: the next inquiry repeats it.
	claimFor = 40 * time.Second
	// verifyEvery is how often claims make a replica ask at most.
	verifyEvery = 5 * time.Second
	// returned is how long after an absence it explains that a group has gone on.
	returned = 2 * time.Minute
)

// claim is a node's word that it hosts another group of a shard, which has a leader.
type claim struct {
	gen group.Gen
	at  machine.Time
}

// OnNewer implements group.Events: a member speaks of a newer generation.
func (h *replica) OnNewer(_ machine.Peer, gen group.Gen) {
	h.afterHandler(func() {
		if !h.gone && h.otherGroups.greater.Compare(gen) < 0 {
			h.verify()
		}
	})
}

// verify asks soon who hosts the shard.
func (h *replica) verify() {
	v, now := &h.otherGroups, h.w.n.env.Now()
	v.next = min(v.next, max(now.Add(updateMembersEvery), v.asked.Add(verifyEvery)))
	if h.raft.Hibernates() {
		h.wakeGroup()
	}
}

// claimed notes a claim of a node that may make one: it is near the shard's key, a
// member here, or a host that the directory names. Ids near a key are expensive.
func (h *replica) claimed(f *remoteNode, m *GroupStatus) {
	who := f.peer.ID
	r := h.w.routes[h.shard]
	if !among(h.w.nearestNodes(h.shard), who) && !among(h.otherGroups.named, who) && !h.fellow(who) && (r == nil || !r.trusts(f.peer)) {
		return
	}
	now := h.w.n.env.Now()
	if h.otherGroups.claims == nil {
		h.otherGroups.claims = map[id.ID]claim{}
	}
	for by, c := range h.otherGroups.claims { // the order does not matter
		if now.Sub(c.at) >= claimFor {
			delete(h.otherGroups.claims, by)
		}
	}
	h.otherGroups.claims[who] = claim{m.Gen, now}
}

// proven reports whether enough nodes claim that the shard goes on in a greater group.
func (h *replica) proven(gen group.Gen) bool {
	var by []id.ID
	for _, who := range id.Sorted(h.otherGroups.claims) {
		if c := h.otherGroups.claims[who]; c.gen == gen && h.w.n.env.Now().Sub(c.at) < claimFor {
			by = append(by, who)
		}
	}
	st := h.raft.Status()
	if !h.leading && st.Leader != (machine.Peer{}) {
		return false // the leader finds out
	}
	voters, living := 0, 0
	for _, m := range st.Members {
		if m.Voter {
			voters++
			if h.leading && !m.Dead {
				living++
			}
		}
	}
	return len(by) >= max(2, living) || slices.ContainsFunc(by, func(who id.ID) bool { return h.credible(who, voters) })
}

// credible reports whether one node's claim is enough: the group can have gone on
// without this replica, which was away for as long as that takes; or the world's
// founder says so to a node that hosts the shard alone.
func (h *replica) credible(who id.ID, voters int) bool {
	w, now := h.w, h.w.n.env.Now()
	fellow, away := h.fellow(who), w.store.away
	switch recently := h.recently(now); {
	case voters == 1 && who == w.cfg.Founder:
		return true
	case recently && away >= w.cfg.GoneAfter:
		return true
	case voters > 1:
		return fellow && (recently && away >= memberLostAfter || !h.leading && h.quorumLoss.since != 0 && now.Sub(h.quorumLoss.since) >= memberLostAfter)
	}
	back := w.store.seen[who].back // the one with the copy has not heard of this node either
	return fellow && back != 0 && now.Sub(back) < returned
}

// recently reports whether this replica has come back from an absence a moment ago:
// its node was suspended, or the replica is of an earlier run.
func (h *replica) recently(now machine.Time) bool {
	m := &h.w.store
	return h.opened != 0 && now.Sub(h.opened) < returned || m.back > m.started && now.Sub(m.back) < returned
}

// fellow reports whether a node is a member of the group here.
func (h *replica) fellow(who id.ID) bool {
	return slices.ContainsFunc(h.raft.Status().Members, func(m group.MemberStatus) bool { return m.Peer.ID == who })
}
