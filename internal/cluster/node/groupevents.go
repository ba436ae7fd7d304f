package node

import (
	"errors"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
)

// afterHandler does something once the handler that runs has ended: events come while
// a shard may be in the middle of something.
func (h *replica) afterHandler(do func()) { h.w.n.push(upcall{do: do}) }

// OnLead implements group.Events: the shard may run here.
func (h *replica) OnLead() {
	h.afterHandler(func() {
		if h.gone {
			return
		}
		h.leading, h.idleSince, h.membership.next, h.otherGroups.next = true, h.w.n.env.Now(), 0, 0
		h.w.leased = 0
		if h.shard.Lobby && h.w.n.lobby == nil {
			h.w.n.startLobby()
		}
		h.notifyFormerUsers()
		h.updateRoute()
		h.releaseHeld()
	})
}

// OnFollow implements group.Events: the shard, if it runs, has lost its say.
func (h *replica) OnFollow(why error) {
	h.afterHandler(func() {
		if !h.leading {
			return
		}
		h.leading = false
		h.stopShard()
		r := h.w.routes[h.shard]
		if r != nil && r.leader == h.w.cfg.Self {
			r.leader = machine.Peer{}
		}
		if errors.Is(why, group.ErrHibernating) {
			return // nodes that need it wake it
		}
		if r != nil && r.leader == (machine.Peer{}) && len(r.sessions) > 0 {
			h.w.forgetLeader(r)
		}
		h.notifyUsers()
	})
}

// stopShard ends the shard that runs here.
func (h *replica) stopShard() {
	n := h.w.n
	if h.shard.Lobby {
		if n.lobby != nil {
			n.lobby.released = true
			n.lobby = nil
		}
		return
	}
	if p := n.regions[h.shard.Region]; p != nil {
		n.release(p)
	}
}

// OnChange implements group.Events: leader, members or their health.
func (h *replica) OnChange() {
	h.afterHandler(func() {
		h.w.leased = 0 // other members, another majority
		if h.gone || h.leader() == (machine.Peer{}) {
			return
		}
		h.updateRoute()
		h.releaseHeld()
	})
}

// OnResult implements group.Events: the end of something that the shard has
// asked for. A shard that has lost its say is let go of, and need not hear what
// has become of its last writes: they may have been done.
func (h *replica) OnResult(tag uint64, result any, err error) {
	h.afterHandler(func() {
		if errors.Is(err, group.ErrNotLeader) || errors.Is(err, group.ErrUnknown) {
			h.w.n.forgetJob(tag)
			return
		}
		h.w.n.done(tag, result, err)
	})
}

// OnGone implements group.Events: this node is not a member any more.
func (h *replica) OnGone(why error) {
	h.OnFollow(why)
	h.afterHandler(func() {
		if errors.Is(why, group.ErrInvalidMessage) {
			h.onInvalidMessage(why)
			return
		}
		h.gone = true
		switch {
		case errors.Is(why, group.ErrRemoved):
			h.raft.Erase(false)
		case errors.Is(why, group.ErrSuperseded):
			h.w.note("Another group of " + h.shard.String() + " goes on, recovered without this node or begun before its own: what this node had is put aside.")
			h.afterYield()
		default:
			h.w.damaged[h.shard] = true
			h.w.note(h.shard.String() + " cannot be hosted here: " + why.Error())
		}
		h.p.released = true
		delete(h.w.replicas, h.shard)
		if r := h.w.routes[h.shard]; r != nil {
			r.members = slices.DeleteFunc(slices.Clone(r.members), func(p machine.Peer) bool { return p == h.w.cfg.Self })
		}
		h.releaseHeld()
	})
}

// onInvalidMessage is when a member has said what makes no sense. The disk is as it
// was, and is read again, not at once: the member may go on so.
func (h *replica) onInvalidMessage(why error) {
	h.p.released = true // timers and jobs of that replica come to nobody
	if h.rereadAt == 0 {
		h.w.note(h.shard.String() + ": " + why.Error() + ". What is on the disk is read again.")
	}
	h.rereadAt = h.w.n.env.Now().Add(rereadAfter)
}

// notifyUsers tells the nodes that have used this replica where to go now.
func (h *replica) notifyUsers() {
	h.formerUsers = sortedPeers(h.userNodes)
	for _, to := range h.formerUsers {
		h.w.sendLeaderReply(to, h.shard)
	}
	clear(h.userNodes)
}

// notifyFormerUsers tells the sessions of nodes that used the shard when it was
// led here before that it has restarted. A session that did not hear that it
// had ended would assume that nothing has changed.
func (h *replica) notifyFormerUsers() {
	var m machine.Message = &lobby.NewHost{}
	if !h.shard.Lobby {
		m = &region.NewHost{Region: h.shard.Region}
	}
	for _, to := range h.formerUsers {
		if f := h.w.remotes[to.ID]; f != nil && f.state == linkUp && len(f.sessions) > 0 {
			h.w.n.env.Send(f.peer, &ToSessions{id.Sorted(f.sessions), m})
		}
	}
	h.formerUsers = nil
}
