package node

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// transferLeadership lets another node lead the shard: this node is about to stop.
func (b *membership) transferLeadership() {
	if !b.group.Leading {
		return
	}
	st := b.group.Raft.Status()
	if !b.group.IsOnlyVoter() && len(st.Wanted) != 2 {
		b.group.Raft.Transfer(b.preferredSuccessor(&st).ID)
		return
	}
	for _, m := range st.Members {
		if m.Peer.ID != b.Cfg.Self.ID && !m.Dead && !m.LogLost { // it has the shard already
			_ = b.group.Raft.SetMembers([]machine.Peer{m.Peer})
			return
		}
	}
	spare := hostpolicy.Ranked(b.candidates([]machine.Peer{b.Cfg.Self}, st.Former), nil)
	if len(spare) > 0 && len(st.Members) == 1 {
		_ = b.group.Raft.SetMembers([]machine.Peer{spare[0].Peer}) // which hands the lead over when it has caught up
	}
}

// preferredSuccessor is the member that should lead if this one cannot; zero: none is
// fit, the group may choose.
func (b *membership) preferredSuccessor(st *group.Status) machine.Peer {
	others := *st
	others.Members = slices.DeleteFunc(slices.Clone(st.Members), func(m group.MemberStatus) bool { return m.Peer.ID == b.Cfg.Self.ID })
	if near := b.eligibleLeaders(&others); len(near) > 0 {
		return near[0]
	}
	return machine.Peer{}
}

// canLeave reports whether another member could lead the shard.
func (b *membership) canLeave() bool {
	for _, m := range b.group.Raft.Status().Members {
		if m.Peer.ID != b.Cfg.Self.ID && !m.LogLost && (!m.Dead || b.links.Linked(m.Peer)) {
			return true
		}
	}
	return false
}
