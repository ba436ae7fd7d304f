package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Leaving in good order: what this node leads goes to other members of the
// groups, and what it is the only member of to other nodes, if there are any.

// maxTransfers is how many groups that are only on the disk are brought to another
// node at a time.
const maxTransfers = 64

// beginLeave begins to hand over.
func (w *network) beginLeave() {
	w.closing = true
	w.store.save()
	for _, f := range w.order {
		if f.state == linkUp {
			w.n.env.Send(f.peer, &HostQuery{theLobby})
		}
	}
	w.continueLeave()
}

// continueLeave goes on with it: also groups that sleep must wake if this node is
// their only member.
func (w *network) continueLeave() {
	moving := 0
	for _, p := range sortedShards(w.replicas) {
		h := w.replicas[p]
		if h.isOnlyVoter() {
			moving++
			if !h.leading && (w.hasRoom() || h.canLeave()) {
				h.raft.Wake()
			}
		}
	}
	for _, p := range sortedShards(w.dormant) {
		if moving >= maxTransfers || !w.hasRoom() {
			return
		}
		moving++
		w.openReplica(p)
	}
}

// hasRoom reports whether another node would take something.
func (w *network) hasRoom() bool {
	for _, f := range w.order {
		if f.state == linkUp && w.canHost(f.peer) {
			return true
		}
	}
	return false
}

// isOnlyVoter reports whether this node has the only vote in the group, or may have.
func (h *replica) isOnlyVoter() bool {
	voters := h.voters()
	return len(voters) == 0 || len(voters) == 1 && voters[0].ID == h.w.cfg.Self.ID
}

// isOneOfTwoVoters reports whether this node has one of two votes: the other member cannot
// elect a leader without it. That is so for a moment while a lone voter hands over,
// until the other, which leads by then, has removed it.
func (h *replica) isOneOfTwoVoters() bool {
	voters := h.voters()
	return len(voters) == 2 && among(voters, h.w.cfg.Self.ID)
}

// voters are the members with a vote.
func (h *replica) voters() []machine.Peer { return h.raft.Voters(nil) }

// transferLeadership lets another node lead the shard.
func (h *replica) transferLeadership() {
	if !h.leading {
		return
	}
	st := h.raft.Status()
	if !h.isOnlyVoter() && len(st.Wanted) != 2 {
		h.raft.Transfer(h.preferredSuccessor(&st).ID)
		return
	}
	for _, m := range st.Members {
		if m.Peer.ID != h.w.cfg.Self.ID && !m.Dead && !m.LogLost { // it has the shard already
			_ = h.raft.SetMembers([]machine.Peer{m.Peer})
			return
		}
	}
	if spare := h.candidates([]machine.Peer{h.w.cfg.Self}, h.w.dir.key(h.shard)); len(spare) > 0 && len(st.Members) == 1 {
		_ = h.raft.SetMembers(spare[:1]) // who hands the lead over when it has caught up
	}
}

// hasTransfers reports whether there is still something that another node could
// take.
func (w *network) hasTransfers() bool {
	if len(w.dormant) > 0 && w.hasRoom() {
		return true
	}
	for _, p := range sortedShards(w.replicas) {
		h := w.replicas[p]
		if h.isOnlyVoter() && (w.hasRoom() || h.canLeave()) || (h.leading || h.isOneOfTwoVoters()) && h.canLeave() {
			return true
		}
	}
	return false
}

// canLeave reports whether another member could lead the shard.
func (h *replica) canLeave() bool {
	for _, m := range h.raft.Status().Members {
		if m.Peer.ID != h.w.cfg.Self.ID && !m.LogLost && (!m.Dead || h.w.linked(m.Peer)) {
			return true
		}
	}
	return false
}

// linked reports whether there is a link to a node that goes on. The members of a group
// that hibernates hear nothing of each other, however well they are.
func (w *network) linked(p machine.Peer) bool {
	f := w.remotes[p.ID]
	return f != nil && f.state == linkUp && !f.left
}

// announceLeaving tells the nodes that this one has links to.
func (w *network) announceLeaving() {
	w.flush()
	w.overlay.stop()
	for _, f := range w.order {
		if f.state == linkUp {
			w.n.env.Send(f.peer, &Leaving{})
		}
	}
}
