package node

import (
	"errors"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// afterHandler does something once the handler that runs has ended: events come while
// a shard may be in the middle of something.
func (h *replica) afterHandler(do func()) { h.Queue.Push(part.Call{Do: do}) }

// OnLead implements group.Events: the shard may run here.
func (h *replica) OnLead() {
	h.afterHandler(func() {
		g := h.group
		if g.Gone {
			return
		}
		g.Leading, g.IdleSince, g.Used = true, h.Env.Now(), false
		h.membership.restart()
		h.otherGroups.restart()
		h.spares.Start(h.Env.Now())
		h.owner.leaseChanged()
		if h.comparison.leads(h.Env.Now()); !g.Waits {
			h.serve()
		}
	})
}

// serve is when the shard may run here.
func (h *replica) serve() {
	g := h.group
	if g.Shard.Lobby && !h.runner.Runs(g.Shard) {
		h.runner.startLobby()
	}
	h.users.notifyFormer()
	h.routes.GroupKnows(g)
	h.releaseHeld()
}

// OnFollow implements group.Events: the shard, if it runs, does not lead any more.
func (h *replica) OnFollow(why error) {
	h.afterHandler(func() {
		g := h.group
		if !g.Leading {
			return
		}
		g.Leading, g.Waits = false, false
		h.spares.Stop()
		h.runner.stop(g.Shard)
		hibernates := errors.Is(why, group.ErrHibernating)
		h.routes.LeadLost(g.Shard, hibernates)
		if !hibernates {
			h.users.leadLost()
		}
	})
}

// OnChange implements group.Events: leader, members or their health.
func (h *replica) OnChange() {
	h.afterHandler(func() {
		h.owner.leaseChanged() // other members, another majority
		if h.group.Gone || h.group.Leader() == (machine.Peer{}) {
			return
		}
		h.routes.GroupKnows(h.group)
		h.releaseHeld()
	})
}

// OnResult implements group.Events: the end of something that the shard has asked for.
// A shard that has lost the lead is released, and need not hear what has become of its
// last writes: they may have been done.
func (h *replica) OnResult(tag uint64, result any, err error) {
	h.afterHandler(func() {
		if errors.Is(err, group.ErrNotLeader) || errors.Is(err, group.ErrUnknown) {
			h.runner.forgetJob(tag)
			return
		}
		h.runner.done(tag, result, err)
	})
}

// OnNewer implements group.Events: a member speaks of a newer generation.
func (h *replica) OnNewer(_ machine.Peer, gen group.Gen) {
	h.afterHandler(func() {
		if !h.group.Gone && h.otherGroups.isNews(gen) {
			h.verifyClaims()
		}
	})
}

// verifyClaims asks soon who hosts the shard. A group that sleeps asks in its sleep:
// awake it would have a leader beside the other one. One that began with a copy has
// changes to merge, and wakes for that.
func (h *replica) verifyClaims() {
	h.otherGroups.askSoon()
	if h.group.Raft.Hibernates() && h.group.Raft.Status().Restored != 0 {
		h.wake()
	}
}

// onGroupStatus takes what another node knows of the shard's group.
func (h *replica) onGroupStatus(f *peers.Remote, m *shardgroup.GroupStatus) {
	if h.otherGroups.compare(f, m) {
		h.verifyClaims()
	}
	h.quorumLoss.hear(f, m)
	h.comparison.hear(f, m)
}

// OnGone implements group.Events: this node is not a member any more.
func (h *replica) OnGone(why error) {
	h.OnFollow(why)
	h.afterHandler(func() {
		if errors.Is(why, group.ErrInvalidMessage) {
			h.onInvalidMessage(why)
			return
		}
		g := h.group
		g.Gone = true
		damaged := false
		switch {
		case errors.Is(why, group.ErrRemoved), errors.Is(why, group.ErrResigned):
		case errors.Is(why, group.ErrSuperseded):
			h.Note("Another group of " + g.Shard.String() + " goes on, recovered without this node or begun before its own: what this node had is put aside.")
			h.owner.gaveWay(g.Shard, h.otherGroups.greater)
			h.otherGroups.afterYield()
		default:
			damaged = true
			h.Note(g.Shard.String() + " cannot be hosted here: " + why.Error())
		}
		h.seat.Leave()
		h.owner.removed(h, damaged)
		h.routes.LeftGroup(g.Shard)
		h.releaseHeld()
		if errors.Is(why, group.ErrResigned) {
			h.owner.resigned(g.Shard)
		}
	})
}

// onInvalidMessage is when a member has sent an invalid message. The disk is as it was,
// and is read again, not at once: the member may go on so.
func (h *replica) onInvalidMessage(why error) {
	h.seat.Leave() // timers and jobs of that replica come to nobody
	if h.rereadAt == 0 {
		h.Note(h.group.Shard.String() + ": " + why.Error() + ". What is on the disk is read again.")
	}
	h.rereadAt = h.Env.Now().Add(rereadAfter)
}
