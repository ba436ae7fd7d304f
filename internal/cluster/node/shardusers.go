package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
)

// shardUsers are the nodes that use a shard with a replica here: they are told when its
// leader changes, and their messages wait while it is not known.
type shardUsers struct {
	part.Part
	shard   shards.Shard
	links   *peers.Links
	guests  interface{ list(*peers.Remote) []id.ID }
	replies leaderReplies
	deliver func(*peers.Remote, *routing.Routed) // handles a message for a shard that is led here

	nodes  map[machine.Peer]bool // that have sent something for it
	former []machine.Peer        // those of when it was last led here
	held   []heldMessage         // for the leader, who may soon be here
}

// leaderReplies tells a node where a shard is led (routes).
type leaderReplies interface {
	SendLeaderReply(to machine.Peer, p shards.Shard)
}

// heldMessage is a message that arrived before the leader is known.
type heldMessage struct {
	from *peers.Remote
	m    *routing.Routed
	at   machine.Time
}

const (
	maxHeld = 512
)

// add notes that a node uses the shard.
func (u *shardUsers) add(p machine.Peer) { u.nodes[p] = true }

// hold queues a message until the leader is known; false: there are too many.
func (u *shardUsers) hold(f *peers.Remote, m *routing.Routed) bool {
	if len(u.held) >= maxHeld {
		u.Counts.Dropped++
		return false
	}
	u.held = append(u.held, heldMessage{f, m, u.Env.Now()})
	return true
}

// waitTooLong reports whether messages have waited for too long.
func (u *shardUsers) waitTooLong(now machine.Time) bool {
	return len(u.held) > 0 && now.Sub(u.held[0].at) > routing.HeldFor
}

// release delivers the messages that waited if the shard is led here, or else tells
// their senders who leads it.
func (u *shardUsers) release(leading func() bool) {
	waiting := u.held
	u.held = nil
	for _, x := range waiting {
		if leading() {
			u.deliver(x.from, x.m)
		} else {
			u.replies.SendLeaderReply(x.from.Peer, u.shard)
		}
	}
}

// notify tells the nodes that have used this replica where the shard is led.
func (u *shardUsers) notify() {
	for _, to := range peers.Sorted(u.nodes) {
		u.replies.SendLeaderReply(to, u.shard)
	}
}

// leadLost tells the nodes that have used this replica where to go now.
func (u *shardUsers) leadLost() {
	u.former = peers.Sorted(u.nodes)
	u.notify()
	clear(u.nodes)
}

// notifyFormer tells the sessions of nodes that used the shard when it was led here
// before that it has restarted. A session that did not hear that it had ended would
// assume that nothing has changed.
func (u *shardUsers) notifyFormer() {
	var m machine.Message = &lobby.NewHost{}
	if !u.shard.Lobby {
		m = &region.NewHost{Region: u.shard.Region}
	}
	for _, to := range u.former {
		if f := u.links.ByID(to.ID); f != nil && f.IsUp() {
			if sessions := u.guests.list(f); len(sessions) > 0 {
				u.Env.Send(f.Peer, &ToSessions{sessions, m})
			}
		}
	}
	u.former = nil
}
